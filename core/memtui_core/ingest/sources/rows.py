"""Where the rows of a transcript go, and the rows of sources: the state of every path that was scanned."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol

from memtui_core.ingest.discover import NO_FILE, KnownSource, Plan
from memtui_core.ingest.sources.entries import EntryKey
from memtui_core.ingest.turns.sessions import SessionRow, SessionTable
from memtui_core.model import Block
from memtui_core.readers.base import START, Cursor, Identity
from memtui_core.store.tables import COLUMNS, key_condition
from memtui_core.tools.mentions import Mention

if TYPE_CHECKING:
    from memtui_core.ingest.sources.batch import Batch
    from memtui_core.store.work.database import WorkDatabase


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

    def is_forgotten(self, agent: str, identity: Identity) -> bool:
        """Whether the user has forgotten a session, or the one that started it."""

    def fork(self, session: SessionRow, origin: int, until: datetime | None) -> None:
        """Record that the first entries of a session belong to another one, `origin`, up to a time.

        `origin` is the key of the other session, as `ForeignEntries.origin` has it; it may be the session itself.
        """

    def end_fork(self, session: SessionRow) -> None:
        """Record that the entries of a session belong to no other one."""

    def flush_large(self) -> None:
        """Write rows now if too many are in memory."""


UNREAD: Final = -1
"""The modification time in the row of a source that must be read again, although its transcript has not changed."""
UNREAD_STATE: Final = {"mtime": UNREAD, "cursor_offset": 0, "cursor_line": 0, "head_hash": "", "head_size": 0}
"""What such a row has, so that it is read from the start."""


def put_source(
    sink: RowSink,
    number: int,
    name: str,
    agent: str,
    state: str,
    *,
    size: int,
    mtime: int,
    session: int | None = None,
    cursor: Cursor = START,
    lines: int = 0,
    error: str | None = None,
) -> None:
    """Add the row of a source. `SourceRow` lists the states."""
    sink.put(
        "sources", number, name, agent, state, session, size, mtime, cursor.position, cursor.line, lines,
        cursor.digest, cursor.digested, error, time.time_ns() // 1000, None,
    )  # fmt: skip


def mark_unread(work: WorkDatabase, sources: Collection[int]) -> None:
    """Mark sources as not read, so that they are read again from the start even if ingesting is cancelled now."""
    rows = work.rows("sources", key_condition("id", sources), [])
    work.drop("sources", sources)
    work.put(
        "sources", [tuple((dict(zip(COLUMNS["sources"], row, strict=True)) | UNREAD_STATE).values()) for row in rows]
    )


def put_unread(batch: Batch, plan: Plan) -> None:
    """Store the state of those paths of a plan that are not read."""
    batch.begin(own_transaction=True)
    for other, known in plan.others:
        file = other.file
        reason = f"not a transcript: {file.path.suffix or 'no suffix'}"
        number = _replaced(batch, known)
        put_source(
            batch, number, str(file.path), other.agent, "ignored", size=file.size, mtime=file.mtime, error=reason
        )
    batch.work.drop("sources", plan.cleared)
    for blocked, known in plan.blocked:
        obstacle, number = blocked.obstacle, _replaced(batch, known)
        session = known.session if known else None
        put_source(
            batch, number, str(obstacle.path), blocked.agent, "error", size=NO_FILE, mtime=0, session=session,
            error=obstacle.reason,
        )  # fmt: skip
    for sources, gone_at in ((plan.gone, time.time_ns() // 1000), (plan.back, None)):
        rows = batch.work.rows("sources", key_condition("id", sources), [])
        batch.work.drop("sources", [row[0] for row in rows])
        for row in rows:
            batch.put("sources", *row[:-1], gone_at)
    batch.finish()


def _replaced(batch: Batch, known: KnownSource | None) -> int:
    """Delete the row of a source, if it has one, and return the id for the new row."""
    batch.work.drop("sources", [known.id] if known else [])
    return known.id if known else batch.next_id("sources")
