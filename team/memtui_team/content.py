"""What the server keeps of a session or a turn as a whole: rows of the index's tables, as compressed JSON.

The form is `{table: {"columns": [...], "rows": [[...], ...]}}`, with values as a journal has them: a time is in
microseconds since 1970, a list of texts is one joined text. The names of the columns are written along, so that each
version of memtui reads what another one wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from memtui_core.store.tables import BIG, BOOL, COLUMNS, INT, LIST, REAL, TEXT, TIME
from memtui_team.errors import TeamError

SESSION_TABLES: Final = ("sessions", "compactions", "pr_links", "forks", "reviews", "review_items")
"""The tables in the content of a session; `sessions` has one row."""
TURN_TABLES: Final = ("turns", "blocks", "file_mentions", "agent_calls", "chunks")
"""The tables in the content of a turn; `turns` has one row."""
MOST_BYTES: Final = 64_000_000
"""The size of a content that is not compressed; a larger one was not written by memtui."""

_LEVEL: Final = 6
"""Of zstd; higher levels take much longer and save less than a tenth."""
_KINDS: Final[dict[str, tuple[type, ...]]] = {
    INT: (int,), BIG: (int,), TIME: (int,), REAL: (float, int), BOOL: (bool,), TEXT: (str,), LIST: (str,),
}  # fmt: skip
_MISSING: Final[dict[str, object]] = {INT: 0, BIG: 0, REAL: 0.0, BOOL: False}
"""What a column gets that the writer did not know; others get NULL."""
_BITS: Final = {INT: 31, BIG: 63, TIME: 63}
_BROKEN: Final = "What the server has of a session is broken: {}."


def encode(tables: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """The rows of some tables, whose values are in the order of `COLUMNS`. Raises TeamError if they are too large."""
    return compress(as_json(tables))


def as_json(tables: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """What `encode` compresses. Raises TeamError if it is too large."""
    content = {name: {"columns": list(COLUMNS[name]), "rows": rows} for name, rows in tables.items()}
    data = orjson.dumps(content)
    if len(data) > MOST_BYTES:
        raise TeamError(f"It has {len(data) / 1e6:,.0f} MB of text; more than {MOST_BYTES / 1e6:,.0f} are not shared.")
    return data


def compress(data: bytes) -> bytes:
    """A content as the server keeps it."""
    import zstandard

    return zstandard.ZstdCompressor(level=_LEVEL).compress(data)


def decode(data: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of the tables that this version knows, with values in the order of `COLUMNS`.

    Raises TeamError for a content that is broken or larger than `MOST_BYTES`.
    """
    import zstandard

    try:
        with zstandard.ZstdDecompressor(max_window_size=MOST_BYTES).stream_reader(data) as stream:
            text = stream.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ValueError("it is too large")
        content = orjson.loads(text)
        if not isinstance(content, dict):
            raise ValueError("it is no object")
        return {name: _rows(name, content[name]) for name in COLUMNS if name in content}
    except (zstandard.ZstdError, ValueError, TypeError, KeyError) as error:
        raise TeamError(_BROKEN.format(error)) from error


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
