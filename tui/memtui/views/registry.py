"""The views in the order of their keys. A new view is a package and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memtui.keys import Command, view_command

if TYPE_CHECKING:
    from memtui.views.base import View


class ViewEntry(NamedTuple):
    """What tabs, keys and palette need of a view; the view itself is imported when it is first shown."""

    name: str
    """Name in widget ids and settings, and in the id `view-<name>` of its key."""
    key: str
    titles: tuple[str, ...]
    """Titles in the tabs, from long to short; the first one is also that of the palette."""
    path: str
    """The class, as `module:class`."""

    def view_class(self) -> type[View]:
        """Import the class."""
        from pkgutil import resolve_name

        view: type[View] = resolve_name(self.path)
        return view


VIEWS: list[ViewEntry] = [
    ViewEntry("sessions", "1", ("Sessions", "Sess"), "memtui.views.sessions.view:SessionsView"),
    ViewEntry("files", "2", ("Files",), "memtui.views.files.view:FilesView"),
    ViewEntry("compactions", "3", ("Compactions", "Compact"), "memtui.views.compactions.view:CompactionsView"),
    ViewEntry("prs", "4", ("Pull requests", "PRs"), "memtui.views.pull_requests.view:PullRequestsView"),
    ViewEntry("stats", "5", ("Stats",), "memtui.views.stats.view:StatsView"),
    ViewEntry("timeline", "6", ("Timeline", "Time"), "memtui.views.timeline.view:TimelineView"),
]


def commands() -> list[Command]:
    """The commands that show the views."""
    return [view_command(view.name, view.key, view.titles[0]) for view in VIEWS]


def import_views() -> None:
    """Import all views, so that none of them waits for it when it is first shown."""
    for view in VIEWS:
        view.view_class()
