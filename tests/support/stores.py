"""The files of an agent as lists of entries that can be changed: lines, messages of documents, rows, fields.

A `Store` is what a folder holds. Each of its files is a `StoredFile`, whose entries are in one or more `Series`. A list
of messages inside a document, a row or a blob is a series of its own, for which a `Slot` stands in the value around it.
"""

from __future__ import annotations

import copy
import json
import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from memtui_core.system.compression import zstd
from support.protobuf import fields_of

DEEP: Final = "<a list in a list in a list>"
"""Is written as a list that is nested as deeply as decoders read: no encoder writes it."""
_NESTED: Final = "[" * 900 + "]" * 900
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
"""The first bytes of a compressed blob."""
_MESSAGES: Final = frozenset({"messages", "history", "chatHistory", "chat_messages", "mapping"})
"""The keys of the lists of messages in documents."""
_EVENT: Final = re.compile(r"(?:event-)?(\d+)(-.*)?\.json")
"""The name of a file that is one of a series."""


@dataclass(slots=True)
class Entry:
    """A value of a series; `changed` if it is not what the agent wrote."""

    value: Any
    changed: bool = False


@dataclass(slots=True)
class Series:
    """Entries in their order. The one entry of a document that is no list is `alone`."""

    name: str
    entries: list[Entry]
    alone: bool = False

    def all_entries(self) -> Iterator[Entry]:
        """The entries, and those in them."""
        for entry in self.entries:
            yield entry
            for slot in slots_in(entry.value):
                yield from slot.series.all_entries()


@dataclass(slots=True)
class Slot:
    """Stands for a list of messages in a value. Messages that are values of an object get new keys."""

    series: Series
    keyed: bool = False


def slots_in(value: Any) -> Iterator[Slot]:
    """The lists of messages in a value."""
    if isinstance(value, Slot):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from slots_in(inner)


class StoredFile(ABC):
    """A file, or a folder of numbered files, of which each is an entry."""

    def __init__(self, path: str) -> None:
        self.path = path
        """Relative to the folder of the store."""
        self.series: list[Series] = []

    @abstractmethod
    def write(self, folder: Path) -> None:
        """Write the file below a folder."""


class _Plain(StoredFile):
    """A file whose entries do not change."""

    def __init__(self, path: str, content: bytes) -> None:
        super().__init__(path)
        self._content = content

    def write(self, folder: Path) -> None:
        (folder / self.path).write_bytes(self._content)


class _TextLines(StoredFile):
    """The lines of a text below each of its first headings."""

    def __init__(self, path: str, content: str) -> None:
        super().__init__(path)
        first, *parts = re.split(r"^(# .+)\n", content, flags=re.MULTILINE)
        self._headings = ["", *parts[::2]]
        self.series = [
            Series(f"{path} {heading}", [Entry(line) for line in text.splitlines()])
            for heading, text in zip(self._headings, [first, *parts[1::2]], strict=True)
        ]

    def write(self, folder: Path) -> None:
        lines: list[str] = []
        for heading, series in zip(self._headings, self.series, strict=True):
            lines += [heading, *(entry.value for entry in series.entries)]
        (folder / self.path).write_text("\n".join(lines) + "\n")


class _JsonLines(StoredFile):
    """A file of JSON lines."""

    def __init__(self, path: str, content: str) -> None:
        super().__init__(path)
        # Readers look for some fields before they decode a line.
        self._separators = (", ", ": ") if content.startswith(json.dumps(_line(content.split("\n")[0]))) else (",", ":")
        self.series = [Series(path, [Entry(_line(line)) for line in content.split("\n") if line])]

    def write(self, folder: Path) -> None:
        lines = "".join(f"{_encoded(entry.value, self._separators)}\n" for entry in self.series[0].entries)
        (folder / self.path).write_text(lines)


