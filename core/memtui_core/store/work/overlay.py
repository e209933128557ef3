"""The overlay: a work database that contains only what changed since a base, so that nothing is on the disk twice.

Its rows are in the schema `changed`; `replaced` has the keys whose rows in the base are deleted or replaced. Views with
the names of the tables merge base and changes, so that queries are the same for an overlay and a whole database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb

from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import VERSION, create_tables
from memtui_core.store.snapshot import journal
from memtui_core.store.snapshot.layers import attach_file
from memtui_core.store.snapshot.manifest import Manifest
from memtui_core.store.tables import COLUMNS, KEYS, column_list, key_condition, rows_from_json
from memtui_core.store.work.connection import SMALL_BLOCKS, WORK, attach_new, detach_all

SCHEMA: Final = "changed"


def base_of(meta: Mapping[str, str]) -> int | None:
    """The number of the base of a work database with these values in `meta`; None if it is not an overlay."""
    return int(meta["base"]) if "base" in meta else None


@contextmanager
def new_overlay(
    connection: duckdb.DuckDBPyConnection, path: Path, data: DataDir, base: int, meta: Mapping[str, str]
) -> Iterator[None]:
    """Create an overlay of a base of the newest schema; within the block it is the work database, with its base.

    `meta` are more rows of its table. Nothing may be attached before, and nothing is afterwards.
    """
    attach_new(connection, path, WORK, SMALL_BLOCKS)
    attach_file(connection, data.base(base), "base")
    connection.execute(f"BEGIN; CREATE SCHEMA {WORK}.{SCHEMA}; USE {WORK}.{SCHEMA}")
    create_tables(connection)
    connection.execute(
        f"USE {WORK}; DROP TABLE {SCHEMA}.meta; DROP TABLE {SCHEMA}.dropped_turns;"
        "CREATE TABLE replaced (tab VARCHAR NOT NULL, key INTEGER NOT NULL);"
        "CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL);"
        "CREATE TABLE dropped_turns (turn INTEGER NOT NULL, batch INTEGER NOT NULL);"
    )
    rows = {**meta, "schema": str(VERSION), "base": str(base)}
    connection.execute("INSERT INTO meta SELECT unnest(?), unnest(?)", [list(rows), list(rows.values())])
    connection.execute(";".join(f"CREATE VIEW {table} AS {_merged(table)}" for table in COLUMNS))
    yield
    connection.execute("COMMIT; CHECKPOINT")
    detach_all(connection)


def replaced_keys(connection: duckdb.DuckDBPyConnection) -> dict[str, set[int]]:
    """The keys of each table whose rows in the base are deleted or replaced."""
    rows = connection.execute("SELECT tab, list(key) FROM replaced GROUP BY tab").fetchall()
    return {table: set(keys) for table, keys in rows}


def copy_from_base(connection: duckdb.DuckDBPyConnection, table: str, keys: Collection[int]) -> None:
    """Copy the rows of keys that the base still shows into the overlay.

    They are read from the base alone: a query of base and overlay also returns the rows that it inserts itself.
    """
    key, columns = KEYS[table], column_list(table)
    connection.execute(
        f"INSERT INTO {SCHEMA}.{table} ({columns}) SELECT {columns} FROM base.main.{table}"
        f" WHERE {key_condition(key, keys)} AND {key} NOT IN (SELECT key FROM replaced WHERE tab = '{table}')"
    )


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
