"""The index for the screen: opened, kept fresh and queried in threads.

The core is imported late, in the first of these threads: DuckDB would hold up the first paint.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from textual.dom import DOMNode

from memtui import messages
from memtui.logs import log_failure
from memtui.services.job_queue import JobRunner
from memtui.services.preload import IndexPreload
from memtui_core.errors import IndexMissing, ModelUnavailable
from memtui_core.store.files import DataDir
from memtui_core.store.presence import Presence
from memtui_core.store.progress import publication_state, read_progress
from memtui_core.system import locations
from memtui_core.system.failures import failure_text

if TYPE_CHECKING:
    from memtui_core.index import Index
    from memtui_core.store.reader import Snapshot

Result = TypeVar("Result")
_log = logging.getLogger(__name__)


class IndexService:
    """Runs queries on the newest snapshot of a data folder; answers arrive among the messages of `host`."""

    def __init__(self, data_dir: Path, host: DOMNode, preload: IndexPreload | None = None) -> None:
        self.data_dir = data_dir
        self.jobs = JobRunner(host, data_dir)
        self.folder = locations.current_folder()
        """The folder that memtui was started in; empty when it was deleted."""
        self._host = host
        self._presence = Presence(DataDir(data_dir))
        self._preload = preload
        self._index: Index | None = None
        self._opening = threading.Lock()
        self._unavailable = ""
        """Why the model cannot be loaded, once that was reported."""

    @property
    def snapshot(self) -> Snapshot | None:
        """The snapshot that answers now; None before there is an index."""
        return self._index.snapshot if self._index is not None else None

    def query(self, queue: str, query: Callable[[Index], Result], answer: Callable[[Result], object]) -> None:
        """Run a query in a thread and call `answer` with its result; see `JobRunner.run` for queues and failures."""
        self.jobs.run(lambda: query(self._opened()), answer, queue=queue)

    def changed_state(self, before: object) -> object:
        """A value that tells one published state from another; None when it is equal to `before`.

        It costs the `stat` of two files: cheap enough for the event loop.
        """
        self._presence.touch()
        state = publication_state(self.data_dir)
        return None if state == before else state

    def refresh(self, *, force: bool = False) -> None:
        """Open the index or take its newest snapshot, in a thread, and post what came of it.

        Posts `Progressed`, then `IndexChanged` for a new snapshot (for the same one too with `force`), `IndexAbsent`
        or `IndexUnreadable`.
        """
        self.jobs.run(lambda: self._refresh(force), _ignore, queue="refresh")

    def load_model(self) -> None:
        """Load what searches by meaning need, and the vectors of a newer snapshot, in a thread.

        Posts `ModelLoaded` once it works, or `ModelMissing` once for each reason.
        """
        self.query("model", self._load_model, _ignore)

    def _refresh(self, force: bool) -> None:
        from memtui_core.index import Index

        self._host.post_message(messages.Progressed(read_progress(self.data_dir)))
        with self._opening:
            try:
                if self._index is None:
                    self._index = self._preloaded() or Index.open(self.data_dir)
                elif not self._index.refresh() and not force:
                    return
            except IndexMissing:
                self._host.post_message(messages.IndexAbsent())
                return
            except Exception as error:
                text = failure_text(error, self.data_dir)
                log_failure(_log, error, text)
                self._host.post_message(messages.IndexUnreadable(text))
                return
        self._host.post_message(messages.IndexChanged(self._index.stats()))

    def _load_model(self, index: Index) -> None:
        before = index.by_meaning
        try:
            loaded = index.load_model()
        except ModelUnavailable as error:
            if str(error) != self._unavailable:
                self._unavailable = str(error)
                self._host.post_message(messages.ModelMissing(self._unavailable))
            return
        if loaded:
            index.hold_vectors()
        if index.by_meaning and not before:
            self._host.post_message(messages.ModelLoaded())

    def _preloaded(self) -> Index | None:
        """The index that was opened at the start of the program, once."""
        preload, self._preload = self._preload, None
        return preload.index() if preload is not None else None

    def _opened(self) -> Index:
        if self._index is None:
            raise IndexMissing("The index is not ready yet.")
        return self._index


def _ignore(_: object) -> None:
    """For jobs that post their own messages."""
