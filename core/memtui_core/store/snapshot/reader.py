"""Read-only access to the newest snapshot, for every process except the indexer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar
from weakref import proxy

# The engine without its Python package, which takes longer to import than a query runs.
import _duckdb

from memtui_core.errors import IndexBroken, IndexMissing, IndexTooNew
from memtui_core.model import CLOCK_TOLERANCE
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.snapshot_annotations import TABLE, SnapshotAnnotations
from memtui_core.store.schema import VERSION, refuse_newer
from memtui_core.store.snapshot.layers import SEARCH_PATH, Layers
from memtui_core.store.snapshot.manifest import Manifest, read_manifest
from memtui_core.store.tables import RowSource
from memtui_core.system.failures import damaged, failure_text, is_of_machine
from memtui_core.text.characters import all_storable
from memtui_core.text.controls import stored

if TYPE_CHECKING:
    from arro3.core import Table

Value = TypeVar("Value")
Allowed = Callable[[RowSource], Collection[str]]
"""Tells the roots of the projects that may be read, given all of them."""
_MAX_ATTEMPTS = 5
_LARGE_BASE = 64_000_000
"""Bytes of a base from which on a query runs on two threads: for less they cost more than they save."""


class SnapshotLayers(Protocol):
    """What makes the tables that a query names ready to be read."""

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of changes of each table."""

    def merge_for(self, sql: str) -> None:
        """Prepare the tables that a query names."""


class OpenedTables(NamedTuple):
    """The tables of a snapshot, in a connection that finds them by `search_path`."""

    manifest: Manifest
    connection: _duckdb.DuckDBPyConnection
    layers: SnapshotLayers
    version: int
    """The number of their schema."""
    search_path: str = SEARCH_PATH


