"""Read-only access to the newest snapshot, for every process but the indexer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import duckdb
from arro3.core import Table

from memtui_core.errors import IndexBroken, IndexMissing, IndexTooNew
from memtui_core.store.files import DataDir
from memtui_core.store.layers import SEARCH_PATH, attach
from memtui_core.store.manifest import Manifest, read_manifest
from memtui_core.store.schema import VERSION, version_of
from memtui_core.system.failures import damaged, failure_text, is_of_machine
from memtui_core.text.controls import stored

Made = TypeVar("Made")
_TRIES = 5
AHEAD = timedelta(days=1)
"""Clocks of other machines, and wrong time zones, may be ahead by less."""


class Snapshot:
    """One snapshot, open read-only; every thread queries by a cursor of its own.

    Raises IndexMissing when nothing was published, IndexBroken or IndexTooNew when it cannot be used.

    In its queries `credible(t)` is a time, or NULL for one that cannot be right: more than a day later than `now`, when
    the snapshot was opened. Lists go by credible times, so that a wrong clock brings nothing to their top.
    """

    def __init__(self, data: DataDir, now: datetime | None = None) -> None:
        self.data = data
        self.manifest, self._connection, self._counts = _open(data)
        self.number = self.manifest.batch
        self._connection.execute(SEARCH_PATH)
        latest = (now or datetime.now(UTC)).astimezone(UTC).replace(tzinfo=None) + AHEAD
        self._connection.execute(
            f"CREATE MACRO memory.main.credible(t) AS CASE WHEN t <= TIMESTAMP '{latest.isoformat(' ')}' THEN t END"
        )
        self._local = threading.local()
        self._made: dict[str, Any] = {}
        self.version = version_of(self._connection)
        """Number of its schema: an older memtui may have written it, and the tables of later steps are not there."""
        if self.version > VERSION:
            raise IndexTooNew(f"The index has schema {self.version}; this memtui knows {VERSION}. Update memtui.")

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query; a label among its parameters is what it stands for."""
        return self._cursor().execute(sql, [stored(value) for value in parameters]).fetchall()

    def table(self, sql: str, parameters: Sequence[Any] = ()) -> Table:
        """All rows of a query as one Arrow table."""
        return Table.from_arrow(self._cursor().sql(sql, params=[stored(value) for value in parameters]))

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What is made once for this snapshot, as it never changes; threads that come together may each make it."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    def state_of(self, table: str) -> object:
        """What is the same for two snapshots only if the table is the same in both."""
        manifest = self.manifest
        return manifest.base, manifest.delta, manifest.journal, self._counts.get(table, 0)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._connection.cursor()
            cursor.execute(SEARCH_PATH)
        return cursor


def _open(data: DataDir) -> tuple[Manifest, duckdb.DuckDBPyConnection, dict[str, int]]:
    """Open the newest snapshot; a newer one may replace it between reading its name and opening it."""
    reason: Exception | None = None
    for _ in range(_TRIES):
        manifest = read_manifest(data)
        if manifest is None:
            raise _absent(data)
        connection = duckdb.connect(":memory:", config={"threads": 2})
        try:
            return manifest, connection, attach(connection, data, manifest).counts
        except (duckdb.Error, OSError, ValueError) as error:
            connection.close()
            reason = error
    assert reason is not None
    if is_of_machine(reason) or isinstance(reason, PermissionError):
        raise IndexBroken(failure_text(reason, data.path)) from reason
    raise IndexBroken(damaged(data.path, reason)) from reason


def _absent(data: DataDir) -> IndexMissing | IndexBroken:
    """Why no snapshot is named: nothing was indexed yet, or the name cannot be read."""
    try:
        data.current.read_bytes()
    except FileNotFoundError:
        return IndexMissing(f"Nothing is indexed in {data.path} yet. Run: memtui index")
    except OSError as error:
        return IndexBroken(failure_text(error, data.path))
    return IndexBroken(damaged(data.path, ValueError(f"{data.current.name} names no snapshot")))
