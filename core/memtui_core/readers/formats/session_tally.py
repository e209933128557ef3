"""The list of the sessions in a database, whose size and time follow from the rows of several tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui_core.readers.base import Transcript, is_part
from memtui_core.readers.conversion.json_values import nanoseconds
from memtui_core.readers.formats.sqlite import columns_of


class SessionTally:
    """Counts the rows of each session, and finds the time of the last change. A missing table or column is no error.

    `moment` converts a value of a column to a time.
    """

    def __init__(self, connection: sqlite3.Connection, moment: Callable[[Any], datetime | None]) -> None:
        self._connection = connection
        self._moment = moment
        self._rows: dict[str, int] = {}
        self._newest: dict[str, int] = {}
        self._known: dict[str, None] = {}
        self._talking: set[str] = set()

    def sessions(self, table: str, times: Sequence[str]) -> None:
        """Count a table with a row for each session."""
        self._count(table, "id", times)
        if "id" in columns_of(self._connection, table):
            for (session,) in self._connection.execute(f"SELECT id FROM {table}"):
                self._known[session] = None

    def messages(self, table: str, times: Sequence[str]) -> None:
        """Count a table with a row for each message."""
        self._talking |= set(self._count(table, "session_id", times))

    def parts(self, table: str, times: Sequence[str]) -> None:
        """Count a table with a row for each part of a message."""
        self._count(table, "session_id", times)

    def also_talking(self, sql: str) -> None:
        """Note that the sessions of a query have messages."""
        self._talking |= {row[0] for row in self._connection.execute(sql)}

    def query(self, sql: str) -> list[str]:
        """Count the rows of a query: the session, a number, and times. Return the sessions."""
        found = []
        for session, number, *times in self._connection.execute(sql):
            if is_part(session):
                found.append(session)
                self._rows[session] = self._rows.get(session, 0) + number
                newest = [nanoseconds(self._moment(value)) for value in times]
                self._newest[session] = max([self._newest.get(session, 0), *newest])
        return found

    def transcripts(self, agent: str, path: Path) -> Iterator[Transcript]:
        """The sessions; their size is the number of rows, and 0 without a message."""
        for session in self._known:
            if is_part(session):
                size = self._rows[session] if session in self._talking else 0
                yield Transcript(agent, path, size, self._newest[session], session)

    def _count(self, table: str, key: str, times: Sequence[str]) -> list[str]:
        columns = columns_of(self._connection, table)
        if key not in columns:
            return []
        newest = "".join(f", max({name})" for name in times if name in columns)
        return self.query(f"SELECT {key}, count(*){newest} FROM {table} GROUP BY {key}")
