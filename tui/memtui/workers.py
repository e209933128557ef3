"""The only place that calls the core from threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
from textual.message import Message

from memtui import messages
from memtui_core.errors import IndexMissing, MemtuiError
from memtui_core.index import Index
from memtui_core.model import Project
from memtui_core.progress import read_progress

FIRST_BLOCKS = 20
"""Turns round the one to show whose blocks come with the session, so that its first screen needs no second answer."""
SEARCH_LIMIT = 100

Post = Callable[[Message], object]


class Library:
    """Answers the screen's questions from the index; every method may block and belongs in a thread.

    Answers go out by `post`, which may be called from any thread.
    """

    def __init__(self, data_dir: Path, post: Post) -> None:
        self._data_dir = data_dir
        self._post = post
        self._index: Index | None = None
        self._opening = threading.Lock()

    def refresh(self, force: bool = False) -> None:
        """Take the newest snapshot, if there is one."""
        self._post(messages.Progressed(read_progress(self._data_dir)))
        with self._opening:
            try:
                if self._index is None:
                    self._index = Index.open(self._data_dir)
                elif not self._index.refresh() and not force:
                    return
            except IndexMissing:
                self._post(messages.IndexAbsent())
                return
        self._post(messages.IndexChanged(self._index.projects(), self._index.stats()))

    def sessions(self, project: Project) -> None:
        """The sessions of a project."""
        index = self._opened()
        self._post(messages.SessionsLoaded(project, index.sessions(project)))

    def children(self, session: int) -> None:
        """The subagents and compactions of a session."""
        index = self._opened()
        self._post(messages.ChildrenLoaded(session, index.children(session), index.compactions(session)))

    def open(self, session: int, at: int | None, words: Sequence[str]) -> None:
        """A session with the blocks of its first screen."""
        index = self._opened()
        turns = index.turns(session)
        first = at or 1
        blocks = index.blocks(session, first - 2, first + FIRST_BLOCKS) if turns else {}
        self._post(messages.SessionLoaded(index.session(session), turns, at, tuple(words), blocks))

    def grow(self, session: int) -> None:
        """The newest heads of the session that is shown."""
        index = self._opened()
        self._post(messages.SessionGrown(index.session(session), index.turns(session)))

    def blocks(self, session: int, first: int, last: int) -> None:
        """Blocks of a range of turns."""
        self._post(messages.BlocksLoaded(session, self._opened().blocks(session, first, last)))

    def turn(self, session: int, number: int) -> None:
        """One turn in full."""
        index = self._opened()
        found = index.whole_turn(session, number)
        if found is not None:
            self._post(messages.TurnLoaded(index.session(session), found, index.touches(session, number)))

    def search(self, text: str) -> None:
        """The hits of a query."""
        self._post(messages.SearchDone(self._opened().search(text, SEARCH_LIMIT, live=True)))

    def _opened(self) -> Index:
        if self._index is None:
            raise IndexMissing("The index is not ready yet.")
        return self._index


class Newest:
    """Runs one job at a time; of those that come meanwhile only the newest waits. For live search."""

    def __init__(self, run: Callable[[str], None]) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._waiting: str | None = None
        self._busy = False

    def put(self, job: str) -> bool:
        """Leave a job; True when the caller must start `drain` in a thread."""
        with self._lock:
            self._waiting = job
            started, self._busy = not self._busy, True
            return started

    def drain(self) -> None:
        """Run until nothing waits."""
        while True:
            with self._lock:
                job, self._waiting = self._waiting, None
                if job is None:
                    self._busy = False
                    return
            self._run(job)


def told(post: Post, job: Callable[[], None]) -> Callable[[], None]:
    """A job whose failure is told to the person instead of ending the app."""

    def run() -> None:
        try:
            job()
        except duckdb.InterruptException:
            return
        except (MemtuiError, duckdb.Error, OSError) as error:
            post(messages.Failed(str(error).splitlines()[0]))

    return run
