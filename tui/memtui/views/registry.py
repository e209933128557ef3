"""The views in the order of their keys. A new view is a package and a line here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.keys.declarations import EVERYWHERE, Key
from memtui.widgets.view_tabs import ViewTab

if TYPE_CHECKING:
    from memtui.views.base import View


@dataclass(frozen=True)
class ViewEntry(ViewTab):
    """What tabs, keys and palette need of a view; the view itself is imported when it is first shown."""

    path: str
    """The class, as `module:class`."""
    synonyms: str
    """Other words for what it shows, by which help and palette find its key."""

    @property
    def shows(self) -> Key:
        """The key that shows the view."""
        title = self.titles[0]
        text = f"Show the view: {title.lower()}"
        action, key_id = f"view('{self.name}')", f"view-{self.name}"
        return Key(self.key, action, title, text, key_id, synonyms=self.synonyms, where=EVERYWHERE)

    @property
    def package(self) -> str:
        """The package with the view and its widgets."""
        return self.path.partition(":")[0].rpartition(".")[0]

    def view_class(self) -> type[View]:
        """Import the class."""
        from pkgutil import resolve_name

        view: type[View] = resolve_name(self.path)
        return view


VIEWS: list[ViewEntry] = [
    ViewEntry("sessions", "1", ("Sessions", "Sess"), "memtui.views.sessions.view:SessionsView",
              "projects tree history list"),
    ViewEntry("files", "2", ("Files",), "memtui.views.files.view:FilesView", "paths changes edits folders"),
    ViewEntry("compactions", "3", ("Compactions", "Compact"), "memtui.views.compactions.view:CompactionsView",
              "context summary lost forgotten review"),
    ViewEntry("prs", "4", ("Pull requests", "PRs"), "memtui.views.pull_requests.view:PullRequestsView",
              "prs github merge requests"),
    ViewEntry("stats", "5", ("Stats",), "memtui.views.stats.view:StatsView",
              "statistics cost money tokens usage charts"),
    ViewEntry("timeline", "6", ("Timeline", "Time"), "memtui.views.timeline.view:TimelineView",
              "memory observations notes days calendar"),
]  # fmt: skip


def import_views() -> None:
    """Import all views, so that none of them waits for it when it is first shown."""
    for view in VIEWS:
        view.view_class()
