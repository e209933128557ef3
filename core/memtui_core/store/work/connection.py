"""The connection of the indexer: which databases are attached to it, and how rows are inserted.

The work database, its base and new files are attached to one instance of DuckDB: to start one takes longer than to
attach a file to it fifteen times. Rows are inserted as Arrow tables: one statement with parameters for each row is a
hundred times slower.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import duckdb
from arro3.core import Array, DataType, Table

from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import create_tables
from memtui_core.store.tables import (
    BIG,
    BOOL,
    COLUMNS,
    INT,
    LIST,
    REAL,
    TEXT,
    TIME,
    TableRows,
    column_list,
    column_value,
)

WORK: Final = "work"
"""The name under which the work database is attached."""
BLOCK_SIZE: Final = 32_768
"""Bytes of a block: with the default, eight times as many, a database of 2 MB takes 6, and one of 7 MB takes 10."""
SMALL_BLOCKS: Final = 16_384
"""Bytes of a block of a database with few rows: an almost empty one takes 0.13 MB."""
CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "storage_compatibility_version": "latest",
    "default_block_size": str(BLOCK_SIZE),
    "memory_limit": "200MB",
    "threads": 1,
}
"""The settings of the connection."""


def connect(data: DataDir) -> duckdb.DuckDBPyConnection:
    """A connection to which nothing is attached."""
    connection = duckdb.connect(":memory:", config={**CONFIG, "temp_directory": f"{data.work}.tmp"})
    # The write-ahead log is enough between two checkpoints, and a short run must not rewrite tables at its end.
    connection.execute("PRAGMA disable_checkpoint_on_shutdown")
    return connection


def attach_work(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Attach a file as the work database, in which all names are looked up from now on."""
    connection.execute(f"ATTACH {_quoted(path)} AS {WORK}; USE {WORK}")


def attach_new(connection: duckdb.DuckDBPyConnection, path: Path, name: str, block_size: int = BLOCK_SIZE) -> None:
    """Attach a new, empty file, which replaces what a process that died has left of one."""
    remove_file(path)
    connection.execute(f"ATTACH {_quoted(path)} AS {name} (BLOCK_SIZE {block_size})")


@contextmanager
def attached_part(connection: duckdb.DuckDBPyConnection, part: Path, new_blocks: int | None = None) -> Iterator[None]:
    """Attach a file that is being written as `part`.

    With `new_blocks`, the bytes of a block, it is a new one with the tables of the newest schema.
    """
    if new_blocks is None:
        connection.execute(f"ATTACH {_quoted(part)} AS part")
    else:
        attach_new(connection, part, "part", new_blocks)
    try:
        if new_blocks is not None:
            with connection.cursor() as cursor:
                cursor.execute("USE part; BEGIN")
                create_tables(cursor)
                cursor.execute("COMMIT")
        yield
    except BaseException:
        with suppress(duckdb.Error):
            connection.execute("ROLLBACK")
        with suppress(duckdb.Error):
            connection.execute("DETACH part")
        raise
    connection.execute("DETACH part")


def detach_all(connection: duckdb.DuckDBPyConnection) -> None:
    """Detach the work database and what belongs to it."""
    connection.execute("USE memory")
    for name in (WORK, "base", "delta"):
        connection.execute(f"DETACH DATABASE IF EXISTS {name}")


def remove_file(path: Path) -> None:
    """Remove a database with its write-ahead log, if there is one."""
    for leftover in (path, path.with_name(f"{path.name}.wal")):
        leftover.unlink(missing_ok=True)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


_ARROW: Final = {
    INT: DataType.int32(),
    BIG: DataType.int64(),
    REAL: DataType.float64(),
    TEXT: DataType.utf8(),
    BOOL: DataType.bool(),
    TIME: DataType.int64(),
    LIST: DataType.utf8(),
}


def arrow_table(kinds: dict[str, str], columns: Sequence[Sequence[Any]]) -> Table:
    """Columns as an Arrow table, which DuckDB scans by its capsule interface; times are microseconds since 1970."""
    return Table.from_pydict(
        {name: Array(values, _ARROW[kind]) for (name, kind), values in zip(kinds.items(), columns, strict=True)}
    )


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: TableRows, schema: str = "main") -> None:
    """Append rows, whose columns are in the order of `COLUMNS`, to a table of a schema."""
    if not rows:
        return
    kinds = COLUMNS[table]
    connection.register("incoming", arrow_table(kinds, rows.columns))
    try:
        values = ", ".join(column_value(name, kind) for name, kind in kinds.items())
        connection.execute(f"INSERT INTO {schema}.{table} ({column_list(table)}) SELECT {values} FROM incoming")
    finally:
        connection.unregister("incoming")
