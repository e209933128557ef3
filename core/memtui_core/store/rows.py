"""Rows on their way into DuckDB, in batches by Arrow: a list parameter a row is a hundred times slower."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import duckdb
from arro3.core import Array, DataType, Table

LIST_SEPARATOR: Final = "\x1f"
"""Joins a list of strings on its way into a VARCHAR[] column."""

_INT, _BIG, _TEXT, _BOOL, _TIME, _LIST = "int", "big", "text", "bool", "time", "list"
_ARROW: Final = {
    _INT: DataType.int32(),
    _BIG: DataType.int64(),
    _TEXT: DataType.utf8(),
    _BOOL: DataType.bool(),
    _TIME: DataType.int64(),
    _LIST: DataType.utf8(),
}
_COLUMNS: Final[dict[str, dict[str, str]]] = {
    "turns": {
        "id": _INT, "session": _INT, "source": _INT, "number": _INT, "line": _INT, "end_line": _INT, "kind": _TEXT,
        "segment": _INT, "user_text": _TEXT, "tool_summary": _LIST, "models": _LIST, "started_at": _TIME,
        "ended_at": _TIME, "input_tokens": _BIG, "output_tokens": _BIG, "cache_read_tokens": _BIG,
        "cache_write_tokens": _BIG, "tool_calls": _INT, "errors": _INT, "provisional": _BOOL, "batch": _INT,
    },
    "blocks": {
        "turn": _INT, "seq": _INT, "line": _INT, "kind": _TEXT, "text": _TEXT, "tool": _TEXT, "tool_id": _TEXT,
        "is_error": _BOOL, "at_time": _TIME, "detail": _TEXT, "entry": _BIG,
    },
    "file_mentions": {
        "session": _INT, "turn": _INT, "line": _INT, "path": _TEXT, "tool": _TEXT, "kind": _TEXT, "is_dir": _BOOL,
    },
    "agent_calls": {
        "session": _INT, "turn": _INT, "tool_id": _TEXT, "agent_id": _TEXT, "agent_type": _TEXT,
        "description": _TEXT, "prompt_hash": _BIG,
    },
    "sources": {
        "id": _INT, "path": _TEXT, "agent": _TEXT, "state": _TEXT, "session": _INT, "size": _BIG, "mtime": _BIG,
        "cursor_offset": _BIG, "cursor_line": _INT, "lines": _INT, "head_hash": _TEXT, "head_size": _INT,
        "error": _TEXT, "indexed_at": _TIME,
    },
    "sessions": {
        "key": _INT, "agent": _TEXT, "session_id": _TEXT, "parent_id": _TEXT, "parent": _INT,
        "parent_tool_id": _TEXT, "agent_type": _TEXT, "project": _TEXT, "root": _TEXT, "worktree": _TEXT,
        "cwd": _TEXT, "branch": _TEXT, "version": _TEXT, "title": _TEXT, "title_rank": _INT, "forked_from": _TEXT,
        "hidden": _BOOL,
    },
    "compactions": {
        "session": _INT, "source": _INT, "line": _INT, "segment": _INT, "at_time": _TIME, "trigger": _TEXT,
        "tokens_before": _BIG,
    },
    "pr_links": {
        "session": _INT, "number": _INT, "url": _TEXT, "repository": _TEXT, "at_time": _TIME, "line": _INT,
    },
    "bad_lines": {"source": _INT, "line": _INT, "reason": _TEXT},
    "titles": {"source": _INT, "leaf": _BIG, "title": _TEXT},
}  # fmt: skip


_ON_CONFLICT: Final = {"pr_links": " ON CONFLICT DO NOTHING"}
"""SPEC S2.5: the first row of a pull request holds."""


def arrow_table(columns: dict[str, str], rows: Sequence[Sequence[Any]]) -> Table:
    """Rows as an Arrow table that DuckDB scans by its capsule interface; times are microseconds since 1970."""
    turned = list(zip(*rows, strict=True))
    return Table.from_pydict(
        {name: Array(values, _ARROW[kind]) for (name, kind), values in zip(columns.items(), turned, strict=True)}
    )


def insert_into(connection: duckdb.DuckDBPyConnection, table: str, incoming: Table) -> None:
    """Append an Arrow table whose columns are called as those of the table."""
    connection.register("incoming", incoming)
    try:
        connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")
    finally:
        connection.unregister("incoming")


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[Any]]) -> int:
    """Append rows, each a value a column in the order of the schema; the number of rows."""
    if not rows:
        return 0
    columns = _COLUMNS[table]
    incoming = arrow_table(columns, rows)
    connection.register("incoming", incoming)
    try:
        connection.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(map(_select, columns.items()))}"
            f" FROM incoming{_ON_CONFLICT.get(table, '')}"
        )
    finally:
        connection.unregister("incoming")
    return len(rows)


def _select(column: tuple[str, str]) -> str:
    name, kind = column
    if kind == _TIME:
        return f"make_timestamp({name})"
    if kind == _LIST:
        return f"CASE WHEN {name} = '' THEN [] ELSE string_split({name}, chr(31)) END"
    return name
