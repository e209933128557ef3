"""Reading a transcript that an agent rewrites: a JSON document, a folder of files, or a session of a database.

All entries are loaded, because any of them can have changed. If those before the last turn are the same as in the last
reading, only that turn is stored again.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import START, Cursor, Identity, Transcript
from memtui_core.readers.conversion.unknown_notes import UnknownNotes
from memtui_core.readers.formats.jsonl import JsonlEntries, decode, json_content
from memtui_core.readers.records import BadLine, Message, Record, SessionFacts


class DocumentReading(ABC):
    """One pass over a transcript that is loaded as a whole.

    A line is the index of an entry, and so is an offset. The digest of a cursor covers the entries before it.
    """

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        self.transcript = transcript
        self.facts = SessionFacts()
        self.waiting = False
        self.entries: Sequence[Any] = self.load()
        known = cursor != START and cursor.line <= len(self.entries)
        self.from_start = not known or digest_of(self.entries[: cursor.line]) != cursor.digest
        self._first = 0 if self.from_start else cursor.line

    @abstractmethod
    def load(self) -> Sequence[Any]:
        """The entries in order; one that cannot be read is a BadLine. Raises SourceUnreadable.

        Sets the facts, and the state before the first entry.
        """

    @abstractmethod
    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of an entry, after `follow` was called with it."""

    def identity(self, branch: str = "") -> Identity:
        """The session by its id, if the agent has neither subagents nor branches."""
        return Identity(self.facts.session_id)

    def head(self) -> Iterable[Record]:
        """Records that do not depend on an entry, such as the title; they are yielded by every reading."""
        return ()

    def follow(self, entry: Any) -> None:  # noqa: B027 (most agents need none)
        """Update the state that later entries depend on; called with every entry, also those before the cursor."""

    @property
    def lines(self) -> int:
        """The number of entries."""
        return len(self.entries)

    @property
    def can_continue(self) -> bool:
        """False: the document must be loaded again."""
        return False

    def resume(self, transcript: Transcript) -> bool:
        """False: the document must be loaded again."""
        return False

    def cursor(self, first: Message | None) -> Cursor:
        """The cursor at a message; for None, the cursor at the end."""
        line = len(self.entries) if first is None else first.line
        share = line / len(self.entries) if self.entries else 1
        return Cursor(int(self.transcript.size * share), line, digest_of(self.entries[:line]), line)

    def __iter__(self) -> Iterator[Record]:
        yield from self.head()
        unknown = UnknownNotes()
        for line, entry in enumerate(self.entries):
            if isinstance(entry, BadLine):
                if line >= self._first:
                    yield entry
                continue
            self.follow(entry)
            if line >= self._first:
                yield from unknown.added(self.records(entry, line), line, self.facts.session_id)


def digest_of(entries: Sequence[Any]) -> str:
    """The hash of entries, which consist of JSON values and BadLines."""
    digest = hashlib.blake2b(digest_size=16)
    for entry in entries:
        digest.update(_encoded(entry.reason if isinstance(entry, BadLine) else entry))
        digest.update(b"\n")
    return digest.hexdigest()


def _encoded(value: Any) -> bytes:
    """A value as JSON; values that JSON cannot hold or that are nested too deeply are written by Python."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str)
    except (orjson.JSONEncodeError, RecursionError):
        pass
    try:
        return repr(value).encode("utf-8", "backslashreplace")
    except RecursionError:
        return b"nested too deeply"


def content_of(path: Path) -> bytes:
    """The content of a file. Raises SourceUnreadable."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceUnreadable(f"{path}: {error.strerror or error}") from error


def value_in(path: Path) -> Any:
    """The value of a JSON file; what JSON does not allow in a text is replaced. Raises SourceUnreadable."""
    content = content_of(path)
    try:
        return json_content(content)
    except ValueError as error:
        raise SourceUnreadable(f"{path}: not JSON") from error


def object_in(path: Path) -> dict[str, Any]:
    """The object in a JSON file, as `value_in` reads it. Raises SourceUnreadable."""
    value = value_in(path)
    if not isinstance(value, dict):
        raise SourceUnreadable(f"{path}: not a JSON object")
    return value


def object_of(raw: bytes, name: str) -> dict[str, Any]:
    """The first object in a text. Raises SourceUnreadable with the name if there is none, or more than JSON."""
    objects, reason = decode(raw)
    if reason or not objects:
        raise SourceUnreadable(f"{name}: {reason or 'empty'}")
    return objects[0]


def messages_in(document: dict[str, Any], path: Path) -> list[Any]:
    """The list `messages` of the document in a file. Raises SourceUnreadable if there is none."""
    messages = document.get("messages")
    if not isinstance(messages, list):
        raise SourceUnreadable(f"{path}: no list of messages")
    return messages


def objects_of(values: Sequence[Any]) -> list[dict[str, Any] | BadLine]:
    """The objects of a list; any other value is a BadLine."""
    return [value if isinstance(value, dict) else BadLine(at, "not a JSON object") for at, value in enumerate(values)]


def lines_in(transcript: Transcript) -> tuple[list[dict[str, Any] | BadLine], bool]:
    """The objects of a JSON lines file that is rewritten, and whether its last line is incomplete.

    A line that cannot be read is a BadLine. Raises SourceUnreadable.
    """
    lines = JsonlEntries(transcript, START, lambda raw: False)
    found: list[dict[str, Any] | BadLine] = []
    for item in lines:
        found.append(BadLine(len(found), item.reason) if isinstance(item, BadLine) else item[0])
    return found, lines.waiting


def json_document(content: bytes, name: object) -> Any:
    """The value of a JSON document. Raises SourceUnreadable with the name of the file."""
    try:
        return json_content(content)
    except ValueError as error:
        raise SourceUnreadable(f"{name}: not JSON: {error}") from error
