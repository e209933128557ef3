"""The texts in the files of any agent, found without knowing the format.

A leaf is a string of several words, or with a character that is not ASCII: names, ids, dates and data are none. It is a
value of a JSON document or of a JSON line, a column of a database, a field of a protobuf message, or a line of another
text file.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from memtui_core.system.compression import zstd

_SQLITE: Final = b"SQLite format 3\0"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_BYTES: Final = 2
"""The type of a field of a protobuf message that holds a text, bytes or a message."""
_FIXED: Final = {1: 8, 5: 4}
"""The types of numbers with a fixed size, and their sizes."""
_KINDS: Final = ("type", "kind", "role", "say")
"""The keys whose value says what an object is."""
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d[\d:.]*(?: ?[+-]\d\d:?\d\d| UTC)?")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z_.-]{0,40}")
"""A name of a file, a field or a kind, and not an id: it has no digits."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text of a file, and where it is: `events.jsonl:<message,user>.content.#<text>.text`."""

    place: str
    text: str


def leaves(folder: Path) -> Iterator[Leaf]:
    """The texts of all files below a folder."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.name.endswith(("-wal", "-shm")):
            continue
        for place, text in _of_file(path):
            name = path.name if _NAME.fullmatch(path.stem.lstrip(".")) else f"?{''.join(path.suffixes[-1:])}"
            yield Leaf(f"{name}:{place}", text)


def strings_in(text: str) -> Iterator[str]:
    """The texts in a JSON value that is written as a text; the text itself if it is none."""
    if text.startswith('"'):
        with suppress(ValueError):
            text = str(json.loads(text))
    yield from (found for _, found in _of_value("", text))


def _of_file(path: Path) -> Iterator[tuple[str, str]]:
    content = path.read_bytes()
    if content.startswith(_SQLITE):
        yield from _of_database(path)
        return
    text = _unpacked(content).decode("utf-8", "replace")
    document = _json(text)
    if document is not None:
        yield from _of_value("", document)
    elif path.name.endswith((".jsonl", ".json", ".jsonl.zst", ".jsonl.zstd")):
        for line in text.split("\n"):
            for entry in entries_in(line):
                yield from _of_value("", entry)
    else:
        for line in text.split("\n"):
            yield from _of_value("line", line.lstrip("#>+ "))


def _of_database(path: Path) -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        # The tables of a full text search repeat texts of others.
        shadowed = tuple(f"{name}_" for name in tables if name.endswith("_fts") or "_fts_" in name)
        for table in (name for name in tables if "_fts" not in name and not name.startswith(("sqlite_", *shadowed))):
            cursor = connection.execute(f'SELECT * FROM "{table}"')
            columns = [column for column, *_ in cursor.description]
            for row in cursor:
                kind = _kind(dict(zip(columns, row, strict=True)))
                for column, value in zip(columns, row, strict=True):
                    yield from _of_value(f"{table}{kind}.{column}", value)


def _of_value(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        place += _kind(value)
        for key, inner in value.items():
            yield from _of_value(f"{place}.{key if _NAME.fullmatch(str(key)) else '?'}".lstrip("."), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _of_value(f"{place}.#", inner)
    elif isinstance(value, bytes):
        yield from _of_bytes(place, value)
    elif isinstance(value, str):
        inner = _json(value)
        if inner is not None:
            yield from _of_value(place, inner)
        elif (len(value.split()) > 1 or not value.isascii()) and not _DATE.fullmatch(value.strip()):
            yield place, value


def _of_bytes(place: str, value: bytes) -> Iterator[tuple[str, str]]:
    plain = _unpacked(value)
    if (fields := _protobuf(plain)) is not None:
        for number, inner in fields:
            yield from _of_value(f"{place}.{number}", inner)
        return
    with suppress(UnicodeDecodeError):
        yield from _of_value(place, plain.decode())


def _kind(value: dict[str, Any]) -> str:
    """What an object is, in angle brackets; empty if it does not say that."""
    names = (value.get(key) for key in _KINDS)
    kind = ",".join(name for name in names if isinstance(name, str) and _NAME.fullmatch(name))
    return f"<{kind}>" if kind else ""


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(_ZSTD):
        return content
    with zstd.ZstdFile(BytesIO(content)) as stream:
        return stream.read()


def _json(text: str) -> Any:
    """The object or list that a text is; None for any other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def entries_in(line: str) -> Iterator[Any]:
    """The values of a line: a program that was stopped may have written two, or a part of one."""
    at = 0
    with suppress(ValueError, RecursionError):
        while line[at:].strip():
            value, at = json.JSONDecoder().raw_decode(line, at + len(line[at:]) - len(line[at:].lstrip()))
            yield value


def _protobuf(raw: bytes) -> list[tuple[int, bytes]] | None:
    """The fields of a message that hold bytes; None if it is none."""
    fields, at = [], 0
    try:
        while at < len(raw):
            tag, at = varint(raw, at)
            number, kind = tag >> 3, tag & 7
            if not 0 < number < 1000 or kind not in {0, _BYTES, *_FIXED}:
                return None
            value, after = (_FIXED[kind], at) if kind in _FIXED else varint(raw, at)
            if kind == _BYTES:
                fields.append((number, raw[after : after + value]))
            at = after if kind == 0 else after + value
    except IndexError:
        return None
    return fields if at == len(raw) and fields else None


def varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number of a protocol buffer, and the place after it."""
    value = shift = 0
    while raw[at] > 0x7F:
        value |= (raw[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | raw[at] << shift, at + 1
