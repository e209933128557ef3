"""What every screen on the index needs: the index itself, kept fresh, and workers that answer by messages."""

from __future__ import annotations

from pathlib import Path

from textual import on
from textual.reactive import var
from textual.screen import Screen

from memtui import messages, requests
from memtui.services.index_service import IndexService
from memtui.services.job_queue import Job, Lane, told
from memtui.services.preload import IndexPreload
from memtui.timers import call_after
from memtui_core.model import Progress

POLL = 0.25
"""Seconds between two looks at whether there is a newer snapshot. A look is the `stat` of two files."""
IDLE_POLL = 1.0
"""The same once nothing has changed for a while: looking costs more than all else that an idle app does."""
_IDLE_AFTER = 40
"""Looks that found nothing new."""


class IndexScreen(Screen[None]):
    """Owns the way to the index: widgets ask by messages, workers answer by messages."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (128, "-wide")]  # noqa: RUF012

    progress: var[Progress | None] = var[Progress | None](None)
    """What the indexer last said."""
    stopped: var[str] = var("")
    """Why there is no indexer any more; empty while there is one, or none was wanted."""

    def __init__(self, data_dir: Path, opening: IndexPreload | None = None) -> None:
        super().__init__()
        self.data_dir = data_dir
        self.library = IndexService(data_dir, self.post_message, opening)
        self._lanes: dict[str, Lane] = {}
        self._seen: object = None
        self._looks = 0
        """How often nothing new was found in a row."""
        self._unreadable = ""

    def on_mount(self) -> None:
        """Paint first, then open the index."""
        self.call_after_refresh(self._look)

    def take_width(self) -> None:
        """Have the class of the width before there are widgets, which would all be styled a second time for it."""
        names = [name for least, name in self.HORIZONTAL_BREAKPOINTS if self.app.size.width >= least]
        self.add_class(names[-1], update=False)

    def run_job(self, job: Job) -> None:
        """Run a job in a thread, beside others."""
        self.run_worker(told(self.post_message, job, self.data_dir), thread=True, exit_on_error=False)

    def run_newest(self, lane: str, job: Job) -> None:
        """Run a job in a thread; while one of the same lane runs, only the newest waits."""
        found = self._lanes.setdefault(lane, Lane())
        if found.put(told(self.post_message, job, self.data_dir)):
            self.run_worker(found.drain, thread=True, exit_on_error=False)

    def _look(self) -> None:
        self._looks += 1
        if (state := self.library.changed(self._seen)) is not None:
            self._seen, self._looks = state, 0
            self.run_newest("refresh", self.library.refresh)
        call_after(self, POLL if self._looks < _IDLE_AFTER else IDLE_POLL, self._look)

    def action_refresh_index(self) -> None:
        """Look for a newer index now, and have it made again if that has stopped."""
        self._unreadable = ""
        self.post_message(requests.IndexerRequested())
        self.run_newest("refresh", lambda: self.library.refresh(force=True))

    @on(messages.Progressed)
    def _progressed(self, message: messages.Progressed) -> None:
        self.progress = message.progress

    @on(messages.IndexerStopped)
    def _indexer_stopped(self, message: messages.IndexerStopped) -> None:
        self.stopped = message.text

    @on(messages.Failed)
    def _failed(self, message: messages.Failed) -> None:
        self.notify(message.text, severity="error", timeout=8, markup=False)

    @on(messages.IndexUnreadable)
    def _index_unreadable(self, message: messages.IndexUnreadable) -> None:
        """Say it once, not at every look."""
        if message.text != self._unreadable:
            self._unreadable = message.text
            self.notify(message.text, severity="error", timeout=8, markup=False)
