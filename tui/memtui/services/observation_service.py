"""Observations for the screen: listed and changed in threads.

The core is imported late, as in `index_service`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.services.index_service import IndexService
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from memtui_core.index.observations import (
        Observation,
        ObservationOrigin,
        Observations,
        SessionSummary,
        Timeline,
        TimelinePage,
        TimelineQuery,
        TimelineSession,
    )

_BY_HAND = "memtui"
"""The tool of an observation that the user writes, and its session if it belongs to none."""


class ObservationService:
    """The observations of a data folder, with the sessions of its index."""

    def __init__(self, data_dir: Path, index: IndexService) -> None:
        self._data_dir = data_dir
        self._index = index
        self._lock = threading.Lock()
        self._observations: Observations | None = None
        self._timeline: Timeline | None = None
        self._newest_query: TimelineQuery | None = None

    def changed_state(self, before: object) -> object:
        """Return a value that identifies the state of the observation log, or None if it is equal to `before`."""
        from memtui_core.index.observations import log_version

        state = log_version(self._data_dir)
        return None if state == before else state

    def list(self, query: TimelineQuery, show: Callable[[TimelinePage], object]) -> None:
        """List sessions and observations: call `show` with the page, and again while outcomes of many are read.

        Another query ends this.
        """
        self._newest_query = query

        def pages() -> Iterator[TimelinePage]:
            return self._opened_timeline().pages(self._index.snapshot, query, lambda: self._newest_query != query)

        self._index.jobs.run_stream(pages, show, queue="timeline of sessions")

    def origin(self, observation: Observation, show: Callable[[ObservationOrigin], object]) -> None:
        """Find the turn in which an observation was saved, and call `show` with it."""

        def job() -> ObservationOrigin:
            from memtui_core.index.observations import origin_of

            return origin_of(self._index.snapshot, observation)

        self._index.jobs.run(job, show, queue="origin")

    def summary(self, session: TimelineSession, show: Callable[[SessionSummary | None], object]) -> None:
        """Make the summary of a session, and call `show` with it; with None if there is no transcript with text."""
        indexed = session.session
        decisions = [item.content.title for item in session.observations if item.content.type == "decision"]

        def job() -> SessionSummary | None:
            from memtui_core.index.observations import summary_of

            snapshot = self._index.snapshot
            if snapshot is None or indexed is None:
                return None
            return summary_of(snapshot, indexed.key, indexed.session_id, decisions)

        self._index.jobs.run(job, show, queue="summary")

    def save(self, session_id: str, root: str, fields: Mapping[str, Any]) -> Observation:
        """Save an observation of a session, or of none if `session_id` is empty. Blocks; raises MemtuiError."""
        from memtui_core.index.observations import project_root

        root = root or project_root(self._index.snapshot, self._index.folder)
        return self._opened().save(session_id or _BY_HAND, root, tool_name=_BY_HAND, **fields)

    def edit(self, observation: Observation, fields: Mapping[str, Any]) -> Observation:
        """Save a new revision of an observation. Blocks; raises MemtuiError."""
        return self._opened().edit(observation.id, **fields)

    def forget(self, observation: Observation, done: Callable[[Observation], object]) -> None:
        """Forget an observation, which can be restored, and call `done` with it."""
        self._index.jobs.run(lambda: self._opened().forget(observation.id), done)

    def restore(self, observation: Observation | None, root: str | None, done: Callable[[Observation], object]) -> None:
        """Restore an observation and call `done` with it.

        None restores the observation that was forgotten last, in the project `root` or in all projects.
        """
        self._index.jobs.run(lambda: self._restore(observation, root), done)

    def _restore(self, observation: Observation | None, root: str | None) -> Observation:
        from memtui_core.index.observations import forgotten_at

        if observation is None:
            forgotten = self._opened().select(root=root, forgotten=True)
            observation = max(forgotten, key=forgotten_at, default=None)
        if observation is None:
            raise MemtuiError("No observation was forgotten.")
        return self._opened().restore(observation.id)

    def _opened(self) -> Observations:
        from memtui_core.index.observations import Observations

        with self._lock:
            if self._observations is None:
                self._observations = Observations(self._data_dir)
            return self._observations

    def _opened_timeline(self) -> Timeline:
        from memtui_core.index.observations import Timeline

        observations = self._opened()
        with self._lock:
            if self._timeline is None:
                self._timeline = Timeline(observations, self._index.folder)
            return self._timeline
