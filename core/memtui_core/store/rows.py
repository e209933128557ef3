"""Insert rows into DuckDB as Arrow tables: one statement with parameters for each row is a hundred times slower."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import duckdb
from arro3.core import Array, DataType, Table

from memtui_core.store.table_rows import TableRows
from memtui_core.store.tables import BIG, BOOL, COLUMNS, INT, LIST, REAL, TEXT, TIME, column_list, column_value

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
