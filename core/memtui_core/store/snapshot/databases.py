"""The databases of a snapshot that the indexer writes: bases and deltas.

A base is a copy of a whole work database, or of the last base with the changes of an overlay applied. A delta is a
small database with the changes since the base.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

import duckdb

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot import journal
from memtui_core.store.snapshot.layers import attach_file
from memtui_core.store.snapshot.manifest import Manifest
from memtui_core.store.tables import KEYS, column_list, keys_from_json, rows_from_json
from memtui_core.store.work.connection import BLOCK_SIZE, SMALL_BLOCKS, attached_part, remove_file
from memtui_core.store.work.overlay import apply_changes, copy_changes
from memtui_core.system.atomic_files import copy_file, replace_file, sync
from memtui_core.system.fault_points import fault_point
from memtui_core.system.systems import READS_WHAT_IS_WRITTEN

FREE_SHARE: Final = 5
"""A file of which more than a fifth is unused blocks is written anew."""
FEWEST_FREE: Final = 300_000
"""Unused bytes below which a file is not written anew."""


def write_base(
    connection: duckdb.DuckDBPyConnection, data: DataDir, base: int | None, number: int, *, compact: bool
) -> None:
    """Write a base from a work database whose log is empty; the file appears complete and synced.

    `base` is the one of which the work database is an overlay; None if it is whole. With `compact`, or if a copy would
    have much unused space, all rows are written into a new file; so are those of a whole one that nobody else may read.
    """
    compact = compact or (base is None and not READS_WHAT_IS_WRITTEN)
    target = data.base(number)
    part = target.with_name(f"{target.name}.part")
    remove_file(part)
    if not compact:
        copy_file(data.work if base is None else data.base(base), part)
    if not compact and base is not None:
        compact = not _apply(connection, part)
    if compact:
        write_whole(connection, part)
    with part.open("rb+") as file:
        sync(file)
    fault_point("base-written")
    replace_file(part, target)
    fault_point("base-in-place")


def write_whole(connection: duckdb.DuckDBPyConnection, part: Path) -> None:
    """Write all rows of a work database into a new file."""
    with attached_part(connection, part, BLOCK_SIZE):
        connection.execute("DELETE FROM part.meta")
        for (table,) in connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'part' ORDER BY 1"
        ).fetchall():
            connection.execute(f"INSERT INTO part.{table} BY NAME SELECT * FROM {table}")
        _finish(connection)


def needs_compacting(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Whether a new file with the rows of an attached database would be much smaller."""
    [(block_size, total, free)] = connection.execute(
        "SELECT block_size, total_blocks, free_blocks FROM pragma_database_size() WHERE database_name = ?", [name]
    ).fetchall()
    if block_size > BLOCK_SIZE:
        return True
    return bool(free * block_size >= FEWEST_FREE and free * FREE_SHARE > total)


def _apply(connection: duckdb.DuckDBPyConnection, part: Path) -> bool:
    """Apply the changes to a copy of the base; whether the file is as small as it should be."""
    with attached_part(connection, part):
        connection.execute("BEGIN")
        apply_changes(connection, "part")
        connection.execute("DELETE FROM part.meta")
        connection.execute("INSERT INTO part.meta SELECT key, value FROM meta")
        connection.execute("DELETE FROM part.dropped_turns")
        connection.execute("COMMIT")
        _finish(connection)
        return not needs_compacting(connection, "part")


def _finish(connection: duckdb.DuckDBPyConnection) -> None:
    """Complete the file."""
    connection.execute("DELETE FROM part.meta WHERE key = 'base'")
    connection.execute("CHECKPOINT part")


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
    fault_point("delta-written")
    replace_file(part, path)
    fault_point("delta-in-place")
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
