"""The sessions in a database of OpenCode.

Version 1 has the tables session, message and part. Version 2 has session_v2 and session_message in the same file, and
leaves the old tables. Late releases of version 1 filled session_message, too: their message table counts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.base import Transcript
from memtui_core.readers.jsonl import decode
from memtui_core.readers.opencode.values import moment
from memtui_core.readers.records import BadLine
from memtui_core.readers.sqlite import columns_of, is_part, opened

_SESSIONS: Final = ("session", "session_v2")
_TIMES: Final = ("time_updated", "time_created")


@dataclass(slots=True)
class StoredSession:
    """A session as the agent stored it."""

    info: dict[str, Any] = field(default_factory=dict)
    """What is known about the session, with the names of `opencode export`."""
    entries: list[Any] = field(default_factory=list)
    """Messages of version 1, {"info": ..., "parts": [...]}, or of version 2, {"type": ...}; or BadLines."""


def sessions_in(connection: sqlite3.Connection, agent: str, path: Path) -> Iterator[Transcript]:
    """The sessions of a database; their size is the number of rows, and 0 without a message."""
    rows: dict[str, int] = {}
    newest: dict[str, int] = {}
    talking: set[str] = set()

    def count(sql: str, *, talks: bool) -> None:
        for session, number, *times in connection.execute(sql):
            if not is_part(session):
                continue
            rows[session] = rows.get(session, 0) + number
            newest[session] = max([newest.get(session, 0), *(_nanoseconds(value) for value in times)])
            if talks:
                talking.add(session)

    known: list[str] = []
    for table in _SESSIONS:
        if "id" in (columns := columns_of(connection, table)):
            known += [row[0] for row in connection.execute(f"SELECT id FROM {table}") if is_part(row[0])]
            count(f"SELECT id, 1{_maxima(columns, '')} FROM {table} GROUP BY id", talks=False)
    for table in ("message", "session_message"):
        if "session_id" in (columns := columns_of(connection, table)):
            count(f"SELECT session_id, count(*){_maxima(columns, '')} FROM {table} GROUP BY session_id", talks=True)
    columns = columns_of(connection, "part")
    if "session_id" in columns:
        count(f"SELECT session_id, count(*){_maxima(columns, '')} FROM part GROUP BY session_id", talks=False)
    elif "message_id" in columns:
        count(
            f"SELECT m.session_id, count(*){_maxima(columns, 'p.')}"
            " FROM part p JOIN message m ON m.id = p.message_id GROUP BY m.session_id",
            talks=False,
        )
    for session in dict.fromkeys(known):
        yield Transcript(agent, path, rows[session] if session in talking else 0, newest[session], session)


def load(path: Path, session: str) -> StoredSession:
    """One session of a database. Raises SourceUnreadable."""
    with opened(path) as connection:
        stored = StoredSession()
        is_second = False
        for table in _SESSIONS:
            if "id" in columns_of(connection, table):
                for row in connection.execute(f"SELECT * FROM {table} WHERE id = ?", [session]):
                    stored.info = _info(dict(row))
                    is_second = table == _SESSIONS[1]
        if parent := stored.info.get("parentID"):
            stored.info["rootID"] = _root(connection, parent)
        first = [] if is_second else _first(connection, session)
        stored.entries = first or _second(connection, session) or _first(connection, session)
    return stored


def _first(connection: sqlite3.Connection, session: str) -> list[Any]:
    """The messages of version 1, in order."""
    entries: dict[str, Any] = {}
    if "session_id" not in columns_of(connection, "message"):
        return []
    for row in connection.execute("SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id", [session]):
        info = _object(row["data"], len(entries), "message")
        if isinstance(info, dict):
            info = {"time": {"created": row["time_created"]}} | info | {"id": row["id"]}
            entries[row["id"]] = {"info": info, "parts": []}
        else:
            entries[row["id"]] = info
    lines = {message: line for line, message in enumerate(entries)}
    parts = connection.execute(
        "SELECT p.id, p.message_id, p.data FROM part p JOIN message m ON m.id = p.message_id"
        " WHERE m.session_id = ? ORDER BY p.id",
        [session],
    )
    for row in parts if columns_of(connection, "part") else ():
        entry = entries.get(row["message_id"])
        if isinstance(entry, dict):
            entry["parts"].append(_object(row["data"], lines[row["message_id"]], "part"))
    return list(entries.values())


def _second(connection: sqlite3.Connection, session: str) -> list[Any]:
    """The messages of version 2, in order."""
    columns = columns_of(connection, "session_message")
    if "session_id" not in columns:
        return []
    order = "seq, id" if "seq" in columns else "time_created, id"
    entries: list[Any] = []
    for row in connection.execute(f"SELECT * FROM session_message WHERE session_id = ? ORDER BY {order}", [session]):
        data = _object(row["data"], len(entries), "message")
        if isinstance(data, dict):
            data = {"time": {"created": row["time_created"]}} | data | {"id": row["id"], "type": row["type"]}
        entries.append(data)
    return entries


def _info(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": row.get("id"),
        "parentID": row.get("parent_id"),
        "forkID": row.get("fork_session_id"),
        "directory": row.get("directory"),
        "title": row.get("title"),
        "version": row.get("version"),
    }


def _root(connection: sqlite3.Connection, session: Any) -> Any:
    """The first of the sessions that started each other, given the parent of the last one."""
    seen = [session]
    while True:
        parents = [
            row[0]
            for table in _SESSIONS
            if {"id", "parent_id"} <= columns_of(connection, table)
            for row in connection.execute(f"SELECT parent_id FROM {table} WHERE id = ?", [seen[-1]])
            if row[0] and row[0] not in seen
        ]
        if not parents:
            return seen[-1]
        seen.append(parents[0])


def _object(data: Any, line: int, what: str) -> dict[str, Any] | BadLine:
    """A column with a JSON object."""
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data if isinstance(data, bytes) else b""
    objects, reason = decode(raw)
    return objects[0] if objects and not reason else BadLine(line, f"a {what} is {reason or 'empty'}")


def _maxima(columns: set[str], table: str) -> str:
    return "".join(f", max({table}{name})" for name in _TIMES if name in columns)


def _nanoseconds(value: Any) -> int:
    at = moment(value)
    return round(at.timestamp() * 1000) * 1_000_000 if at is not None else 0
