"""The sessions of an agent in its database, whose rows contain the entries that files had as lines.

Tables and columns differ by version: `sessions` and `session_entries` became `session_windows` and `session_nodes`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agents.openclaw.session_store import SessionStore
from memtui_core.readers.base import Transcript, is_part
from memtui_core.readers.conversion.json_values import epoch, nanoseconds, object_from
from memtui_core.readers.formats.sqlite import columns_of, opened
from memtui_core.readers.records import BadLine

_EVENTS: Final = "transcript_events"
_ABOUT: Final = ("session_nodes", "session_entries")
_WINDOWS: Final = ("session_windows", "sessions")


def sessions_in(connection: sqlite3.Connection, agent: str, path: Path) -> Iterator[Transcript]:
    """The sessions of a database; none if it is of a version that kept them in files."""
    if not {"session_id", "seq", "created_at"} <= columns_of(connection, _EVENTS):
        return
    rows = connection.execute(f"SELECT session_id, count(*), max(created_at) FROM {_EVENTS} GROUP BY session_id")
    for session, number, newest in rows:
        if is_part(session):
            yield Transcript(agent, path, number, nanoseconds(epoch(newest)), session)


def load(path: Path, session: str) -> tuple[SessionStore, Sequence[Any]]:
    """What the agent keeps about its sessions, and the entries of one of them. Raises SourceUnreadable."""
    with opened(path) as connection:
        columns = columns_of(connection, _EVENTS)
        entries: list[Any] = []
        if "session_id" in columns:
            compressed = "event_zstd" if "event_zstd" in columns else "NULL"
            sql = f"SELECT event_json, {compressed} FROM {_EVENTS} WHERE session_id = ? ORDER BY seq"
            for text, packed in connection.execute(sql, [session]):
                entries.append(_entry(text, packed, len(entries)))
        return _store(connection), entries


def _store(connection: sqlite3.Connection) -> SessionStore:
    entries: dict[str, Any] = {}
    keys: dict[str, str] = {}
    for table in _ABOUT:
        if {"session_key", "entry_json"} <= columns_of(connection, table):
            for key, text in connection.execute(f"SELECT session_key, entry_json FROM {table}"):
                entries.setdefault(str(key), object_from(text))
    for table in _WINDOWS:
        if {"session_id", "session_key"} <= columns_of(connection, table):
            rows = connection.execute(f"SELECT session_id, session_key FROM {table}")
            keys.update({str(session): str(key) for session, key in rows})
    return SessionStore(entries, keys)


def _entry(text: Any, packed: Any, line: int) -> Any:
    if not isinstance(text, str) and isinstance(packed, bytes):
        from memtui_core.system.compression import zstd

        try:
            text = zstd.decompress(packed)
        except zstd.ZstdError:
            return BadLine(line, "cannot be decompressed")
    return object_from(text) or BadLine(line, "not a JSON object")
