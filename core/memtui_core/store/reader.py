"""Read-only access to the newest snapshot, for every process but the indexer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

import duckdb
from arro3.core import Table

from memtui_core.errors import IndexBroken, IndexMissing, IndexTooNew
from memtui_core.store.files import DataDir
from memtui_core.store.schema import VERSION, version_of

Made = TypeVar("Made")
_TRIES = 5


def current_number(data: DataDir) -> int | None:
    """Number of the newest snapshot, None when nothing was published yet."""
    try:
        return int(data.current.read_bytes())
    except (OSError, ValueError):
        return None


class Snapshot:
    """One snapshot, open read-only; every thread queries by a cursor of its own.

    Raises IndexMissing when nothing was published, IndexBroken or IndexTooNew when it cannot be used.
    """

    def __init__(self, data: DataDir) -> None:
        self.number, self._connection = _open(data)
        self._local = threading.local()
        self._made: dict[str, Any] = {}
        self.version = version_of(self._connection)
        """Number of its schema: an older memtui may have written it, and the tables of later steps are not there."""
        if self.version > VERSION:
            raise IndexTooNew(f"The index has schema {self.version}; this memtui knows {VERSION}. Update memtui.")

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self._cursor().execute(sql, list(parameters)).fetchall()

    def table(self, sql: str) -> Table:
        """All rows of a query as one Arrow table."""
        return Table.from_arrow(self._cursor().sql(sql))

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What is made once for this snapshot, as it never changes; threads that come together may each make it."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._connection.cursor()
        return cursor


def among(column: str, keys: Collection[int]) -> str:
    """The condition that a column holds one of some numbers: faster as text than as a parameter, which is a list."""
    return f"{column} IN ({', '.join(map(str, keys))})" if keys else "FALSE"


def _open(data: DataDir) -> tuple[int, duckdb.DuckDBPyConnection]:
    """Open the newest snapshot; a newer one may replace it between reading its name and opening it."""
    reason: Exception | None = None
    for _ in range(_TRIES):
        number = current_number(data)
        if number is None:
            raise IndexMissing(f"Nothing is indexed in {data.path} yet. Run: memtui index")
        try:
            return number, duckdb.connect(str(data.snapshot(number)), read_only=True, config={"threads": 2})
        except duckdb.Error as error:
            reason = error
    raise IndexBroken(f"The index in {data.path} cannot be opened: {reason}") from reason
