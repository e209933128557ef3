"""The delta: a small database with the changes since the base, written from an overlay."""

from __future__ import annotations

from collections.abc import Collection

import duckdb

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot import journal
from memtui_core.store.snapshot.layers import attach_file
from memtui_core.store.snapshot.manifest import Manifest
from memtui_core.store.tables import KEYS, column_list, keys_from_json, rows_from_json
from memtui_core.store.work.attached import SMALL_BLOCKS, attached_part
from memtui_core.store.work.overlay import copy_changes
from memtui_core.system.atomic_files import replace_file, sync


def write_delta(connection: duckdb.DuckDBPyConnection, data: DataDir, number: int) -> int:
    """Write the changes of an overlay as the delta with a number; its size in bytes. It appears complete and synced."""
    path = data.delta(number)
    part = path.with_name(f"{path.name}.part")
    with attached_part(connection, part, SMALL_BLOCKS):
        connection.execute("BEGIN; CREATE TABLE part.replaced (tab VARCHAR NOT NULL, key INTEGER NOT NULL)")
        copy_changes(connection, "part")
        connection.execute("COMMIT; CHECKPOINT part")
    with part.open("rb+") as file:
        sync(file)
    replace_file(part, path)
    return path.stat().st_size


def apply_layers(connection: duckdb.DuckDBPyConnection, data: DataDir, published: Manifest) -> None:
    """Bring a copy of the base to the state of the whole snapshot. Raises OSError and ValueError."""
    if published.delta is not None:
        attach_file(connection, data.delta(published.delta), "delta")
        # An older memtui wrote fewer tables.
        tables = connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'delta'").fetchall()
        for table, key in ((table, key) for table, key in KEYS.items() if (table,) in tables):
            replaced = f"SELECT key FROM delta.replaced WHERE tab = '{table}'"
            connection.execute(f"DELETE FROM {table} WHERE {key} IN ({replaced})")
            connection.execute(
                f"INSERT INTO {table} ({column_list(table)}) SELECT {column_list(table)} FROM delta.main.{table}"
            )
        connection.execute("DETACH delta")
    if published.journal is not None:
        changes = journal.read(data.journal(published.journal), published.journal_bytes)
        for table, key in KEYS.items():
            if dropped := changes.dropped.get(table):
                _create_dropped_keys(connection, dropped)
                connection.execute(f"DELETE FROM {table} WHERE {key} IN (SELECT key FROM dropped_keys)")
            _insert(connection, table, changes.rows_json(table))
    meta: dict[str, int | str] = {"batch": published.batch}
    if (vectors := published.vectors) is not None:
        meta |= {"model": vectors.model, "vectors": vectors.file, "dimension": vectors.dimension}
    for key, value in meta.items():
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, str(value)])


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: str) -> None:
    if rows:
        connection.execute(f"INSERT INTO {table} ({column_list(table)}) {rows_from_json(table)}", [rows])


def _create_dropped_keys(connection: duckdb.DuckDBPyConnection, keys: Collection[int]) -> None:
    connection.execute(f"CREATE OR REPLACE TEMP TABLE dropped_keys AS {keys_from_json('key')}", [str(sorted(keys))])
