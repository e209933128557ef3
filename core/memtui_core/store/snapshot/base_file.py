"""Writing bases: a copy of a whole work database, or of the last base with the changes of an overlay applied."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

from memtui_core.store.data_folder import DataDir
from memtui_core.store.work.attached import BLOCK_SIZE, attached_part, remove_file
from memtui_core.store.work.overlay import apply_changes
from memtui_core.system.atomic_files import copy_file, replace_file, sync

FREE_SHARE: Final = 5
"""A file of which more than a fifth is unused blocks is written anew."""
FEWEST_FREE: Final = 300_000
"""Unused bytes below which a file is not written anew."""


def write_base(
    connection: duckdb.DuckDBPyConnection, data: DataDir, base: int | None, number: int, *, compact: bool
) -> None:
    """Write a base from a work database whose log is empty; the file appears complete and synced.

    `base` is the one of which the work database is an overlay; None if it is whole. With `compact`, or if a copy would
    have much unused space, all rows are written into a new file.
    """
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
    replace_file(part, target)


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
