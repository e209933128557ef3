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

from memtui_core.readers.agents.opencode.values import moment
from memtui_core.readers.base import Transcript
from memtui_core.readers.formats.jsonl import decode
from memtui_core.readers.formats.session_tally import SessionTally
from memtui_core.readers.formats.sqlite import bytes_of, columns_of, opened, values_of
from memtui_core.readers.records import BadLine

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
    """The sessions of a database."""
    tally = SessionTally(connection, moment)
    for table in _SESSIONS:
        tally.sessions(table, _TIMES)
    for table in ("message", "session_message"):
        tally.messages(table, _TIMES)
    columns = columns_of(connection, "part")
    if "session_id" in columns:
        tally.parts("part", _TIMES)
    elif "message_id" in columns and "session_id" in columns_of(connection, "message"):
        tally.query("SELECT m.session_id, count(*) FROM part p JOIN message m ON m.id = p.message_id GROUP BY 1")
    return tally.transcripts(agent, path)


def load(path: Path, session: str) -> StoredSession:
    """One session of a database. Raises SourceUnreadable."""
    with opened(path) as connection:
        stored = StoredSession()
        is_second = False
        for table in _SESSIONS:
            if "id" in columns_of(connection, table):
                for row in connection.execute(f"SELECT * FROM {table} WHERE id = ?", [session]):
                    stored.info = _info(values_of(row))
                    is_second = table == _SESSIONS[1]
        if parent := stored.info.get("parentID"):
            stored.info["rootID"] = _root(connection, parent)
        first = [] if is_second else _first(connection, session)
        stored.entries = first or _second(connection, session) or _first(connection, session)
    return stored


def _first(connection: sqlite3.Connection, session: str) -> list[Any]:
    """The messages of version 1, in order."""
    entries: dict[Any, Any] = {}
    for row in _rows(connection, "message", session, ("time_created", "id")):
        info = _object(row.get("data"), len(entries), "message")
        known = {"time": {"created": row.get("time_created")}}
        if isinstance(info, dict):
            entries[row.get("id")] = {"info": known | info | {"id": row.get("id")}, "parts": []}
        else:
            entries[row.get("id")] = {"info": known, "parts": [info]}
    lines = {message: line for line, message in enumerate(entries)}
    if not {"id", "message_id", "data"} <= columns_of(connection, "part") or not entries:
        return list(entries.values())
    sql = (
        "SELECT p.message_id, p.data FROM part p JOIN message m ON m.id = p.message_id"
        " WHERE m.session_id = ? ORDER BY p.id"
    )
    for message, data in connection.execute(sql, [session]):
        if (entry := entries.get(message)) is not None:
            entry["parts"].append(_object(data, lines[message], "part"))
    return list(entries.values())


def _second(connection: sqlite3.Connection, session: str) -> list[Any]:
    """The messages of version 2, in order."""
    has_order = "seq" in columns_of(connection, "session_message")
    entries: list[Any] = []
    for row in _rows(connection, "session_message", session, ("seq" if has_order else "time_created", "id")):
        data = _object(row.get("data"), len(entries), "message")
        if isinstance(data, dict):
            known = {"id": row.get("id"), "type": row.get("type")}
            data = {"time": {"created": row.get("time_created")}} | data | known
        entries.append(data)
    return entries


def _rows(connection: sqlite3.Connection, table: str, session: str, order: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The rows of a session; none if the table has no sessions."""
    columns = columns_of(connection, table)
    if "session_id" in columns:
        sorting = ", ".join([name for name in order if name in columns] or ["rowid"])
        sql = f"SELECT * FROM {table} WHERE session_id = ? ORDER BY {sorting}"
        yield from map(values_of, connection.execute(sql, [session]))


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
    objects, reason = decode(bytes_of(data))
    return objects[0] if objects and not reason else BadLine(line, f"a {what} is {reason or 'empty'}")