class _Document(StoredFile):
    """A JSON document: its lists of messages, and what is around them."""

    def __init__(self, path: str, content: str) -> None:
        super().__init__(path)
        self._value = value = _split(json.loads(content), path)
        if not isinstance(value, Slot):
            self.series = [Series(path, [Entry(value)], alone=True)]

    def write(self, folder: Path) -> None:
        value = self.series[0].entries[0].value if self.series else self._value
        (folder / self.path).write_text(_encoded(value))

    @property
    def root(self) -> Any:
        """The list of messages, if the document is one."""
        return self._value


class _Numbered(StoredFile):
    """The numbered documents of a folder: each is an entry."""

    def __init__(self, path: str, contents: Mapping[str, str]) -> None:
        super().__init__(path)
        names = sorted(contents, key=lambda name: int(_EVENT.fullmatch(name)[1]))  # type: ignore[index]
        self._name = "event-{:05}-5f3a9c10-77b2-4d10-9e00-{:012}.json" if "-" in names[0] else "{}.json"
        self.series = [Series(path, [Entry(json.loads(contents[name])) for name in names])]

    def write(self, folder: Path) -> None:
        for number, entry in enumerate(self.series[0].entries):
            (folder / self.path / self._name.format(number, number)).write_text(_encoded(entry.value))


class _Database(StoredFile):
    """A SQLite database: each row is an entry, in which documents are decoded. It is written without constraints."""

    def __init__(self, path: str, file: Path) -> None:
        super().__init__(path)
        self._columns: dict[str, list[str]] = {}
        with closing(sqlite3.connect(file)) as connection:
            connection.row_factory = sqlite3.Row
            for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                if table.startswith("sqlite_"):
                    continue
                cursor = connection.execute(f"SELECT * FROM {table} ORDER BY rowid")
                self._columns[table] = [column[0] for column in cursor.description]
                rows = [_row(dict(row), f"{path} {table}") for row in cursor]
                self.series.append(Series(f"{path} {table}", [Entry(row) for row in rows]))
        self.missing: set[tuple[str, str]] = set()
        """The tables and columns that are not written."""

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The tables and their columns."""
        return [(table, column) for table, columns in self._columns.items() for column in columns]

    def write(self, folder: Path) -> None:
        with closing(sqlite3.connect(folder / self.path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("BEGIN")
            for series, (table, columns) in zip(self.series, self._columns.items(), strict=True):
                kept = [column for column in columns if (table, column) not in self.missing] or ["absent"]
                connection.execute(f"CREATE TABLE {table} ({', '.join(kept)})")
                sql = f"INSERT INTO {table} VALUES ({', '.join('?' * len(kept))})"
                connection.executemany(
                    sql, [[_stored(entry.value, column) for column in kept] for entry in series.entries]
                )
            connection.execute("COMMIT")


class Store:
    """The files of an agent in a folder."""

    def __init__(self, name: str) -> None:
        self.name = name
        """The name of the folder."""
        self.files: list[StoredFile] = []
        self.lost: set[str] = set()
        """The texts of entries that have been changed."""

    def __repr__(self) -> str:
        """The entries that were changed, for the message of a test that fails."""
        return "\n".join(
            f"{series.name}[{place}] = {entry.value!r}"
            for series in self.all_series()
            for place, entry in enumerate(series.entries)
            if entry.changed
        )

    def write(self, folder: Path) -> None:
        """Write the folder into another one."""
        for file in self.files:
            place = folder / self.name / file.path
            (place if isinstance(file, _Numbered) else place.parent).mkdir(parents=True, exist_ok=True)
            file.write(folder / self.name)

    def all_series(self) -> list[Series]:
        """All series, also those inside of entries."""
        found = [series for file in self.files for series in file.series]
        found += [
            file.root.series for file in self.files if isinstance(file, _Document) and isinstance(file.root, Slot)
        ]
        for series in found:
            found += [slot.series for entry in series.entries for slot in slots_in(entry.value)]
        return found

    def beside(self, entry: Entry) -> Iterator[Entry]:
        """The entries of the files in the folder of a file with an entry."""
        for file in self.files:
            if any(one is entry for series in file.series for one in series.entries):
                folder = file.path.rpartition("/")[0]
                for other in self.files:
                    if other.path.rpartition("/")[0] == folder:
                        yield from (one for series in other.series for one in series.all_entries())

    def databases(self) -> list[Any]:
        """The databases."""
        return [file for file in self.files if isinstance(file, _Database)]

    def copy(self) -> Store:
        """A copy that can be changed."""
        return copy.deepcopy(self)


def store_in(folder: Path, patterns: Sequence[str] = ("**/*",)) -> Store:
    """The files below a folder that match one of the patterns."""
    store, numbered = Store(folder.name), set()
    for file in sorted(path for pattern in patterns for path in folder.glob(pattern) if path.is_file()):
        path = file.relative_to(folder).as_posix()
        if file.parent.name == "events" and _EVENT.fullmatch(file.name):
            numbered.add(file.parent)
        elif file.suffix in {".db", ".sqlite", ".sqlite3"}:
            store.files.append(_Database(path, file))
        elif file.suffix in _BY_SUFFIX:
            store.files.append(_BY_SUFFIX[file.suffix](path, file.read_text()))
        else:
            store.files.append(_Plain(path, file.read_bytes()))
    for events in sorted(numbered):
        contents = {file.name: file.read_text() for file in events.iterdir()}
        store.files.append(_Numbered(events.relative_to(folder).as_posix(), contents))
    return store


_BY_SUFFIX: Final[Mapping[str, Callable[[str, str], StoredFile]]] = {
    ".jsonl": _JsonLines,
    ".json": _Document,
    ".md": _TextLines,
}


def _line(text: str) -> Any:
    """The entry in a line; a text if it cannot be decoded."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _split(value: Any, name: str) -> Any:
    """A value with slots in the place of its lists of messages."""
    if isinstance(value, list) and value and not any(_MESSAGES & item.keys() for item in value):
        return Slot(_series(value, name))
    return _with_slots(value, name)


