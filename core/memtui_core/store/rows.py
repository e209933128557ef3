"""Rows on their way into DuckDB, in batches by Arrow: a list parameter a row is a hundred times slower."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import duckdb
from arro3.core import Array, DataType, Table

from memtui_core.store.tables import BIG, BOOL, COLUMNS, INT, LIST, REAL, TEXT, TIME, names, value

_ARROW: Final = {
    INT: DataType.int32(),
    BIG: DataType.int64(),
    REAL: DataType.float64(),
    TEXT: DataType.utf8(),
    BOOL: DataType.bool(),
    TIME: DataType.int64(),
    LIST: DataType.utf8(),
}


def arrow_table(columns: dict[str, str], rows: Sequence[Sequence[Any]]) -> Table:
    """Rows as an Arrow table that DuckDB scans by its capsule interface; times are microseconds since 1970."""
    turned = list(zip(*rows, strict=True))
    return Table.from_pydict(
        {name: Array(values, _ARROW[kind]) for (name, kind), values in zip(columns.items(), turned, strict=True)}
    )


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[Any]]) -> int:
    """Append rows, each a value a column in the order of `COLUMNS`; the number of rows."""
    if not rows:
        return 0
    columns = COLUMNS[table]
    connection.register("incoming", arrow_table(columns, rows))
    try:
        values = ", ".join(value(name, kind) for name, kind in columns.items())
        connection.execute(f"INSERT INTO {table} ({names(table)}) SELECT {values} FROM incoming")
    finally:
        connection.unregister("incoming")
    return len(rows)
