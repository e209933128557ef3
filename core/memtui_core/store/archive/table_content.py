"""Rows of tables as JSON, with the names of the columns, so that each version of memtui reads what another one wrote.

The form is `{table: {"columns": [...], "rows": [[...], ...]}}`, with values as a journal has them: a time is in
microseconds since 1970, a list of texts is one joined text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from memtui_core.store.tables import BIG, BOOL, COLUMNS, INT, LIST, REAL, TEXT, TIME

_KINDS: Final[dict[str, tuple[type, ...]]] = {
    INT: (int,), BIG: (int,), TIME: (int,), REAL: (float, int), BOOL: (bool,), TEXT: (str,), LIST: (str,),
}  # fmt: skip
_MISSING: Final[dict[str, object]] = {INT: 0, BIG: 0, REAL: 0.0, BOOL: False}
"""What a column gets that the writer did not know; others get NULL."""
_BITS: Final = {INT: 31, BIG: 63, TIME: 63}


def tables_to_json(tables: Mapping[str, Sequence[Sequence[object]]]) -> dict[str, Any]:
    """The rows of some tables, whose values are in the order of `COLUMNS`, as a value for JSON."""
    return {name: {"columns": list(COLUMNS[name]), "rows": rows} for name, rows in tables.items()}


def tables_from_json(content: Any) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of the tables that this version knows, with values in the order of `COLUMNS`.

    Raises ValueError, TypeError and KeyError for a value of another form.
    """
    if not isinstance(content, dict):
        raise ValueError("it is no object")
    return {name: _rows(name, content[name]) for name in COLUMNS if name in content}


def _rows(table: str, part: Any) -> list[tuple[Any, ...]]:
    columns, rows = part["columns"], part["rows"]
    places = {name: place for place, name in enumerate(columns)}
    if any(len(row) != len(columns) for row in rows):
        raise ValueError(f"a row of {table} has not as many values as columns")
    filled = [_column(f"{table}.{name}", kind, places.get(name), rows) for name, kind in COLUMNS[table].items()]
    return list(zip(*filled, strict=True))


def _column(name: str, kind: str, place: int | None, rows: Sequence[Sequence[Any]]) -> list[Any]:
    if place is None:
        return [_MISSING.get(kind)] * len(rows)
    values = [row[place] for row in rows]
    allowed, bits = _KINDS[kind], _BITS.get(kind)
    for value in values:
        if value is not None and (type(value) not in allowed or (bits is not None and not _fits(value, bits))):
            raise ValueError(f"{name} has a value of another kind")
    return values


def _fits(value: int, bits: int) -> bool:
    return -(1 << bits) <= value < 1 << bits