class Snapshot:
    """One snapshot, opened read-only; every thread has a cursor of its own.

    Without `opened` it is the newest one of a data folder. With `allowed` only some projects can be read. Raises
    IndexMissing if nothing was published, IndexBroken or IndexTooNew if the snapshot cannot be used.

    In queries `credible(t)` is the time `t`, or NULL if it cannot be right: more than a day later than `now`, the time
    at which the snapshot was opened. Lists are sorted by credible times, so that a wrong clock moves nothing up. The
    table `annotations` has what the user has added, as it is now: see `store/marks/snapshot_annotations.py`.
    """

    def __init__(
        self,
        data: DataDir,
        now: datetime | None = None,
        opened: OpenedTables | None = None,
        allowed: Allowed | None = None,
    ) -> None:
        self.data = data
        self.manifest, self._connection, self._layers, self.version, self._search_path = opened or _open(data)
        """`version` is the number of the schema: the tables of later migrations are empty."""
        self.number = self.manifest.batch
        self.members: Mapping[int, str] = {}
        """The colleagues who share sessions, by the keys of these; one's own have none."""
        latest = (now or datetime.now(UTC)).astimezone(UTC).replace(tzinfo=None) + CLOCK_TOLERANCE
        self._connection.execute(
            f"{self._search_path}; CREATE MACRO memory.main.credible(t) AS"
            f" CASE WHEN t <= TIMESTAMP '{latest.isoformat(' ')}' THEN t END"
        )
        self._local = threading.local()
        # The first thread needs no other cursor.
        self._local.cursor = self._connection
        self._cache: dict[str, Any] = {}
        # No cycle: the files of an older snapshot are closed at once when nobody needs it any more.
        self.annotations = SnapshotAnnotations(data.path, proxy(self), self._connection.cursor)
        """What the user has added to sessions and turns, which changes while the snapshot does not."""
        if self.version > VERSION:
            raise IndexTooNew(f"The index has schema {self.version}; this memtui knows {VERSION}. Update memtui.")
        self.roots: frozenset[str] | None = None
        """The roots of the projects of which there are rows; None for all."""
        if allowed is not None:
            self._restrict(frozenset(allowed(self)))

    def _restrict(self, roots: frozenset[str]) -> None:
        from memtui_core.store.snapshot.restricted import RestrictedLayers

        try:
            self._layers = RestrictedLayers(self._connection, self._layers, roots)
        except (_duckdb.Error, OSError, ValueError) as error:
            raise unusable(self.data, error) from error
        self.roots, self._cache = roots, {}

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query; for a `Label` in the parameters its raw text is used."""
        cursor = self._cursor(sql)
        try:
            if not parameters:
                # DuckDB imports several modules to look at parameters.
                return cursor.execute(sql).fetchall()
            values = [stored(value) for value in parameters]
            try:
                return cursor.execute(sql, values).fetchall()
            except RuntimeError:
                # What is typed, or what an agent asks for, can have half a character.
                return cursor.execute(sql, all_storable(values)).fetchall()
        except _duckdb.IOException as error:
            raise unusable(self.data, error) from error

    def table(self, sql: str, parameters: Sequence[Any] = ()) -> Table:
        """All rows of a query as one Arrow table."""
        from arro3.core import Table

        cursor = self._cursor(sql)
        try:
            return Table.from_arrow(cursor.sql(sql, params=[stored(value) for value in parameters]))
        except _duckdb.IOException as error:
            raise unusable(self.data, error) from error

    def cached(self, name: str, make: Callable[[], Value]) -> Value:
        """A value computed from this snapshot, which never changes; concurrent threads may each compute it."""
        # Of tables that are in memory and change, a value that is being computed may be an old one.
        cache = self._cache
        if name not in cache:
            cache[name] = make()
        value: Value = cache[name]
        return value

    def forget_cached(self) -> None:
        """Compute everything again: rows were added to tables that are in memory."""
        self._cache = {}
        self.annotations.forget()

    def state_of(self, table: str) -> object:
        """A value that is equal for two snapshots only if the table is the same in both."""
        manifest = self.manifest
        return manifest.base, manifest.delta, manifest.journal, self._layers.counts.get(table, 0)

    def close(self) -> None:
        """Close the files."""
        self._connection.close()

    def _cursor(self, sql: str) -> _duckdb.DuckDBPyConnection:
        """The cursor of this thread, for a query. Raises IndexBroken if a table that it names cannot be read."""
        if TABLE in sql:
            self.annotations.fill()
        try:
            self._layers.merge_for(sql)
        except (_duckdb.Error, OSError, ValueError) as error:
            raise unusable(self.data, error) from error
        cursor: _duckdb.DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._connection.cursor()
            cursor.execute(self._search_path)
        return cursor


def _open(data: DataDir) -> OpenedTables:
    """Open the newest snapshot; tries again, because a newer one may replace it after the manifest was read."""
    reason: Exception | None = None
    for _ in range(_MAX_ATTEMPTS):
        manifest = read_manifest(data)
        if manifest is None:
            reason = _no_manifest(data)
            if isinstance(reason, IndexMissing):
                raise reason
            # The first snapshot may have been published between the two looks.
            continue
        threads = 2 if manifest.base_bytes >= _LARGE_BASE else 1
        connection = _duckdb.connect(":memory:", config={"threads": threads})
        try:
            layers = Layers(connection, data, manifest)
            return OpenedTables(manifest, connection, layers, layers.version)
        except (_duckdb.Error, OSError, ValueError) as error:
            connection.close()
            reason = error
    assert reason is not None
    if isinstance(reason, IndexBroken):
        raise reason
    raise unusable(data, reason) from reason


def unusable(data: DataDir, reason: Exception) -> IndexBroken:
    """The error for a snapshot of which a part cannot be read; a note makes the next indexer check all of it."""
    refuse_newer(reason)
    is_machine = is_of_machine(reason) or isinstance(reason, PermissionError)
    if not is_machine and not isinstance(reason, FileNotFoundError):
        with suppress(OSError):
            data.damage.write_text(f"{reason}\n", "utf-8")
    return IndexBroken(failure_text(reason, data.path) if is_machine else damaged(data.path, reason))


def _no_manifest(data: DataDir) -> IndexMissing | IndexBroken:
    """The error for an index without a manifest: nothing was indexed yet, or the manifest cannot be read."""
    try:
        data.current.read_bytes()
    except FileNotFoundError:
        return IndexMissing(f"Nothing is indexed in {data.path} yet. Run: memtui index")
    except OSError as error:
        return IndexBroken(failure_text(error, data.path))
    return IndexBroken(damaged(data.path, ValueError(f"{data.current.name} names no snapshot")))
