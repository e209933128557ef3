"""Every reader on stores of which some entries were changed.

An entry is a line of JSON lines, a message of a document, a file of a folder of events, a row, a field of a protocol
buffer, or a line of Markdown below a heading. What is around the messages of a document is an entry, too.

An entry counts as changed if it was removed, or if a value in it, of any depth, was removed, renamed or replaced. So
does what says nothing without the value:

- the messages of a list that was broken or removed, with the other files of the session;
- the rows that refer to a row whose id was changed; all rows of a database that lost a column;
- the fields behind the changed length of a field of a protocol buffer.

An entry does not count as changed if it was doubled, swapped with another one (but see `ORDER_COUNTS`), or got a new
field. A text that is also in a changed entry need not be kept: agents repeat texts, and readers show one of them.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import START, Reader, Transcript
from memtui_core.readers.conversion.unknown_notes import LABEL
from memtui_core.readers.records import OPENS_TURN, Message, Record, TitleRecord, UnknownEntry
from memtui_core.readers.registry import reader_of
from memtui_core.system.walk import RegularFile
from support.every_agent import ORDER_COUNTS, STORES, UNKNOWN, original, unknown_beside
from support.store_changes import changes, texts_of, with_halves
from support.stores import Store

_numbers: Final = itertools.count()


@pytest.mark.parametrize("name", STORES)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_a_changed_entry_costs_nothing_else(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.getbasetemp() / "every_reader" / name
    written, unknown = original(name, base / "invented"), partial(unknown_beside, name)
    store = data.draw(changes(written, unknown, order_counts=name in ORDER_COUNTS))
    assert lost_texts(name, store, base) == []


@pytest.mark.parametrize("name", STORES)
def test_half_of_a_character_costs_nothing(name: str, tmp_path: Path) -> None:
    assert lost_texts(name, with_halves(original(name, tmp_path / "invented")), tmp_path) == []


def lost_texts(name: str, store: Store, base: Path) -> list[str]:
    """The texts of unchanged entries that the reader shows without the changes only."""
    reader = reader_of(STORES[name])
    assert reader is not None
    files, expected = as_written(name, base)
    folder = base / str(next(_numbers))
    try:
        store.write(folder)
        records = [record for own in read(reader, [folder / file for file in files]) for record in own]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    shown, notes = shown_in(records), shown_in(record for record in records if is_unknown(record))
    unchanged = [entry.value for series in store.all_series() for entry in series.entries if not entry.changed]
    texts = {text for value in unchanged for text in texts_of(value)}
    lost = "\n".join(store.lost)
    return [
        *(text for text in sorted(texts & expected) if text not in lost and not is_in(text, shown)),
        *(text for text in texts & {UNKNOWN} if not is_in(text, notes)),
    ]


@cache
def as_written(name: str, base: Path) -> tuple[Sequence[str], frozenset[str]]:
    """The files of transcripts and the texts of entries that the reader shows if nothing is changed."""
    reader, store, folder = reader_of(STORES[name]), original(name, base / "invented"), base / "original"
    assert reader is not None
    if not folder.exists():
        store.write(folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and reader.accepts(path))
    shown = shown_in(record for own in read(reader, files) for record in own)
    texts = {text for series in store.all_series() for entry in series.entries for text in texts_of(entry.value)}
    found = frozenset(text for text in texts if is_in(text, shown))
    assert found
    return [str(file.relative_to(folder)) for file in files], found


def read(reader: Reader, files: Iterable[Path]) -> Iterator[list[Record]]:
    """The records of each transcript that can be read."""
    seen = set()
    for path in files:
        reader.accepts(path)
        try:
            status = path.stat()
            found = list(reader.transcripts(RegularFile(path, status.st_size, status.st_mtime_ns)))
        except (SourceUnreadable, FileNotFoundError):
            continue
        for transcript in found:
            if transcript.name not in seen:
                seen.add(transcript.name)
                try:
                    yield records_of(reader, transcript)
                except SourceUnreadable:
                    continue


def records_of(reader: Reader, transcript: Transcript) -> list[Record]:
    """The records of a transcript, which are the same when it is read again, from its start or from a turn on."""
    reading = reader.read(transcript, START)
    records = list(reading)
    reading.identity()
    assert list(reader.read(transcript, START)) == records
    # The store takes no halves of characters and no numbers of more than 64 bits.
    orjson.dumps(records)
    messages = [record for record in records if isinstance(record, Message)]
    turns = [message for message in messages[1:] if message.kind in OPENS_TURN and not message.branch]
    for first in (*messages[:1], *turns, None):
        cursor = reading.cursor(first)
        later = reader.read(transcript, cursor)
        assert following(later, cursor.line) == following(records, cursor.line)
        assert not (messages and later.from_start)
    return records


def following(records: Iterable[Record], line: int) -> list[Record]:
    """The records from a line on, without titles, of which some are yielded by every reading."""
    return [record for record in records if record.line >= line and not isinstance(record, TitleRecord)]


def shown_in(records: Iterable[Record]) -> str:
    """All that the records contain."""
    texts = []
    for record in records:
        if isinstance(record, Message):
            texts += [text for block in record.blocks for text in (block.text, block.detail) if text]
        elif isinstance(record, TitleRecord):
            texts.append(record.text)
        elif isinstance(record, UnknownEntry):
            texts.append(record.raw)
    return "\n".join(texts)


def is_unknown(record: Record) -> bool:
    """Whether it is the note about an entry of an unknown type."""
    return isinstance(record, Message) and any(block.tool == LABEL for block in record.blocks)


def is_in(text: str, shown: str) -> bool:
    """Whether a text is shown as it is, or as JSON."""
    return text in shown or json.dumps(text, ensure_ascii=False)[1:-1] in shown
