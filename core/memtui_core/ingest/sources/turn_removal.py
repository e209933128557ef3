"""Remove the turns of a source before they are read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

_TURN_TABLES = ("turns", "blocks", "file_mentions", "agent_calls", "chunks")
_SOURCE_TABLES = ("bad_lines", "unknown_entries", "compactions", "reviews", "review_items", "titles")


def remove_turns(work: WorkDatabase, source: int, from_line: int) -> set[int]:
    """Remove the turns of a source from a line on, with everything that refers to them.

    Return the keys of the sessions of these turns.
    """
    rows = work.connection.execute("SELECT id, session FROM turns WHERE source = ? AND line >= ?", [source, from_line])
    removed = rows.fetchall()
    turns = [turn for turn, _ in removed]
    if turns:
        work.connection.execute("INSERT INTO dropped_turns SELECT unnest(?::INTEGER[]), ?", [turns, work.batch])
    for table in _TURN_TABLES:
        work.drop(table, turns)
    # Most sources have no rows in any of these: one query tells, instead of two for each.
    tables = [table for table in _SOURCE_TABLES if work.may_have(table)]
    counts = ", ".join(f"(SELECT count(*) FROM {table} WHERE source = $1)" for table in tables)
    [present] = work.connection.execute(f"SELECT {counts}", [source]).fetchall() if tables else [()]
    for table, count in zip(tables, present, strict=True):
        if count and table != "titles":
            work.keep_only(table, source, "line < ?", [from_line])
        elif count and from_line == 0:
            work.keep_only(table, source, "FALSE", [])
    return {session for _, session in removed}
