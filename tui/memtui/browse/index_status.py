"""What the main screen says about the index."""

from __future__ import annotations

from textual.screen import Screen

from memtui.browse.frame import ViewFrame
from memtui.requests import IndexerRequested
from memtui.services.app_services import AppServices
from memtui.startup_text import no_sessions_text, reading_text
from memtui.views.base import View
from memtui.widgets.status_line import StatusLine
from memtui_core.model import Progress, Stats


class IndexStatus:
    """Says in the place of the lists why there is nothing yet, in the status line what happens, and what failed."""

    def __init__(self, screen: Screen[None], services: AppServices, frame: ViewFrame, line: StatusLine) -> None:
        self._screen = screen
        self._services = services
        self._frame = frame
        self._line = line
        self._has_index = False
        self._unreadable = ""
        """The reason why the index cannot be opened, as it was last reported."""

    def load(self, view: View) -> None:
        """Load the rows of a view that is shown now, or say why there are none."""
        if self._has_index:
            view.reload()
        elif not view.is_empty:
            view.empty_text = self._line.stopped or self._startup_text()

    def index_changed(self, stats: Stats) -> None:
        """Show the size of the index, and the list of the chosen view."""
        if not self._has_index:
            self._has_index = True
            for view in self._frame.views.values():
                view.empty_text = ""
        self._line.stats = stats
        self._frame.chosen_view.reload()

    def index_absent(self) -> None:
        """Say that the first sessions are read."""
        for view in self._frame.views.values():
            view.index_begins()
        if not self._line.stopped:
            self._frame.chosen_view.empty_text = self._startup_text()

    def index_unreadable(self, text: str) -> None:
        """Report each reason once, not at every check."""
        if text != self._unreadable:
            self._unreadable = text
            self.failed(text)
        if not self._has_index:
            self._frame.chosen_view.empty_text = f"{text}\n\nR tries again."

    def indexer_stopped(self, text: str) -> None:
        """Report why the indexer has stopped; an empty text means that it runs again."""
        self._line.stopped = text
        if not text:
            return
        text = f"{text}\n\nR starts it again."
        if self._has_index:
            self._screen.notify(text, title="Indexing has stopped", severity="error", timeout=20, markup=False)
        else:
            self._frame.chosen_view.empty_text = f"Indexing has stopped.\n\n{text}"

    def progressed(self, progress: Progress | None) -> None:
        """Show how far the indexer is."""
        self._line.progress = progress

    def failed(self, text: str) -> None:
        """Report what has failed."""
        self._screen.notify(text, severity="error", timeout=8, markup=False)

    def refresh(self) -> None:
        """Look for a newer snapshot now, and start the indexer again if it has stopped."""
        self._unreadable = ""
        self._screen.post_message(IndexerRequested())
        self._services.index.refresh(force=True)

    def _startup_text(self) -> str:
        progress = self._line.progress
        if progress is not None and progress.finished:
            return no_sessions_text(self._services.index.data_dir, self._services.sources_text, None)
        return reading_text(progress)
