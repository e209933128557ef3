"""Reading append-only JSON lines files, which many agents write."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.base import START, Cursor, Transcript
from memtui_core.readers.formats.long_lines import LONG_LINE, shortened
from memtui_core.readers.records import BadLine, Message

LINES: Final = ".jsonl"
"""The suffix of files to which agents append line by line."""
ZSTD: Final = ".zst"
"""The suffix of a compressed file."""
HEAD_BYTES: Final = 4096
"""The hash of this many bytes at the start of a file detects that the file was rewritten."""
LONGEST_LINE = 256 * 1024 * 1024
"""Bytes; a longer line is skipped, because it would not fit into memory."""

Entry = dict[str, Any]

_DECODER = json.JSONDecoder()
_NEXT_OBJECT = b"}{"
"""Between two objects on one line, or in a text."""
_LONE_SURROGATE = re.compile(
    r"(?<!\\)((?:\\\\)*)(?:(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2})", re.IGNORECASE
)


@dataclass(slots=True)
class FileLine:
    """One physical line without its newline."""

    number: int
    offset: int
    raw: bytes
    is_complete: bool
    """Whether the line ends with a newline."""
    too_long: bool = False


class LineReader:
    """Iterates over the lines of a file from a byte offset on. `lines` and `offset` are the current position.

    Raises SourceUnreadable if the file cannot be opened or read.
    """

    def __init__(self, path: Path, offset: int = 0, number: int = 0, until: int = 0) -> None:
        """With `until`, no line is read that starts at this offset or later."""
        self.path = path
        self.until = until
        self.offset = offset
        self.lines = number
        self.complete = (offset, number)
        """Offset and number of the line after the last complete one."""

    def __iter__(self) -> Iterator[FileLine]:
        try:
            with opened(self.path) as file:
                file.seek(self.offset)
                while not 0 < self.until <= self.offset and (raw := file.readline(LONGEST_LINE)):
                    start = self.offset
                    self.offset += len(raw)
                    is_complete = raw.endswith(b"\n")
                    too_long = not is_complete and len(raw) == LONGEST_LINE
                    while too_long and not is_complete and (skipped := file.readline(LONGEST_LINE)):
                        self.offset += len(skipped)
                        is_complete = skipped.endswith(b"\n")
                    number = self.lines
                    self.lines += 1
                    if is_complete:
                        self.complete = (self.offset, self.lines)
                    yield FileLine(number, start, b"" if too_long else raw.rstrip(b"\r\n"), is_complete, too_long)
        except OSError as error:
            raise SourceUnreadable(f"{self.path}: {error.strerror or error}") from error


def opened(path: Path) -> BinaryIO:
    """Open a file to read it; a `.zst` file is decompressed. Raises OSError, which reading damaged data does too."""
    return (
        path.open("rb", buffering=1 << 20) if path.suffix != ZSTD else io.BufferedReader(_Decompressed(path), 1 << 20)
    )


class _Decompressed(io.RawIOBase):
    """The content of a compressed file, of which little is in memory."""

    def __init__(self, path: Path) -> None:
        from memtui_core.system.compression import zstd

        super().__init__()
        self._path = path
        self._error = zstd.ZstdError
        self._stream = zstd.ZstdFile(path)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            with self._reported():
                content = self._stream.read1(len(buffer))
        except EOFError:
            # The end of the frame is still to be written.
            content = b""
        buffer[: len(content)] = content
        return len(content)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Only forward, and from the start."""
        with self._reported(), suppress(EOFError):
            self._stream.seek(offset, whence)
        return self._stream.tell()

    def tell(self) -> int:
        return self._stream.tell()

    def close(self) -> None:
        self._stream.close()
        super().close()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except self._error as error:
            raise OSError(None, f"cannot be decompressed: {error}", str(self._path)) from error


