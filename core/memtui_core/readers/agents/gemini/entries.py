"""The entries of a session of Gemini CLI in the order in which they were first written, each in its last version.

A session is a document with `messages`, or lines: a header, messages, `$set` and `$rewindTo`. A message with a known id
replaces the one before. `$set` changes the header; its `messages` are what the model gets from now on, after a
compression or a change of old results. `$rewindTo` takes messages back. Messages that the model no longer gets were
said all the same: they stay in their place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import Transcript
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.formats.document import content_of, lines_in
from memtui_core.readers.formats.jsonl import LineReader, decode
from memtui_core.readers.records import BadLine

SET: Final = "$set"
REWIND: Final = "$rewindTo"
_HEADER: Final = frozenset({"sessionId", "projectHash"})


class SessionEntries:
    """The header and the entries of one file. Raises SourceUnreadable."""

    def __init__(self, transcript: Transcript) -> None:
        self.header: dict[str, Any] = {}
        self.entries: list[Any] = []
        self.waiting = False
        """Whether the last line is incomplete and was not read."""
        self._places: dict[str, int] = {}
        """The index of each message by its id."""
        if (document := _document(transcript.path)) is not None:
            self._add(document)
            return
        lines, self.waiting = lines_in(transcript)
        for entry in lines:
            if isinstance(entry, BadLine):
                self.entries.append(BadLine(len(self.entries), entry.reason))
            else:
                self._add(entry)

    def _add(self, entry: dict[str, Any]) -> None:
        if REWIND in entry:
            self.entries.append(entry)
        elif isinstance(entry.get("id"), str):
            self._put(entry)
        elif isinstance(values := entry.get(SET), dict):
            self._set_header(values)
            for message in items(values.get("messages")):
                self._put_history(message)
        elif not _HEADER.isdisjoint(entry):
            self._set_header(entry)
            for message in items(entry.get("messages")):
                if isinstance(message, dict):
                    self._put(message)
                else:
                    self.entries.append(BadLine(len(self.entries), "not a JSON object"))
        else:
            self.entries.append(entry)

    def _set_header(self, values: dict[str, Any]) -> None:
        self.header.update((name, value) for name, value in values.items() if name != "messages")

    def _put(self, message: dict[str, Any]) -> None:
        place = self._places.setdefault(string(message.get("id")) or f"#{len(self.entries)}", len(self.entries))
        if place < len(self.entries):
            self.entries[place] = message
        else:
            self.entries.append(message)

    def _put_history(self, message: Any) -> None:
        """Add a message of the model's history; what a known one says is kept, because old results are shortened."""
        place = self._places.get(string(mapping(message).get("id")) or "")
        if place is None and isinstance(message, dict):
            self._put(message)
        elif place is not None:
            self.entries[place] = _merged(self.entries[place], message)


def _document(path: Path) -> dict[str, Any] | None:
    """The session if the file is one JSON object; None if it consists of lines."""
    first = next(iter(LineReader(path)), None)
    if first is None or (path.suffix != ".json" and not decode(first.raw)[1]):
        return None
    entries, reason = decode(content_of(path))
    if len(entries) == 1 and reason is None:
        return entries[0]
    if path.suffix == ".json":
        raise SourceUnreadable(f"{path}: {reason or 'more than one JSON object'}")
    return None


def _merged(known: dict[str, Any], again: dict[str, Any]) -> dict[str, Any]:
    """A message in two versions; the first content and the first result of each call count."""
    merged = known | again
    if known.get("content"):
        merged["content"] = known["content"]
    calls = [call for call in items(known.get("toolCalls")) if isinstance(call, dict)]
    if calls:
        places = {string(call.get("id")): place for place, call in enumerate(calls)}
        for call in map(mapping, items(again.get("toolCalls"))):
            place = places.get(string(call.get("id")))
            if place is None:
                calls.append(call)
            elif not calls[place].get("result"):
                calls[place] = calls[place] | call
        merged["toolCalls"] = calls
    return merged
