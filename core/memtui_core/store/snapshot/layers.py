"""Base, delta and journal as one set of tables.

A table consists of the rows of the base whose key neither the delta nor the journal replaces, the rows of the delta
whose key the journal does not replace, and the rows of the journal. A table that is only in the base is read from it.
Merging takes time for each table, so a reader merges those that its queries name.

Works on any DuckDB connection, including one of `_duckdb`, the engine without its Python package.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import VERSION
from memtui_core.store.snapshot import journal
from memtui_core.store.snapshot.manifest import Manifest
from memtui_core.store.tables import COLUMNS, KEYS, column_list, key_condition, keys_from_json, rows_from_json

SEARCH_PATH: Final = "SET search_path = 'memory.main,base.main'"
"""Must be executed on every cursor: a table without layers is then found in the base."""
SMALL_LAYER = 2_000
"""A layer with at most this many rows is copied into memory."""
_LARGE_TABLES: Final = frozenset({"blocks", "chunks"})
"""Tables that are never copied: both have many rows, and those of blocks are long."""
_MAX_LISTED_KEYS: Final = 24
"""Up to this many keys are listed in the query; more are joined."""


class Layers:
    """A snapshot that is attached to an in-memory database: after `SEARCH_PATH` its tables are found by name.

    A table with changes is merged when a query needs it, by `merge_for`. Raises the connection's errors, OSError and
    ValueError if a part cannot be read.
    """

    def __init__(self, connection: Any, data: DataDir, manifest: Manifest) -> None:
        self._connection = connection
        self._has_delta = manifest.delta is not None
        attach_file(connection, data.base(manifest.base), "base", manifest.base_bytes)
        self._changes = journal.Changes()
        if manifest.journal is not None:
            self._changes = journal.read(data.journal(manifest.journal), manifest.journal_bytes)
        if manifest.delta is not None:
            attach_file(connection, data.delta(manifest.delta), "delta", manifest.delta_bytes)
        self.version = _version_of(connection)
        """The number of the schema of the base."""
        changed = COLUMNS if manifest.delta is not None or self.version < VERSION else self._changes.counts
        self._unmerged = [table for table in COLUMNS if table in changed]
        self._replaced: Mapping[str, Collection[int]] | None = None
        self._counted: Mapping[tuple[str, str], int] | None = None
        # Of the module under threading, which a hook does without.
        self._lock = threading.Lock()

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of changes of each table in the journal."""
        return self._changes.counts

    def merge_for(self, sql: str) -> None:
        """Merge the layers of the tables that a query names; any thread may call it."""
        if any(table in sql for table in self._unmerged):
            with self._lock:
                self._merge([table for table in self._unmerged if table in sql])

    def merge_all(self) -> None:
        """Merge the layers of all tables."""
        with self._lock:
            self._merge(self._unmerged)

    def _merge(self, tables: Sequence[str]) -> None:
        # A cursor of its own: the connection belongs to the thread that opened the snapshot.
        with self._connection.cursor() as cursor:
            for table in list(tables):
                replaced = self._replaced_keys(cursor).get(table, set())
                _merge_layers(cursor, table, replaced, self._sizes(cursor, table), self._changes)
                # Only now: until then, other threads wait.
                self._unmerged = [other for other in self._unmerged if other != table]

    def _replaced_keys(self, cursor: Any) -> Mapping[str, Collection[int]]:
        """The keys of each table whose rows in the base the delta deletes or replaces."""
        if self._replaced is None:
            sql = "SELECT tab, list(key) FROM delta.replaced GROUP BY tab"
            rows = cursor.execute(sql).fetchall() if self._has_delta else []
            self._replaced = {table: set(keys) for table, keys in rows}
        return self._replaced

    def _sizes(self, cursor: Any, table: str) -> tuple[int | None, int]:
        """The number of rows of a table in base and delta; None if an older memtui wrote a base without it."""
        if self._counted is None:
            sql = "SELECT database_name, table_name, estimated_size FROM duckdb_tables()"
            self._counted = {(layer, name): count for layer, name, count in cursor.execute(sql).fetchall()}
        return self._counted.get(("base", table)), self._counted.get(("delta", table), 0)


def _version_of(connection: Any) -> int:
    """The number of the schema of the base, as `schema.version_of` finds it with a slower query."""
    if not connection.execute("SELECT 1 FROM duckdb_tables() WHERE database_name = 'base' LIMIT 1").fetchall():
        return 0
    rows = connection.execute("SELECT value FROM base.main.meta WHERE key = 'schema'").fetchall()
    return int(rows[0][0]) if rows else 0


def attach(connection: Any, data: DataDir, manifest: Manifest) -> None:
    """Attach a snapshot with all its tables, see `Layers`."""
    Layers(connection, data, manifest).merge_all()


def attach_file(connection: Any, path: Path, name: str, size: int = 0) -> None:
    """Attach a database file read-only. Raises ValueError if `size` is given and the file has another size."""
    if size and path.stat().st_size != size:
        raise ValueError(f"the size of {path.name} is not the one that was written")
    quoted = str(path).replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS {name} (READ_ONLY)")


def _merge_layers(
    connection: Any,
    table: str,
    replaced: Collection[int],
    sizes: tuple[int | None, int],
    changes: journal.Changes,
) -> None:
    """Create a table or view that merges the layers of a table; nothing if all its rows are in the base.

    A table that an older memtui did not write is empty.

    Each layer makes each query take longer to plan, so a small layer is copied into memory, where the journal's rows
    are.
    """
    dropped, rows = changes.dropped.get(table, set()), changes.rows_json(table)
    in_base, in_delta = sizes
    if not (replaced or dropped or in_delta or rows):
        if in_base is None:
            connection.execute(f"CREATE TABLE {table} AS {rows_from_json(table)}", ["[]"])
        return
    layers: list[str] = []
    copied: list[str] = []
    for layer, hidden, count in (("base", {*replaced, *dropped}, in_base), ("delta", dropped, in_delta)):
        if count:
            is_small = count <= SMALL_LAYER and table not in _LARGE_TABLES
            (copied if is_small else layers).append(_select_without(connection, layer, table, hidden))
    name = f"copied_{table}" if layers else table
    if copied or rows or not layers:
        empty = f"SELECT {column_list(table)} FROM base.main.{table} LIMIT 0"
        connection.execute(f"CREATE TABLE {name} AS {' UNION ALL '.join(copied) or empty}")
        if rows:
            connection.execute(f"INSERT INTO {name} ({column_list(table)}) {rows_from_json(table)}", [rows])
    if layers:
        memory = [f"SELECT {column_list(table)} FROM {name}"] if copied or rows else []
        connection.execute(f"CREATE VIEW {table} AS {' UNION ALL '.join([*layers, *memory])}")


def _select_without(connection: Any, layer: str, table: str, keys: Collection[int]) -> str:
    """SELECT of a layer's rows except those of some keys."""
    select, key = f"SELECT {column_list(table)} FROM {layer}.main.{table}", KEYS[table]
    if not keys:
        return select
    if len(keys) <= _MAX_LISTED_KEYS:
        return f"{select} WHERE NOT {key_condition(key, sorted(keys))}"
    lookup = f"{layer}_hides_{table}"
    connection.execute(f"CREATE TABLE {lookup} AS {keys_from_json('hidden_key')}", [str(sorted(keys))])
    return f"{select} ANTI JOIN {lookup} ON {key} = hidden_key"
