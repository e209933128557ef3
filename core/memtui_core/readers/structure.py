"""The structure of transcripts without their contents: keys, types of values and kinds of entries.

A report of it can be attached to an issue: no text, number, path, name or id of the user is in it.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.formats.jsonl import ZSTD, LineReader, decode
from memtui_core.readers.formats.sqlite import columns_of, opened

TEXT, NUMBER, TRUTH, NOTHING = "text", "number", "true or false", "nothing"
"""What stands for a value."""
KEY: Final = "<key>"
"""Stands for a key that may be a path, an id or a name."""
_KINDS: Final = frozenset({"type", "role", "kind", "subtype", "status"})
"""Keys whose values name the kind of an entry, and are kept."""
_KIND: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]{0,39}")
_NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,31}")
_ID: Final = re.compile(r"(?=.*\d)[0-9A-Fa-f_]{12,}|.*\d{5}.*")
_FREE: Final = frozenset(
    {
        *("args", "arguments", "env", "headers", "input", "output", "parameters", "params", "properties", "rawArgs"),
        *("details", "inputSchema", "outputSchema", "result", "schema", "structuredContent", "structured_output"),
    }
)
"""Fields in which tools and users choose the keys."""
_MOST_KEYS: Final = 60
_MOST_LINES: Final = 5000
_MOST_ROWS: Final = 300
_MOST_SHAPES: Final = 200
_DEEPEST: Final = 12
_LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a document that is read for its structure."""


def shape_of(value: Any, depth: int = 0, *, is_free: bool = False) -> Any:
    """The structure of a JSON value: an object by its keys, a list by the different structures in it."""
    if isinstance(value, Mapping):
        if depth > _DEEPEST:
            return {}
        is_free = is_free or len(value) > _MOST_KEYS
        shape: dict[str, Any] = {}
        for name, inner in value.items():
            if name in _KINDS and isinstance(inner, str) and is_kind(inner) and not is_free:
                shape[name] = f"={inner}"
            else:
                shape[_key(name, is_free)] = shape_of(inner, depth + 1, is_free=is_free or name in _FREE)
        return shape
    if isinstance(value, list):
        return _different(shape_of(inner, depth + 1, is_free=is_free) for inner in value) if depth <= _DEEPEST else []
    if isinstance(value, bool):
        return TRUTH
    return NOTHING if value is None else NUMBER if isinstance(value, int | float) else TEXT


def is_kind(text: str) -> bool:
    """Whether a text can be the name of a kind of entries, and no path, id or text of the user."""
    return _KIND.fullmatch(text) is not None and _ID.fullmatch(text) is None


def structures(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """The different structures of the entries of files, each with how often it occurs, the most frequent first.

    An entry is a line, a document, or a row of a database. A file that cannot be read is left out.
    """
    counts: Counter[bytes] = Counter()
    for path in paths:
        try:
            counts.update(orjson.dumps(shape, option=orjson.OPT_SORT_KEYS) for shape in _of_file(path))
        except (OSError, SourceUnreadable):
            continue
    return [{"count": count, **orjson.loads(shape)} for shape, count in counts.most_common(_MOST_SHAPES)]


def _of_file(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        head = file.read(16)
    if head.startswith(b"SQLite format 3"):
        yield from _of_database(path)
    elif path.suffix in {".jsonl", ZSTD}:
        for line in LineReader(path):
            if line.number >= _MOST_LINES:
                return
            yield from ({"in": "lines", "entry": shape_of(entry)} for entry in decode(line.raw)[0])
    elif path.suffix == ".json" and path.stat().st_size <= _LARGEST:
        try:
            yield {"in": "document", "entry": shape_of(orjson.loads(path.read_bytes()))}
        except orjson.JSONDecodeError:
            yield {"in": "document", "entry": "not JSON"}
    else:
        yield {"in": f"file {path.suffix}", "entry": TEXT}


def _of_database(path: Path) -> Iterator[dict[str, Any]]:
    with opened(path) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in sorted(name for name in names if _NAME.fullmatch(name) and not name.startswith("sqlite_")):
            columns = sorted(columns_of(connection, table))
            rows = connection.execute(f'SELECT * FROM "{table}" LIMIT {_MOST_ROWS}').fetchall()
            if not rows:
                yield {"in": f"table {table}", "entry": dict.fromkeys(columns, NOTHING)}
            for row in rows:
                yield {"in": f"table {table}", "entry": {name: _of_column(row, name) for name in columns}}


def _of_column(row: sqlite3.Row, name: str) -> Any:
    value = row[name]
    if isinstance(value, str | bytes) and value[:1] in ("{", "[", b"{", b"["):
        try:
            return {"JSON": shape_of(orjson.loads(value))}
        except orjson.JSONDecodeError:
            return TEXT
    if name in _KINDS and isinstance(value, str) and is_kind(value):
        return f"={value}"
    return "bytes" if isinstance(value, bytes) else shape_of(value)


def _different(shapes: Iterable[Any]) -> list[Any]:
    known = {orjson.dumps(shape, option=orjson.OPT_SORT_KEYS): shape for shape in shapes}
    return [known[key] for key in sorted(known)]


def _key(name: str, is_free: bool) -> str:
    return KEY if is_free or not _NAME.fullmatch(name) or _ID.fullmatch(name) else name
