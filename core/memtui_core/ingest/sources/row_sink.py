"""Where the rows of a transcript go: into the batch of the indexer, or into a prepared transcript."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Protocol

from memtui_core.ingest.sources.entry_keys import EntryKey
from memtui_core.ingest.turns.sessions import SessionRow, SessionTable
from memtui_core.model import Block
from memtui_core.tools.mentions import Mention


class KnownFiles(Protocol):
    """The files of each project that cannot be recognized by their names."""

    def of(self, root: str) -> Collection[str]:
        """The known files of a project, relative to its root."""

    def learn(self, root: str, mentions: Sequence[Mention], blocks: Sequence[Block]) -> None:
        """Add the files that a turn has read or written, given its mentions and blocks."""

    def add_possible(self, turn: int, words: str) -> None:
        """Record the words of a turn that may name files that become known later, see `PossibleFiles`."""


class RowSink(Protocol):
    """Collects the rows of transcripts and gives ids to them."""

    characters: int
    """The characters of text that are collected."""

    @property
    def number(self) -> int:
        """The number of the batch to which the rows belong."""

    @property
    def sessions(self) -> SessionTable:
        """The sessions to which turns can be added."""

    @property
    def project_files(self) -> KnownFiles:
        """The files that are known so far."""

    def next_id(self, table: str) -> int:
        """The next unused id of a turn or source."""

    def put(self, table: str, *row: Any) -> None:
        """Add a row of a table."""

    def drop(self, table: str, key: int) -> None:
        """Delete the stored rows of a key, before the new rows are added."""

    def drop_existing(self, table: str, key: int) -> None:
        """Delete the stored rows of a key if there are any, before the new rows are added."""

    def add_entry(self, key: EntryKey, source: int, session: int) -> None:
        """Record the owner of an entry."""

    def fork(self, session: SessionRow, origin: int, until: datetime | None) -> None:
        """Record that the first entries of a session belong to another one, `origin`, up to a time.

        `origin` is the key of the other session, as `ForeignEntries.origin` has it; it may be the session itself.
        """

    def end_fork(self, session: SessionRow) -> None:
        """Record that the entries of a session belong to no other one."""

    def flush_large(self) -> None:
        """Write rows now if too many are in memory."""
