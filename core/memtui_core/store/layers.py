"""Base, delta and journal as one set of tables.

Of each table the rows of the base count whose key neither the delta nor the journal replaces, those of the delta whose
key the journal does not replace, and those of the journal. A table that only the base holds is the base's own.

Works on any connection of DuckDB, also on one of the engine below its package.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from memtui_core.store import journal
from memtui_core.store.files import DataDir
from memtui_core.store.manifest import Manifest
from memtui_core.store.tables import COLUMNS, KEYS, among, names, rows_from_json

SEARCH_PATH: Final = "SET search_path = 'memory.main,base.main'"
"""To be said on every cursor: a table that is not layered is found in the base."""
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
    in_delta: set[str] = set()
    if manifest.delta is not None:
        attach_file(connection, data.delta(manifest.delta), "delta", manifest.delta_bytes)
        for table, keys in connection.execute("SELECT tab, list(key) FROM delta.replaced GROUP BY tab").fetchall():
            replaced[table] = set(keys)
        counts = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'delta' AND estimated_size > 0"
        in_delta = {name for (name,) in connection.execute(counts).fetchall()}
    for table in COLUMNS:
        _layer(connection, table, replaced.get(table, set()), table in in_delta, changes)
    return changes


def attach_file(connection: Any, path: Path, name: str, size: int = 0) -> None:
    """Attach a database file for reading. Raises ValueError when it has not the size that is known of it."""
    if size and path.stat().st_size != size:
        raise ValueError(f"{path.name} is damaged, its size is not the one that was written")
    quoted = str(path).replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS {name} (READ_ONLY)")


def _layer(connection: Any, table: str, replaced: Collection[int], in_delta: bool, changes: journal.Changes) -> None:
    """Make a view over the layers of one table; nothing when all its rows are those of the base."""
    dropped, rows = changes.dropped.get(table, set()), changes.json_of(table)
    hidden = {*replaced, *dropped}
    if not (hidden or in_delta or rows):
        return
    selects = [_without(connection, "base", table, hidden)]
    if in_delta:
        selects.append(_without(connection, "delta", table, dropped))
    if rows:
        connection.execute(f"CREATE TABLE journal_{table} AS {rows_from_json(table)}", [rows])
        selects.append(f"SELECT {names(table)} FROM journal_{table}")
    connection.execute(f"CREATE VIEW {table} AS {' UNION ALL '.join(selects)}")


def _without(connection: Any, layer: str, table: str, keys: Collection[int]) -> str:
    """SELECT of a layer's rows but those of some keys."""
    select, key = f"SELECT {names(table)} FROM {layer}.main.{table}", KEYS[table]
    if not keys:
        return select
    if len(keys) <= _FEW:
        return f"{select} WHERE NOT {among(key, sorted(keys))}"
    lookup = f"{layer}_hides_{table}"
    connection.execute(f"CREATE TABLE {lookup} AS SELECT unnest(?::INTEGER[]) AS hidden_key", [sorted(keys)])
    return f"{select} ANTI JOIN {lookup} ON {key} = hidden_key"
