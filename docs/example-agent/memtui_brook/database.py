"""Sessions in an SQLite database; a cursor is the number of a row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memtui_brook.messages import message_of
from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import START, Cursor, Identity, Transcript
from memtui_core.readers.records import Message, Record, SessionFacts, TitleRank, TitleRecord

DATABASE = "brook.db"
FILES = frozenset({DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal"})
SCHEMA = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, cwd TEXT, title TEXT);
    CREATE TABLE messages (number INTEGER PRIMARY KEY, session TEXT, role TEXT, text TEXT, at TEXT, updated INTEGER);
"""


def rows_of(path: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a query; a database without a log is not touched. Raises SourceUnreadable."""
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True)) as connection:
            return connection.execute(sql, values).fetchall()
    except sqlite3.Error as error:
        raise SourceUnreadable(f"{path}: {error}") from error


def sessions_in(path: Path) -> list[tuple[str, int, int]]:
    """Each session with the length of its texts and the time of its last change."""
    return [
        (str(session), int(size), int(updated))
        for session, size, updated in rows_of(
            path, "SELECT session, sum(1 + coalesce(length(text), 0)), max(updated) FROM messages GROUP BY session"
        )
    ]


class DatabaseReading:
    """One pass over a session; a cursor's position is a row, its digest counts the rows before and their changes."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        self._path, self._session = transcript.path, transcript.part
        self.from_start = cursor == START or self._digest(cursor.position) != cursor.digest
        self._row, self._line = (0, 0) if self.from_start else (cursor.position, cursor.line)
        self.facts = SessionFacts(session_id=transcript.part)
        self._read = ""

    @property
    def lines(self) -> int:
        """The rows up to the last one read."""
        return self._line

    @property
    def waiting(self) -> bool:
        """Never: a row is written at once."""
        return False

    @property
    def can_continue(self) -> bool:
        """Always: a row has a number."""
        return True

    def __iter__(self) -> Iterator[Record]:
        for cwd, title in rows_of(self._path, "SELECT cwd, title FROM sessions WHERE id = ?", self._session):
            self.facts.cwd = cwd
            yield TitleRecord(0, TitleRank.CUSTOM, title)
        sql = "SELECT number, role, text, at FROM messages WHERE session = ? AND number >= ? ORDER BY number"
        for number, role, text, at in rows_of(self._path, sql, self._session, self._row):
            line, self._line, self._row = self._line, self._line + 1, number + 1
            yield message_of({"role": role, "text": text, "at": at}, self._session, line, number)

    def identity(self, branch: str = "") -> Identity:
        """The session, which the transcript names."""
        return Identity(self._session)

    def cursor(self, first: Message | None) -> Cursor:
        """The row of a message, or the one after the last."""
        self._read = self._digest(self._row)
        row, line = (self._row, self._line) if first is None else (first.offset, first.line)
        return Cursor(row, line, self._digest(row))

    def resume(self, transcript: Transcript) -> bool:
        """Whether the rows that were read are the same."""
        return self._digest(self._row) == self._read

    def _digest(self, row: int) -> str:
        sql = "SELECT count(*), max(updated) FROM messages WHERE session = ? AND number < ?"
        return "/".join(map(str, rows_of(self._path, sql, self._session, row)[0]))
