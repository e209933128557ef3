"""Files of JSON lines for the tests of readers: writing, growing and damaging them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
from hypothesis import strategies as st

from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.base import START, Cursor, Reader, Reading
from memtui_core.readers.locations import Location
from memtui_core.readers.records import Record
from memtui_core.system.walk import RegularFile
from support.pictures import Picture, picture

Entries = Sequence[dict[str, Any]]


def encoded(entries: Iterable[dict[str, Any]]) -> bytes:
    """The entries as compact JSON lines."""
    return b"".join(orjson.dumps(entry) + b"\n" for entry in entries)


def write_lines(path: Path, entries: Iterable[dict[str, Any]]) -> Path:
    """Write entries as a new file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(entries))
    return path


def opened(reader: Reader, path: Path, cursor: Cursor = START) -> Reading:
    """The transcript of a file, to be read from a cursor on."""
    status = path.stat()
    (transcript,) = reader.transcripts(RegularFile(path, status.st_size, status.st_mtime_ns))
    return reader.read(transcript, cursor)


def records_of(reader: Reader, path: Path) -> list[Record]:
    """All records of a file."""
    return list(opened(reader, path))


def grown(agent: str, path: Path, content: bytes, cuts: Iterable[int], data: Path, *, one_process: bool) -> Picture:
    """The index of a file that was read after each cut and at the end, by one process or by one process each time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    indexer = Indexer(data)
    for cut in [*cuts, len(content)]:
        path.write_bytes(content[:cut])
        if not one_process:
            indexer.close()
            indexer = Indexer(data)
        for _ in indexer.update([Location(agent, path.parent)]):
            pass
    indexer.close()
    return picture(data)


@st.composite
def damaged(draw: st.DrawFn, entries: Entries) -> list[dict[str, Any]]:
    """The entries with some values of any depth replaced by values of other types; the last entry stays."""
    result = copy.deepcopy(list(entries))
    for _ in range(draw(st.integers(1, 4))):
        places = [place for entry in result[:-1] for place in _places(entry)]
        container, key = draw(st.sampled_from(places))
        container[key] = draw(_VALUES)
    return result


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "\x00", "2026-11-01", "0001-01-01T00:00:00+14:00", "*** Begin Patch", "1", "text" * 50]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id", "x"]), inner),
    max_leaves=6,
)
