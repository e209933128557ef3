"""The texts of entries that a reader does not know, as notes of the conversation: they are shown folded and found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

from memtui_core.readers.messages import add_note
from memtui_core.readers.records import Message, Record, UnknownEntry
from memtui_core.text.json_values import json_value

LABEL: Final = "unknown"
"""The label of such a note."""


class UnknownNotes:
    """Adds a note behind each unknown entry of a transcript that contains a text, and behind its first message."""

    def __init__(self) -> None:
        self._before: Message | None = None
        self._waiting: list[tuple[UnknownEntry, str]] = []
        """The entries before the first message with their texts: a file without a message is no transcript."""

    def added(self, records: Iterable[Record], offset: int, session_id: str) -> Iterator[Record]:
        """The records of an entry with the notes; `offset` is where the entry starts."""
        for record in records:
            yield record
            if isinstance(record, Message):
                self._before = record
            elif isinstance(record, UnknownEntry) and (texts := list(texts_in(record.raw))):
                self._waiting.append((record, "\n".join([record.kind, *texts])))
            if self._before is not None and self._waiting:
                waiting, self._waiting = self._waiting, []
                for entry, text in waiting:
                    yield _note(entry, text, self._before, offset, session_id)


def _note(entry: UnknownEntry, text: str, before: Message, offset: int, session_id: str) -> Message:
    # Such an entry may have no id. In a copy or a fork of the transcript it follows the same message.
    place = session_id if before.uuid is None else before.uuid
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    line = max(entry.line, before.line)
    note = Message(line, offset, "note", "system", uuid=f"{place}/{LABEL}/{digest}")
    note.at, note.sidechain, note.branch = before.at, before.sidechain, before.branch
    add_note(note, text, LABEL)
    return note


def texts_in(raw: str) -> Iterator[str]:
    """The texts in an entry as JSON: strings of several words, not ids, names, dates and data."""
    try:
        value = json_value(raw)
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