class JsonlEntries:
    """The entries of a growing file from a cursor on, each with its line. A line that cannot be decoded is a BadLine.

    The `position` of a cursor is a byte offset, `digest` the hash of the first `digested` bytes. An incomplete last
    line is not read. Lines for which `skips` returns True are not decoded, unless they may hold another object.
    Iterating raises SourceUnreadable.

    The first `rewritten` bytes do not count as a change: some agents rewrite a line with the title in place.
    """

    def __init__(
        self, transcript: Transcript, cursor: Cursor, skips: Callable[[bytes], bool], rewritten: int = 0
    ) -> None:
        self.path = transcript.path
        self._rewritten = rewritten
        self.from_start = not _is_unchanged(self.path, cursor, rewritten)
        self.start = START if self.from_start else cursor
        self.waiting = False
        """Whether the last line is incomplete and was not read."""
        self._size = transcript.size
        self._last_cursor = START
        """The cursor returned last."""
        self._skips = skips
        self._lines = LineReader(self.path, self.start.position, self.start.line, transcript.until)

    def __iter__(self) -> Iterator[tuple[Entry, FileLine] | BadLine]:
        for line in self._lines:
            if line.too_long:
                yield BadLine(line.number, "longer than 256 MB")
                continue
            if self._skips(line.raw) and _NEXT_OBJECT not in line.raw:
                continue
            entries, reason = decode(line.raw)
            if reason and not line.is_complete:
                self.waiting = True
                return
            if reason:
                yield BadLine(line.number, reason)
            for entry in entries:
                yield entry, line

    @property
    def lines(self) -> int:
        """The number of lines from the start of the file to the last one read, an incomplete one included."""
        return self._lines.lines

    @property
    def can_continue(self) -> bool:
        """Whether all lines read end with a newline, so that no line read can still grow."""
        return self.waiting or self._lines.offset == self._lines.complete[0]

    def cursor(self, first: Message | None) -> Cursor:
        """The cursor at a message; for None, the cursor after the last complete line."""
        offset, line = self._lines.complete if first is None else (first.offset, first.line)
        size = min(HEAD_BYTES, self._size)
        try:
            self._last_cursor = Cursor(offset, line, head_hash(self.path, size, self._rewritten), size)
        except OSError:
            self._last_cursor = Cursor(offset, line)
        return self._last_cursor

    def resume(self, transcript: Transcript) -> bool:
        """Continue with appended lines. False if the file was rewritten since the last cursor was created."""
        if transcript.size < self._lines.complete[0]:
            return False
        if not _is_unchanged(self.path, self._last_cursor, self._rewritten):
            return False
        self._size = transcript.size
        self._lines = LineReader(self.path, *self._lines.complete, transcript.until)
        self.waiting = False
        return True

    @property
    def has_more(self) -> bool:
        """Whether reading ended before the end of the file, as it was to."""
        return 0 < self._lines.until <= self._lines.offset


def decode(raw: bytes) -> tuple[list[Entry], str | None]:
    """The entries of a line, and the reason why the line or its rest cannot be decoded; ([], None) for a blank line.

    Two concurrent writers can put two objects on one line: both are returned. Of a very long line the beginnings and
    ends of its texts are read, and the first of its values.
    """
    if len(raw) > LONG_LINE:
        raw = shortened(raw)
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _salvage(raw)
    return ([value], None) if isinstance(value, dict) else ([], "not a JSON object")


def json_content(raw: bytes | str) -> Any:
    """The value of a JSON text, in which halves of characters are replaced. Raises ValueError."""
    raw = raw.encode("utf-8", "replace") if isinstance(raw, str) else raw
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        try:
            return _DECODER.decode(_mended(raw))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


def _mended(raw: bytes) -> str:
    """A JSON text without a byte order mark and without halves of characters, which some programs write."""
    text = _LONE_SURROGATE.sub(lambda m: m[0] if m[2] else m[1] + r"\ufffd", raw.decode("utf-8", "replace"))
    return text.replace("\ufeff", "").strip()


def _salvage(raw: bytes) -> tuple[list[Entry], str | None]:
    text = _mended(raw)
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


def head_hash(path: Path, size: int, start: int = 0) -> str:
    """The hash of the first `size` bytes of a file without the first `start` of them. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.blake2b(file.read(size)[start:], digest_size=16).hexdigest()


def _is_unchanged(path: Path, cursor: Cursor, start: int) -> bool:
    """Whether the first bytes of a file are still those of a cursor; False for a cursor without a digest."""
    try:
        return bool(cursor.digest) and head_hash(path, cursor.digested, start) == cursor.digest
    except OSError:
        return False
