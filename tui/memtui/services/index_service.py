"""The index for the screen: opened, refreshed and queried in threads.

The core is imported in the first of these threads, because importing DuckDB would delay the first paint.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from textual.dom import DOMNode

from memtui.services import messages
from memtui.services.job_queue import JobRunner
from memtui.services.preload import IndexPreload
from memtui.system.logs import log_failure
from memtui_core.errors import IndexMissing, ModelUnavailable
from memtui_core.index.folder import DataDir, Presence, publication_state, read_progress
from memtui_core.system import locations
from memtui_core.system.failures import failure_text

if TYPE_CHECKING:
    from memtui_core.index.index import Index, Snapshot
    from memtui_core.index.vectors import VectorReport
    from memtui_team.search.joined import JoinedTeam

Result = TypeVar("Result")
_log = logging.getLogger(__name__)
MODEL_IDLE = 300.0
"""Seconds after the last question for which the model and the vectors are kept: a hundred megabytes or more."""


class IndexService:
    """Runs queries on the newest snapshot of a data folder; results arrive among the messages of `host`."""

    def __init__(
        self, data_dir: Path, host: DOMNode, preload: IndexPreload | None = None, vectors: str = "auto"
    ) -> None:
        self.data_dir = data_dir
        self._vectors = vectors
        """The setting `vectors`."""
        self.jobs = JobRunner(host, data_dir)
        self.folder = locations.current_folder()
        """The folder in which memtui was started; empty if it was deleted."""
        self._host = host
        self._presence = Presence(DataDir(data_dir))
        self._preload = preload
        self._index: Index | None = None
        self._opening = threading.Lock()
        self.uses_meaning = False
        """Whether the model and the vectors are loaded: without these a search by meaning takes a second."""
        self._model_used_at = 0.0
        """When the model was last asked for, in seconds of the monotonic clock."""
        self._failed_in = -1
        """The snapshot whose model could not be loaded: it is tried again with the next one, not with each key."""
        self._unavailable = ""
        """The reason why the model cannot be loaded, as it was last reported."""
        self._annotated: object = None
        """The state of the annotations when they were last reported."""
        self._vector_report: VectorReport | None = None
        """What answers searches by meaning, as it was last reported."""

    @property
    def snapshot(self) -> Snapshot | None:
        """The current snapshot; None while no index is open."""
        return self._index.snapshot if self._index is not None else None

    @property
    def has_team(self) -> bool:
        """Whether a team was joined."""
        return (self.data_dir / "team" / "team.json").is_file()

    def team_of(self, index: Index) -> JoinedTeam | None:
        """The team that was joined, whose sessions can then be read; None for none. Raises TeamError."""
        if not self.has_team:
            return None
        from memtui_team.search.joined import join

        return join(index)

    def close_team(self) -> None:
        """Close the connection to the team's server, if there is one."""
        if self._index is not None and self._index.guest is not None:
            self._index.guest.close()

    def query(self, queue: str, query: Callable[[Index], Result], on_result: Callable[[Result], object]) -> None:
        """Run a query in a thread and call `on_result` with its result; see `JobRunner.run` for queues and failures."""
        self.jobs.run(lambda: query(self._opened()), on_result, queue=queue)

    def query_stream(
        self, queue: str, query: Callable[[Index], Iterable[Result]], on_result: Callable[[Result], object]
    ) -> None:
        """Like `query`, with several results: `on_result` is called with each when it is available."""
        self.jobs.run_stream(lambda: query(self._opened()), on_result, queue=queue)

    def changed_state(self, before: object) -> object:
        """Return a value that identifies what was last published, or None if it is equal to `before`.

        Costs the `stat` of four files, so it may be called on the event loop.
        """
        self._presence.touch()
        state = publication_state(self.data_dir)
        return None if state == before else state

    def refresh(self, *, force: bool = False) -> None:
        """Open the index or its newest snapshot in a thread.

        Posts `Progressed`, then `IndexChanged` for a new snapshot or new annotations (with `force` always),
        `IndexAbsent` or `IndexUnreadable`, and `VectorsReported` if what answers searches by meaning has changed.
        """
        self.jobs.run(lambda: self._refresh(force), _ignore, queue="refresh")

    def use_model(self) -> None:
        """Load the model and the vectors of the current snapshot in a thread, and keep them for `MODEL_IDLE` seconds.

        Posts `ModelLoaded` when searches start to use vectors, or `ModelMissing` once for each reason.
        """
        self._model_used_at = time.monotonic()
        index = self._index
        if index is not None and index.vectors.needs_model and self._failed_in != index.snapshot.number:
            self.query("model", self._load_model, _ignore)

    def update_vectors(self) -> None:
        """Read the vectors of the current snapshot in a thread, if the model is loaded."""
        if self._index is not None and self._index.vectors.has_model:
            self.query("model", self._load_model, _ignore)

    def drop_idle_model(self, now: float) -> None:
        """Free the memory of the model, in a thread, if nobody asked since `MODEL_IDLE` seconds before `now`."""
        if self._index is not None and self._index.vectors.has_model and now - self._model_used_at >= MODEL_IDLE:
            self.uses_meaning = False
            self.query("model", lambda index: index.vectors.drop_model(), _ignore)

    def _refresh(self, force: bool) -> None:
        from memtui_core.index.index import Index

        self._host.post_message(messages.Progressed(read_progress(self.data_dir)))
        with self._opening:
            try:
                if self._index is None:
                    self._index = self._preloaded() or Index.open(self.data_dir)
                elif not (self._index.refresh() or self._is_annotated(self._index)) and not force:
                    self._report_vectors(self._index)
                    return
                self._annotated = self._index.annotations.stamp
            except IndexMissing:
                self._host.post_message(messages.IndexAbsent())
                return
            except Exception as error:
                text = failure_text(error, self.data_dir)
                log_failure(_log, error, text)
                self._host.post_message(messages.IndexUnreadable(text))
                return
        self._host.post_message(messages.IndexChanged(self._index.statistics.of_index()))
        self._report_vectors(self._index)

    def _is_annotated(self, index: Index) -> bool:
        """Whether anybody has annotated sessions since the last look."""
        return index.annotations.stamp != self._annotated

    def _report_vectors(self, index: Index) -> None:
        report = index.vectors.report(self._vectors)
        if report != self._vector_report:
            self._vector_report = report
            self._host.post_message(messages.VectorsReported(report))

    def _load_model(self, index: Index) -> None:
        try:
            loaded = index.vectors.load_model()
        except ModelUnavailable as error:
            self._failed_in = index.snapshot.number
            if str(error) != self._unavailable:
                self._unavailable = str(error)
                self._host.post_message(messages.ModelMissing(self._unavailable))
            return
        if not loaded:
            return
        index.vectors.cache(self._vectors)
        if not self.uses_meaning:
            self.uses_meaning = True
            self._host.post_message(messages.ModelLoaded())

    def _preloaded(self) -> Index | None:
        """The index that was opened while the app was imported; None after the first call."""
        preload, self._preload = self._preload, None
        return preload.index() if preload is not None else None

    @property
    def opened(self) -> Index:
        """The index, for what runs in a thread of its own. Raises IndexMissing if it is not open yet."""
        return self._opened()

    def _opened(self) -> Index:
        if self._index is None:
            raise IndexMissing("The index is not ready yet.")
        return self._index


def _ignore(_: object) -> None:
    """For jobs that post their own messages."""
