"""The rows of sessions as lines of JSON that people and programs can read without memtui.

Each line is one row: `{"table": "turns", "id": 7, ...}`, with the names of the columns, times as ISO 8601 in UTC, and
lists of texts as lists. `docs/export.md` describes them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.archive.table_content import tables_from_json
from memtui_core.store.tables import COLUMNS, LIST, LIST_SEPARATOR, TIME

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_FIRST_TABLES: Final = ("sessions", "sources", "turns", "blocks")
"""What a reader wants to see first."""


def lines_of(rows: SessionRows) -> Iterator[bytes]:
    """The rows as lines, each with its line end."""
    tables = [name for name in _FIRST_TABLES if name in rows.tables]
    for table in (*tables, *(name for name in rows.tables if name not in _FIRST_TABLES)):
        kinds = COLUMNS[table]
        for row in rows.named(table):
            values = {name: _shown(kinds[name], value) for name, value in row.items()}
            yield orjson.dumps({"table": table, **values}, option=orjson.OPT_APPEND_NEWLINE)


def rows_from_lines(lines: Iterable[bytes]) -> SessionRows:
    """The rows of lines, also of another version of memtui. Raises ValueError for a line that is no row."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        try:
            row = orjson.loads(line)
            rows[row.pop("table")].append(row)
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"line {number} is no row") from error
    tables = {}
    for table, own in rows.items():
        kinds = COLUMNS.get(table, {})
        columns = list(dict.fromkeys(name for row in own for name in row))
        tables[table] = {
            "columns": columns,
            "rows": [[_stored(kinds.get(name, ""), row.get(name)) for name in columns] for row in own],
        }
    try:
        return SessionRows(tables_from_json(tables))
    except (TypeError, KeyError) as error:
        raise ValueError(str(error)) from error


def joined(groups: Iterable[SessionRows]) -> SessionRows:
    """Groups of the same index as one."""
    tables: dict[str, list[Any]] = defaultdict(list)
    for group in groups:
        for table, rows in group.tables.items():
            tables[table] += rows
    return SessionRows(dict(tables))


def _shown(kind: str, value: Any) -> Any:
    if value is None:
        return None
    if kind == TIME:
        return (_EPOCH + value * _MICROSECOND).isoformat().replace("+00:00", "Z")
    if kind == LIST:
        return value.split(LIST_SEPARATOR) if value else []
    return value


def _stored(kind: str, value: Any) -> Any:
    if kind == TIME and isinstance(value, str):
        return (datetime.fromisoformat(value) - _EPOCH) // _MICROSECOND
    if kind == LIST and isinstance(value, list):
        return LIST_SEPARATOR.join(map(str, value))
    return value