def _with_slots(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_with_slots(inner, name) for inner in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, inner in value.items():
        if key in _MESSAGES and inner and isinstance(inner, dict | list):
            values = inner.values() if isinstance(inner, dict) else inner
            found[key] = Slot(_series(values, f"{name} {key}"), isinstance(inner, dict))
        else:
            found[key] = _with_slots(inner, name)
    return found


def _series(values: Iterable[Any], name: str) -> Series:
    return Series(name, [Entry(value) for value in values])


def _row(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {column: _decoded(value, f"{name} {column}") for column, value in row.items()}


def _decoded(value: Any, name: str) -> Any:
    """What is in a column: a document, the fields of a blob, or a plain value."""
    if isinstance(value, bytes) and value.startswith(_ZSTD):
        return _with_slots(json.loads(zstd.decompress(value)), name)
    if isinstance(value, bytes):
        return Slot(_series(fields_of(value), name))
    try:
        document = orjson.loads(value) if isinstance(value, str) else None
    except ValueError:
        return value
    return _with_slots(document, name) if isinstance(document, dict | list) else value


def _stored(row: Any, column: str) -> Any:
    value = row.get(column) if isinstance(row, dict) else row
    if isinstance(value, Slot):
        return b"".join(entry.value for entry in value.series.entries if isinstance(entry.value, bytes))
    if value == DEEP or isinstance(value, dict | list):
        text = _encoded(value)
        return zstd.compress(text.encode()) if column == "data" and row.get("data_type") == "zstd" else text
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _encoded(value: Any, separators: tuple[str, str] = (", ", ": ")) -> str:
    return json.dumps(_joined(value), separators=separators).replace(json.dumps(DEEP), _NESTED)


def _joined(value: Any) -> Any:
    """A value with its lists of messages."""
    if isinstance(value, Slot):
        entries = [_joined(entry.value) for entry in value.series.entries]
        return {f"key-{number}": entry for number, entry in enumerate(entries)} if value.keyed else entries
    if isinstance(value, dict):
        return {key: _joined(inner) for key, inner in value.items()}
    return [_joined(inner) for inner in value] if isinstance(value, list) else value
