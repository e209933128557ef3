"""Files of JSON lines for the tests of readers: writing, growing and damaging them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from hypothesis import strategies as st

from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.base import START, Cursor, Reader, Reading
from memtui_core.readers.locations import Location
from memtui_core.readers.records import Record
from memtui_core.system.walk import RegularFile
from support.indexes import update
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


def grown(
    agent: str, folder: Path, files: Mapping[Path, tuple[bytes, Sequence[int]]], data: Path, *, one_process: bool
) -> Picture:
    """The index of files that were read after each of their cuts and at the end.

    They grow at the same time, and are read by one process, or by one process each time.
    """
    indexer = Indexer(data)
    for number in range(max(len(cuts) for _, cuts in files.values()) + 1):
        for path, (content, cuts) in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content[: [*cuts, len(content)][min(number, len(cuts))]])
        if not one_process:
            indexer.close()
            indexer = Indexer(data)
        for _ in indexer.update([Location(agent, folder)]):
            pass
    indexer.close()
    return picture(data)


def read_as_it_grows(
    agent: str, folder: Path, files: Mapping[Path, tuple[bytes, Sequence[int]]], tmp_path: Path
) -> Picture:
    """The index of files with their cuts, which is the same if they are read while they grow.

    One process reads them after each cut, and then one process each time.
    """
    one = grown(agent, folder, files, tmp_path / "one", one_process=True)
    several = grown(agent, folder, files, tmp_path / "several", one_process=False)
    update(tmp_path / "fresh", folder, agent=agent)
    fresh = picture(tmp_path / "fresh")
    assert one == fresh
    assert several == fresh
    return fresh


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
