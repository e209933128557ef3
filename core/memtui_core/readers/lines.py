"""Complete lines of a growing file, streamed by bytes from a cursor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memtui_core.errors import SourceUnreadable

LONGEST_LINE = 256 * 1024 * 1024
"""Bytes; a longer line is skipped rather than held in memory."""


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
