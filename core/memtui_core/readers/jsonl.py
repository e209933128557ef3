"""Files of JSON lines that are only appended to, read for every agent that writes them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import START, Cursor, Transcript
from memtui_core.readers.records import BadLine, Message

HEAD_BYTES: Final = 4096
"""A file that was rewritten is recognized by a hash of its first bytes."""
LONGEST_LINE = 256 * 1024 * 1024
"""Bytes; a longer line is skipped rather than held in memory."""

Entry = dict[str, Any]

_DECODER = json.JSONDecoder()
_LONE_SURROGATE = re.compile(
    r"(?<!\\)((?:\\\\)*)(?:(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2})", re.IGNORECASE
)


@dataclass(slots=True)
class Line:
    """One physical line without its newline."""

    number: int
    offset: int
    raw: bytes
    whole: bool
    """False for a last line that has no newline yet."""
    too_long: bool = False


class LineReader:
    """Iterates over the lines of `path` from a byte offset; afterwards `lines` and `offset` say how far it came.

    Raises SourceUnreadable when the file cannot be opened or read.
    """

    def __init__(self, path: Path, offset: int = 0, number: int = 0) -> None:
        self.path = path
        self.offset = offset
        self.lines = number
        self.whole = (offset, number)
        """Offset and number of the first line that is not complete yet."""

    def __iter__(self) -> Iterator[Line]:
        try:
            with self.path.open("rb", buffering=1 << 20) as file:
                file.seek(self.offset)
                while raw := file.readline(LONGEST_LINE):
                    start = self.offset
                    self.offset += len(raw)
                    too_long = len(raw) == LONGEST_LINE and not raw.endswith(b"\n")
                    whole = raw.endswith(b"\n")
                    while too_long and not whole and (rest := file.readline(LONGEST_LINE)):
                        self.offset += len(rest)
                        whole = rest.endswith(b"\n")
                    number = self.lines
                    self.lines += 1
                    if whole:
                        self.whole = (self.offset, self.lines)
                    yield Line(number, start, b"" if too_long else raw.rstrip(b"\r\n"), whole, too_long)
        except OSError as error:
            raise SourceUnreadable(f"{self.path}: {error.strerror or error}") from error


class JsonlEntries:
    """The entries of a growing file from a cursor on, each with its line; a line that cannot be read is a BadLine.

    A cursor's `position` is a byte offset, `digest` the hash of the file's first `digested` bytes. A last line that is
    cut off waits. `skips` says which lines need not be decoded. Iterating raises SourceUnreadable.
    """

    def __init__(self, transcript: Transcript, cursor: Cursor, skips: Callable[[bytes], bool]) -> None:
        self.path = transcript.path
        self.anew = not _begins_as_before(self.path, cursor)
        self.start = START if self.anew else cursor
        self.waiting = False
        """Whether the last line is a part of one, and was left for later."""
        self._size = transcript.size
        self._made = START
        """The last cursor."""
        self._skips = skips
        self._lines = LineReader(self.path, self.start.position, self.start.line)

    def __iter__(self) -> Iterator[tuple[Entry, Line] | BadLine]:
        for line in self._lines:
            if line.too_long:
                yield BadLine(line.number, "longer than 256 MB")
                continue
            if self._skips(line.raw):
                continue
            entries, reason = decode(line.raw)
            if reason and not line.whole:
                self.waiting = True
                return
            if reason:
                yield BadLine(line.number, reason)
            for entry in entries:
                yield entry, line

    @property
    def lines(self) -> int:
        """How many lines the file has up to where it was read, one that waits included."""
        return self._lines.lines

    @property
    def can_go_on(self) -> bool:
        """Whether no line without a newline was read: what is appended begins a new line, or ends one that waits."""
        return self.waiting or self._lines.offset == self._lines.whole[0]

    def cursor(self, first: Message | None) -> Cursor:
        """The cursor at a message, or behind the last line that is complete."""
        offset, line = self._lines.whole if first is None else (first.offset, first.line)
        size = min(HEAD_BYTES, self._size)
        try:
            self._made = Cursor(offset, line, head_hash(self.path, size), size)
        except OSError:
            self._made = Cursor(offset, line)
        return self._made

    def go_on(self, transcript: Transcript) -> bool:
        """Iterate next over what was appended; False when the file is not the one that the last cursor was made for."""
        if transcript.size < self._lines.whole[0] or not _begins_as_before(self.path, self._made):
            return False
        self._size = transcript.size
        self._lines = LineReader(self.path, *self._lines.whole)
        self.waiting = False
        return True


def decode(raw: bytes) -> tuple[list[Entry], str | None]:
    """The entries of a line and why it, or the rest of it, could not be read; ([], None) for a blank line.

    Two writers that lose a newline between them put two objects on one line: both are kept.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _salvage(raw)
    return ([value], None) if isinstance(value, dict) else ([], "not a JSON object")


def _salvage(raw: bytes) -> tuple[list[Entry], str | None]:
    text = _LONE_SURROGATE.sub(lambda m: m[0] if m[2] else m[1] + r"\ufffd", raw.decode("utf-8", "replace"))
    text = text.replace("\ufeff", "").strip()
    entries: list[Entry] = []
    position = 0
    while position < len(text):
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return entries, "text after the entry is not JSON" if entries else "not JSON"
        if not isinstance(value, dict):
            return entries, "not a JSON object"
        entries.append(value)
        while position < len(text) and text[position].isspace():
            position += 1
    return entries, None


def head_hash(path: Path, size: int) -> str:
    """Hash of the first `size` bytes of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.blake2b(file.read(size), digest_size=16).hexdigest()


def _begins_as_before(path: Path, cursor: Cursor) -> bool:
    try:
        return bool(cursor.digest) and head_hash(path, cursor.digested) == cursor.digest
    except OSError:
        return False
