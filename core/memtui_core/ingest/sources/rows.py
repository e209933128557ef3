"""The rows of the table of sources: the state of every path that was scanned."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from memtui_core.ingest.discover import NO_FILE, KnownSource, Plan
from memtui_core.ingest.sources.row_sink import RowSink
from memtui_core.readers.base import START, Cursor
from memtui_core.store.tables import COLUMNS, key_condition

if TYPE_CHECKING:
    from memtui_core.ingest.sources.batch import Batch
    from memtui_core.store.work.database import WorkDatabase


UNREAD: Final = -1
"""The modification time in the row of a source that must be read again, although its transcript has not changed."""


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
    unread = {"mtime": UNREAD, "cursor_offset": 0, "cursor_line": 0, "head_hash": "", "head_size": 0}
    rows = work.rows("sources", key_condition("id", sources), [])
    work.drop("sources", sources)
    work.put("sources", [tuple((dict(zip(COLUMNS["sources"], row, strict=True)) | unread).values()) for row in rows])


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
