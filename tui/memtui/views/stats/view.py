"""The statistics of one project or of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widget import Widget

from memtui.services.app_services import AppServices
from memtui.system import clock
from memtui.views.base import View
from memtui.views.stats.stats_pane import StatsPane
from memtui.wording.formatting import last_seen
from memtui.wording.kept_text import saved_text
from memtui_core.model import Project
from memtui_core.system.locations import prices_file

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.index.statistics import Prices, Statistics


class StatsView(View):
    """Statistics in the place of both the list and the transcript."""

    SHARE = None

    def __init__(self, services: AppServices, name: str) -> None:
        super().__init__(services, name)
        self._project: tuple[str, str] | None = None
        """Root and name of the chosen project; None for all projects."""

    def compose_view(self) -> ComposeResult:
        """The pane with the statistics."""
        yield StatsPane(self._change_project)

    @property
    def focus_target(self) -> Widget:
        """The pane with the statistics."""
        return self.query_one(StatsPane)

    def on_mount(self) -> None:
        """Load the statistics again when another range is chosen."""
        self.watch(self.query_one(StatsPane), "days", self.reload, init=False)

    def reload(self) -> None:
        """Load the statistics of the chosen range and project."""
        days = self.query_one(StatsPane).days
        root = self._project[0] if self._project is not None else None
        self.services.index.query(
            "statistics",
            lambda index: (index.statistics.of_work(root, days, clock.now()), _prices(), _notes(index, root)),
            lambda counted: self._show(root, *counted),
        )

    def _change_project(self) -> None:
        shown = self.shown
        if self._project is None and shown is None:
            self.notify("No session is open.")
            return
        self._project = (shown.root, shown.project) if self._project is None and shown is not None else None
        self.reload()

    def show_project(self, project: Project) -> None:
        """Count what belongs to a project."""
        self._project = project.root, project.name
        self.reload()

    def _show(self, root: str | None, statistics: Statistics, prices: Prices, notes: str) -> None:
        project = self._project
        if root == (project[0] if project is not None else None):
            label = project[1] if project is not None else "all projects"
            self.query_one(StatsPane).show(statistics, prices, label, notes)


def _notes(index: Index, root: str | None) -> str:
    """What the index alone has of a project, or of all, and when each of the other machines was last seen."""
    return " · ".join(filter(None, (saved_text(index.statistics.saved(root)), *_machines(index))))


def _machines(index: Index) -> Iterator[str]:
    """When each of the other machines was last seen; nothing if none is declared."""
    if index.data.machine_list.exists():
        from memtui_core.index.machines import seen_machines

        yield from (last_seen(one.name, one.seen_at, clock.now()) for one in seen_machines(index.data.path))


def _prices() -> Prices:
    """The prices beside the settings, or those that are included."""
    from memtui_core.index.statistics import load_prices

    return load_prices(prices_file())
