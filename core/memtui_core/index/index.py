"""The index of a data folder: its newest snapshot, and a part for each kind of question."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memtui_core.errors import SqlFailed
from memtui_core.index.vectors import Vectors
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import Presence
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Allowed, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memtui_core.index.annotations import SessionAnnotations
    from memtui_core.index.compactions import Compactions
    from memtui_core.index.files import Files
    from memtui_core.index.handoffs import Handoffs
    from memtui_core.index.pull_requests import PullRequests
    from memtui_core.index.recall import Recall
    from memtui_core.index.search import Search
    from memtui_core.index.sessions import Sessions
    from memtui_core.index.statistics import IndexStatistics
    from memtui_core.store.snapshot.sql_views import SqlRows

__all__ = ["Allowed", "Guest", "Index", "Snapshot"]


class Guest(Protocol):
    """Sessions of another store, such as those of colleagues; their keys are negative."""

    def snapshot_of(self, session: int) -> Snapshot:
        """A snapshot that has all of a session. Raises MemtuiError if it cannot be read."""

    def find(self, session_id: str) -> int | None:
        """The key of the only session whose id is this, or begins so; None if there is none. Raises MemtuiError."""

    def close(self) -> None:
        """Close what it has opened."""


class Index:
    """A read-only index, for searches and lists. Any thread may call it, and no call waits for the indexer.

    All calls read the same snapshot until `refresh` opens a newer one; a query that is running finishes on the old one.
    Sessions are named by `Session.key`, turns by their number in the session, from 1. Each part is imported when it is
    first used, so that a command loads only what it needs.
    """

    def __init__(self, data: DataDir, allowed: Allowed | None = None) -> None:
        self.data = data
        """The data folder."""
        self._allowed = allowed
        self._presence = Presence(data)
        self._presence.touch()
        self.snapshot = Snapshot(data, allowed=allowed)
        """The current snapshot, for queries that join it with other sources."""
        self.vectors = Vectors(self)
        """The model and the vectors with which searches use meaning."""
        self.guest: Guest | None = None
        """Another store whose sessions can be read, too."""

    @classmethod
    def open(cls, data_dir: Path, allowed: Allowed | None = None) -> Index:
        """Open the index of a data folder. Raises IndexMissing, IndexBroken or IndexTooNew.

        `allowed` tells the roots of the only projects that can be read, whenever a snapshot is opened.
        """
        return cls(DataDir(data_dir), allowed)

    def refresh(self) -> bool:
        """Open the newest snapshot; False if it is the current one.

        Raises the errors of `open`, and keeps the current snapshot then.
        """
        self._presence.touch()
        manifest = read_manifest(self.data)
        if manifest is not None and manifest.batch == self.snapshot.number:
            return False
        snapshot = Snapshot(self.data, allowed=self._allowed)
        if "search" in self.__dict__:
            # Whoever only reads lists needs no keyword index.
            from memtui_core.index.search import paired

            snapshot = paired(snapshot, self._allowed)
        self.snapshot = snapshot
        return True

    def snapshot_of(self, session: int) -> Snapshot:
        """The snapshot that has a session: the current one, or what the guest has of its own. Raises MemtuiError."""
        if session < 0 and self.guest is not None:
            return self.guest.snapshot_of(session)
        return self.snapshot

    def sql(
        self, statement: str, seconds: float | None = None, on_stuck: Callable[[], object] | None = None
    ) -> SqlRows:
        """The rows of one statement that reads, over views of the newest snapshot: `schema_lines` lists them.

        Raises SqlFailed if it is wrong, takes longer than `seconds` or needs too much memory, and for an index that
        shows only some projects. `on_stuck` is called by another thread if it cannot be interrupted.
        """
        first, *others = self.sql_parts(statement, seconds, on_stuck)
        for part in others:
            first.rows.extend(part.rows)
        return first

    def sql_parts(
        self, statement: str, seconds: float | None = None, on_stuck: Callable[[], object] | None = None
    ) -> Iterator[SqlRows]:
        """As `sql`, in parts that are made when they are asked for, of which there is at least one."""
        from memtui_core.store.snapshot.sql_views import sql_parts

        if self._allowed is not None:
            raise SqlFailed("An index of some projects only cannot be asked by SQL.")
        return sql_parts(self.data, statement, seconds, on_stuck)

    def close(self) -> None:
        """Close the files, and the connection of the guest. The index cannot be used again."""
        if self.guest is not None:
            self.guest.close()
        self.snapshot.close()
        self.vectors.close()

    @cached_property
    def sessions(self) -> Sessions:
        """Projects, sessions and their turns."""
        from memtui_core.index.sessions import Sessions

        return Sessions(self)

    @cached_property
    def annotations(self) -> SessionAnnotations:
        """What the user has added to sessions and turns: pins, titles, tags, notes and archives."""
        from memtui_core.index.annotations import SessionAnnotations

        return SessionAnnotations(self)

    @cached_property
    def files(self) -> Files:
        """The files that sessions touched, and their history."""
        from memtui_core.index.files import Files

        return Files(self)

    @cached_property
    def compactions(self) -> Compactions:
        """Compactions, and reviews of their summaries."""
        from memtui_core.index.compactions import Compactions

        return Compactions(self)

    @cached_property
    def pull_requests(self) -> PullRequests:
        """Pull requests and the sessions that worked on them."""
        from memtui_core.index.pull_requests import PullRequests

        return PullRequests(self)

    @cached_property
    def search(self) -> Search:
        """The search for turns."""
        from memtui_core.index.search import Search

        return Search(self)

    @cached_property
    def recall(self) -> Recall:
        """Earlier turns for an agent's prompt or file."""
        from memtui_core.index.recall import Recall

        return Recall(self)

    @cached_property
    def handoffs(self) -> Handoffs:
        """Sessions and histories of files as texts from which another agent goes on."""
        from memtui_core.index.handoffs import Handoffs

        return Handoffs(self)

    @cached_property
    def statistics(self) -> IndexStatistics:
        """Counts: of the work over days, and of the index itself."""
        from memtui_core.index.statistics import IndexStatistics

        return IndexStatistics(self)
