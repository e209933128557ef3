"""The texts of entries that a reader does not know, as notes of the conversation: they are shown folded and found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

import orjson

from memtui_core.readers.conversion.messages import add_note
from memtui_core.readers.records import Message, Record, UnknownEntry

LABEL: Final = "unknown"
"""The label of such a note."""


class UnknownNotes:
    """Adds a note behind each unknown entry of a transcript that contains a text."""

    def __init__(self) -> None:
        self._before: Message | None = None

    def added(self, records: Iterable[Record], offset: int, session_id: str) -> Iterator[Record]:
        """The records of an entry with the notes; `offset` is where the entry starts.

        The first message of an entry can open a turn, from which reading continues: no note of the entry is before it.
        """
        waiting: list[UnknownEntry] = []
        has_message = False
        for record in records:
            yield record
            if isinstance(record, Message):
                self._before, has_message = record, True
            elif isinstance(record, UnknownEntry):
                waiting.append(record)
            if has_message:
                yield from self._notes(waiting, offset, session_id)
        yield from self._notes(waiting, offset, session_id)

    def _notes(self, entries: list[UnknownEntry], offset: int, session_id: str) -> Iterator[Message]:
        for entry in entries:
            if texts := list(texts_in(entry.raw)):
                yield self._note(entry, "\n".join([entry.kind, *texts]), offset, session_id)
        entries.clear()

    def _note(self, entry: UnknownEntry, text: str, offset: int, session_id: str) -> Message:
        before = self._before
        # Such an entry may have no id. In a copy or a fork of the transcript it follows the same message.
        place = before.uuid if before is not None and before.uuid is not None else session_id
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
        note = Message(entry.line, offset, "note", "system", uuid=f"{place}/{LABEL}/{digest}")
        if before is not None:
            note.at, note.sidechain, note.branch = before.at, before.sidechain, before.branch
        add_note(note, text, LABEL)
        return note


def texts_in(raw: str) -> Iterator[str]:
    """The texts in an entry as JSON: strings of several words, not ids, names, dates and data."""
    try:
        value = orjson.loads(raw)
    except ValueError:
        value = raw
    yield from _texts(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        # In some languages there are no blanks between words.
        if len(value.split()) > 1 or not value.isascii():
            yield value.strip()
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
