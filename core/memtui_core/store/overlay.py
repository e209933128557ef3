"""The overlay: a work database that contains only what changed since a base, so that nothing is on the disk twice.

Its rows are in the schema `changed`; `replaced` has the keys whose rows in the base are deleted or replaced. Views with
the names of the tables merge base and changes, so that queries are the same for an overlay and a whole database.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

import duckdb

from memtui_core.store import journal
from memtui_core.store.files import DataDir
from memtui_core.store.layers import attach_file
from memtui_core.store.manifest import Manifest
from memtui_core.store.schema import VERSION, migrate, version_of
from memtui_core.store.tables import COLUMNS, KEYS, column_list, key_condition, rows_from_json

SCHEMA: Final = "changed"
BLOCK_SIZE: Final = 32_768
"""Bytes of a block: with the default, eight times as many, a database of 2 MB takes 6, and one of 7 MB takes 10."""
CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "storage_compatibility_version": "latest",
    "default_block_size": str(BLOCK_SIZE),
    "memory_limit": "200MB",
    "threads": 1,
}
"""The settings of a work database."""
SMALL_BLOCKS: Final = "16384"
"""Bytes of a block of a database with few rows: an almost empty one takes 0.13 MB."""


def base_of(connection: duckdb.DuckDBPyConnection) -> int | None:
    """The number of the base of a work database; None if it is not an overlay."""
    rows = connection.execute("SELECT value FROM meta WHERE key = 'base'").fetchall() if version_of(connection) else []
    return int(rows[0][0]) if rows else None


def create_overlay(path: Path, data: DataDir, base: int, meta: Mapping[str, str]) -> duckdb.DuckDBPyConnection:
    """Create an overlay of a base of the newest schema, and open it; `meta` are more rows of its table."""
    for leftover in (path, path.with_name(f"{path.name}.wal")):
        leftover.unlink(missing_ok=True)
    connection = duckdb.connect(str(path), config=CONFIG | {"default_block_size": SMALL_BLOCKS})
    try:
        connection.execute(f"CREATE SCHEMA {SCHEMA}")
        connection.execute(f"USE {SCHEMA}")
        migrate(connection)
        connection.execute("USE main")
        attach_file(connection, data.base(base), "base")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE replaced (tab VARCHAR NOT NULL, key INTEGER NOT NULL)")
        connection.execute("CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)")
        connection.execute("CREATE TABLE dropped_turns (turn INTEGER NOT NULL, batch INTEGER NOT NULL)")
        for table in ("meta", "dropped_turns"):
            connection.execute(f"DROP TABLE {SCHEMA}.{table}")
        for key, value in {**meta, "schema": str(VERSION), "base": str(base)}.items():
            connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])
        for table in COLUMNS:
            connection.execute(f"CREATE VIEW {table} AS {_merged(table)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def replaced_keys(connection: duckdb.DuckDBPyConnection) -> dict[str, set[int]]:
    """The keys of each table whose rows in the base are deleted or replaced."""
    rows = connection.execute("SELECT tab, list(key) FROM replaced GROUP BY tab").fetchall()
    return {table: set(keys) for table, keys in rows}


def replace_in_base(connection: duckdb.DuckDBPyConnection, table: str, keys: Collection[int]) -> None:
    """Record that the rows of keys that are not recorded yet do not count in the base, if it has any."""
    key = KEYS[table]
    connection.execute(
        f"INSERT INTO replaced SELECT DISTINCT '{table}', {key} FROM base.main.{table} WHERE {key_condition(key, keys)}"
    )


def copy_changes(connection: duckdb.DuckDBPyConnection, target: str) -> None:
    """Copy the changes of an overlay to an attached database with the tables of a delta."""
    connection.execute(f"INSERT INTO {target}.main.replaced SELECT tab, key FROM replaced")
    for table in COLUMNS:
        columns = column_list(table)
        connection.execute(f"INSERT INTO {target}.main.{table} ({columns}) SELECT {columns} FROM {SCHEMA}.{table}")


def apply_changes(connection: duckdb.DuckDBPyConnection, target: str) -> None:
    """Apply the changes of an overlay to an attached copy of its base."""
    for table, key in KEYS.items():
        columns = column_list(table)
        connection.execute(
            f"DELETE FROM {target}.main.{table} WHERE {key} IN (SELECT r.key FROM replaced r WHERE r.tab = '{table}')"
        )
        connection.execute(f"INSERT INTO {target}.main.{table} ({columns}) SELECT {columns} FROM {SCHEMA}.{table}")


def read_layers(connection: duckdb.DuckDBPyConnection, data: DataDir, published: Manifest) -> None:
    """Bring an empty overlay to the state of a snapshot with the same base. Raises OSError and ValueError."""
    if published.delta is not None:
        attach_file(connection, data.delta(published.delta), "delta", published.delta_bytes)
        # An older memtui wrote fewer tables.
        tables = connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'delta'").fetchall()
        connection.execute("INSERT INTO replaced SELECT tab, key FROM delta.main.replaced")
        for table in (table for table in COLUMNS if (table,) in tables):
            columns = column_list(table)
            connection.execute(f"INSERT INTO {SCHEMA}.{table} ({columns}) SELECT {columns} FROM delta.main.{table}")
    if published.journal is not None:
        changes = journal.read(data.journal(published.journal), published.journal_bytes)
        known = replaced_keys(connection)
        for table, key in KEYS.items():
            if dropped := changes.dropped.get(table):
                connection.execute(f"DELETE FROM {SCHEMA}.{table} WHERE {key_condition(key, dropped)}")
                replace_in_base(connection, table, dropped - known.get(table, set()))
            if rows := changes.rows_json(table):
                columns = column_list(table)
                connection.execute(f"INSERT INTO {SCHEMA}.{table} ({columns}) {rows_from_json(table)}", [rows])


def _merged(table: str) -> str:
    """SELECT of the rows of the base that are not replaced, and of the changed rows."""
    columns = ", ".join(f"b.{name}" for name in COLUMNS[table])
    return (
        f"SELECT {columns} FROM base.main.{table} b ANTI JOIN (SELECT key AS replaced_key FROM main.replaced"
        f" WHERE tab = '{table}') r ON b.{KEYS[table]} = r.replaced_key"
        f" UNION ALL SELECT {column_list(table)} FROM {SCHEMA}.{table}"
    )
