"""What the main screen says about the index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual.screen import Screen

from memtui.browse.controllers import handles
from memtui.browse.frame import ViewFrame
from memtui.services import messages
from memtui.services.app_services import AppServices
from memtui.system.timers import call_after
from memtui.views.base import View
from memtui.widgets.requests.panes import IndexerRequested
from memtui.widgets.status.line import StatusLine
from memtui.wording.startup_text import OPENING, no_sessions_text, reading_text
from memtui_core.index.folder import DataDir

if TYPE_CHECKING:
    from memtui_core.index.machines import SeenMachine

_STARTS_AGAIN: Final = "R starts it again."
_MACHINES_EVERY: Final = 5.0
"""Seconds between two looks at what is known about other machines."""


class IndexStatus:
    """Says in the place of the lists why there is nothing yet, in the status line what happens, and what failed."""

    def __init__(self, screen: Screen[None], services: AppServices, frame: ViewFrame, line: StatusLine) -> None:
        self._screen = screen
        self._services = services
        self._frame = frame
        self._line = line
        self._has_index = False
        self._is_absent = False
        """Whether there was no index at the last look."""
        self._unreadable = ""
        """The reason why the index cannot be opened, as it was last reported."""
        self._machines: object = None
        """The state of the list of machines when it was last read."""

    def follow_machines(self) -> None:
        """Show which machines do not answer, now and then regularly. Costs the `stat` of a file if none is declared."""
        data_dir = self._services.index.data_dir
        if DataDir(data_dir).machine_list.exists():
            from memtui_core.index.machines import machines_stamp, seen_machines

            stamp = machines_stamp(data_dir)
            if stamp != self._machines:
                self._machines = stamp
                self._services.index.jobs.run(lambda: seen_machines(data_dir), self._show_machines, queue="machines")
        elif self._machines is not None:
            self._machines = None
            self._show_machines(())
        call_after(self._screen, _MACHINES_EVERY, self.follow_machines)

    def _show_machines(self, machines: Sequence[SeenMachine]) -> None:
        self._line.absent = tuple((one.name, one.seen_at) for one in machines if not one.is_reachable)

    def load(self, view: View) -> None:
        """Load the rows of a view that is shown now, or say why there are none."""
        if self._has_index:
            view.reload()
        else:
            view.empty_text = self._no_index_text()

    @handles(messages.IndexChanged)
    def index_changed(self, message: messages.IndexChanged) -> None:
        """Show the size of the index, and the list of the chosen view."""
        if not self._has_index:
            self._has_index = True
            for view in self._frame.views.values():
                view.empty_text = ""
        self._line.stats = message.stats
        self._frame.chosen_view.reload()

    @handles(messages.IndexAbsent)
    def index_absent(self) -> None:
        """Say that the first sessions are read."""
        self._is_absent, self._unreadable = True, ""
        for view in self._frame.views.values():
            view.index_begins()
        self._frame.chosen_view.empty_text = self._no_index_text()

    @handles(messages.IndexUnreadable)
    def index_unreadable(self, message: messages.IndexUnreadable) -> None:
        """Report each reason once, not at every check."""
        if message.text != self._unreadable:
            self._unreadable = message.text
            self._report(message.text)
        if not self._has_index:
            self._frame.chosen_view.empty_text = self._no_index_text()

    def indexer_stopped(self, text: str) -> None:
        """Report why the indexer has stopped; an empty text means that it runs again."""
        self._line.stopped = text
        if not text:
            return
        if self._has_index:
            text = f"{text}\n\n{_STARTS_AGAIN}"
            self._screen.notify(text, title="Indexing has stopped", severity="error", timeout=20, markup=False)
        else:
            self._frame.chosen_view.empty_text = self._no_index_text()

    @handles(messages.Progressed)
    def progressed(self, message: messages.Progressed) -> None:
        """Show how far the indexer is."""
        self._line.progress = message.progress

    @handles(messages.VectorsReported)
    def vectors_reported(self, message: messages.VectorsReported) -> None:
        """Show what answers searches by meaning."""
        self._line.vectors = message.report

    @handles(messages.JobFailed)
    def job_failed(self, message: messages.JobFailed) -> None:
        """Report what has failed."""
        self._report(message.text)

    def _report(self, text: str) -> None:
        self._screen.notify(text, severity="error", timeout=8, markup=False)

    def action_refresh_index(self) -> None:
        """Look for a newer snapshot now, and start the indexer again if it has stopped."""
        self._unreadable = ""
        self._screen.post_message(IndexerRequested())
        self._services.index.refresh(force=True)

    def _no_index_text(self) -> str:
        """Why there is nothing to show yet."""
        if self._line.stopped:
            return f"Indexing has stopped.\n\n{self._line.stopped}\n\n{_STARTS_AGAIN}"
        if self._unreadable:
            return f"{self._unreadable}\n\nR tries again."
        if not self._is_absent:
            return OPENING
        progress = self._line.progress
        if progress is not None and progress.finished:
            return no_sessions_text(self._services.index.data_dir, self._services.sources_text(), None)
        return reading_text(progress)
