"""Base, delta and journal as one set of tables.

Of each table the rows of the base count whose key neither the delta nor the journal replaces, those of the delta whose
key the journal does not replace, and those of the journal. A table that only the base holds is the base's own.

Works on any connection of DuckDB, also on one of the engine below its package.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from memtui_core.store import journal
from memtui_core.store.files import DataDir
from memtui_core.store.manifest import Manifest
from memtui_core.store.tables import COLUMNS, KEYS, among, keys_from_json, names, rows_from_json

SEARCH_PATH: Final = "SET search_path = 'memory.main,base.main'"
"""To be said on every cursor: a table that is not layered is found in the base."""
SMALL = 2_000
"""Rows of a layer that are copied into memory."""
_LONG_TEXTS: Final = frozenset({"blocks", "chunks"})
"""Tables that are never copied: their rows are many, and of blocks long."""
_FEW: Final = 24
"""Keys that are compared one by one; more are looked up."""


def attach(connection: Any, data: DataDir, manifest: Manifest) -> journal.Changes:
    """Show a snapshot through an in-memory database: its tables are found by name after `SEARCH_PATH`.

    What the journal comes to. Raises the connection's errors, OSError and ValueError when a part cannot be read.
    """
    attach_file(connection, data.base(manifest.base), "base", manifest.base_bytes)
    changes = journal.Changes()
    if manifest.journal is not None:
        changes = journal.read(data.journal(manifest.journal), manifest.journal_bytes)
    replaced: dict[str, set[int]] = {}
    if manifest.delta is not None:
        attach_file(connection, data.delta(manifest.delta), "delta", manifest.delta_bytes)
        for table, keys in connection.execute("SELECT tab, list(key) FROM delta.replaced GROUP BY tab").fetchall():
            replaced[table] = set(keys)
    if manifest.delta is not None or manifest.journal is not None:
        counts = connection.execute("SELECT database_name, table_name, estimated_size FROM duckdb_tables()").fetchall()
        sizes = {(layer, table): count for layer, table, count in counts}
        for table in COLUMNS:
            _layer(connection, table, replaced.get(table, set()), sizes, changes)
    return changes


def attach_file(connection: Any, path: Path, name: str, size: int = 0) -> None:
    """Attach a database file for reading. Raises ValueError when it has not the size that is known of it."""
    if size and path.stat().st_size != size:
        raise ValueError(f"the size of {path.name} is not the one that was written")
    quoted = str(path).replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS {name} (READ_ONLY)")


def _layer(
    connection: Any,
    table: str,
    replaced: Collection[int],
    sizes: Mapping[tuple[str, str], int],
    changes: journal.Changes,
) -> None:
    """Put the layers of one table together; nothing to do when all its rows are those of the base.

    Each layer makes each query longer to plan, so a layer that is small is copied into memory, to those of the journal.
    """
    dropped, rows = changes.dropped.get(table, set()), changes.json_of(table)
    in_base, in_delta = sizes.get(("base", table), 0), sizes.get(("delta", table), 0)
    if not (replaced or dropped or in_delta or rows):
        return
    layers: list[str] = []
    held: list[str] = []
    for layer, hidden, count in (("base", {*replaced, *dropped}, in_base), ("delta", dropped, in_delta)):
        if count:
            small = count <= SMALL and table not in _LONG_TEXTS
            (held if small else layers).append(_without(connection, layer, table, hidden))
    name = f"held_{table}" if layers else table
    if held or rows or not layers:
        none = f"SELECT {names(table)} FROM base.main.{table} LIMIT 0"
        connection.execute(f"CREATE TABLE {name} AS {' UNION ALL '.join(held) or none}")
        if rows:
            connection.execute(f"INSERT INTO {name} ({names(table)}) {rows_from_json(table)}", [rows])
    if layers:
        memory = [f"SELECT {names(table)} FROM {name}"] if held or rows else []
        connection.execute(f"CREATE VIEW {table} AS {' UNION ALL '.join([*layers, *memory])}")


def _without(connection: Any, layer: str, table: str, keys: Collection[int]) -> str:
    """SELECT of a layer's rows but those of some keys."""
    select, key = f"SELECT {names(table)} FROM {layer}.main.{table}", KEYS[table]
    if not keys:
        return select
    if len(keys) <= _FEW:
        return f"{select} WHERE NOT {among(key, sorted(keys))}"
    lookup = f"{layer}_hides_{table}"
    connection.execute(f"CREATE TABLE {lookup} AS {keys_from_json('hidden_key')}", [str(sorted(keys))])
    return f"{select} ANTI JOIN {lookup} ON {key} = hidden_key"
