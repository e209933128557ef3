"""The rows of a conversation in the database of Warp.

Learned from the code of the terminal: warpdotdev/warp, `crates/persistence/src/model.rs` (034522c) and the module that
serializes the input of the user, `app/src/ai/blocklist/persistence.rs`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.base import Transcript, is_part
from memtui_core.readers.conversion.json_values import items, mapping, nanoseconds, string, timestamp
from memtui_core.readers.formats.jsonl import Entry, decode
from memtui_core.readers.formats.sqlite import bytes_of, columns_of

_CONVERSATIONS: Final = "agent_conversations"
_TASKS: Final = "agent_tasks"
_QUERIES: Final = "ai_queries"
_CHANGES: Final = {
    _CONVERSATIONS: "SELECT conversation_id, 0, last_modified_at FROM agent_conversations",
    _TASKS: "SELECT conversation_id, sum(length(task)), max(last_modified_at) FROM agent_tasks GROUP BY 1",
    _QUERIES: "SELECT conversation_id, count(*), max(start_ts) FROM ai_queries GROUP BY 1",
}
"""By table, the conversations with what their rows count and when they changed."""
_COLUMNS: Final = {
    _CONVERSATIONS: {"conversation_id", "conversation_data", "last_modified_at"},
    _TASKS: {"conversation_id", "task", "last_modified_at"},
    _QUERIES: {"conversation_id", "start_ts", "input"},
}


@dataclass(frozen=True, slots=True)
class Rows:
    """What the database has of a conversation."""

    about: Entry = field(default_factory=dict)
    tasks: list[bytes] = field(default_factory=list)
    queries: list[Entry] = field(default_factory=list)
    """The inputs of the user: {"at", "texts", "folder", "model"}. They are also in the tasks, which can be gone."""


def conversations_in(connection: sqlite3.Connection, agent: str, path: Path) -> Iterator[Transcript]:
    """The conversations of a database; what only the list of inputs has is one, too."""
    sizes: dict[str, int] = {}
    times: dict[str, int] = {}
    for table, sql in _CHANGES.items():
        if not _has(connection, table):
            continue
        for session, size, changed in connection.execute(sql):
            if is_part(session):
                sizes[session] = sizes.get(session, 0) + (size if isinstance(size, int) else 0)
                times[session] = max(times.get(session, 0), nanoseconds(timestamp(changed)))
    for session, size in sizes.items():
        yield Transcript(agent, path, size, times[session], session)


def rows_of(connection: sqlite3.Connection, session: str) -> Rows:
    """The rows of a conversation; none if it was deleted."""
    rows = Rows()
    if _has(connection, _CONVERSATIONS):
        sql = "SELECT conversation_data FROM agent_conversations WHERE conversation_id = ?"
        for (data,) in connection.execute(sql, [session]):
            rows.about.update(*_objects(data)[:1])
    if _has(connection, _TASKS):
        sql = "SELECT task FROM agent_tasks WHERE conversation_id = ? ORDER BY rowid"
        rows.tasks.extend(bytes_of(task) for (task,) in connection.execute(sql, [session]))
    if _has(connection, _QUERIES):
        known = columns_of(connection, _QUERIES)
        extra = ", ".join(name if name in known else "NULL" for name in ("working_directory", "model_id"))
        sql = f"SELECT start_ts, input, {extra} FROM ai_queries WHERE conversation_id = ? ORDER BY start_ts, rowid"
        for at, given, folder, model in connection.execute(sql, [session]):
            rows.queries.append({"at": at, "texts": _texts(given), "folder": folder, "model": model})
    return rows


def _has(connection: sqlite3.Connection, table: str) -> bool:
    return _COLUMNS[table] <= columns_of(connection, table)


def _texts(given: Any) -> list[str]:
    """The texts of an input, which is a list of queries."""
    found = []
    for wrapper in _objects(f'{{"list": {given}}}' if isinstance(given, str) else None):
        for query in map(mapping, items(wrapper.get("list"))):
            inner = mapping(query.get("Query")) or query
            if text := string(inner.get("text")) or string(inner.get("query")):
                found.append(text)
    return found


def _objects(value: Any) -> list[Entry]:
    return decode(bytes_of(value))[0]
