"""A file to which lines are only ever added: many processes may write it and none can spoil it.

A line is added by one write and synced before anybody is told; a lock file lets one process write at a time. A reader
takes no lock: what has no line end yet, and is no whole JSON, is not there yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import orjson
from filelock import FileLock, Timeout

from memtui_core.errors import MemtuiError

_WAIT = 10.0
"""Seconds for another process to write its line."""
_TAIL = 64
"""Bytes before the cursor that must still be there: else it is another file."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a log was read."""

    offset: int = 0
    lines: int = 0
    """Line ends before the offset."""
    tail: bytes = b""
    """What stands before the offset."""
    seen: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Device, inode, size and time of the file when it was read."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end."""

    number: int
    """From 1."""
    end: int
    """Offset behind it."""
    text: bytes


@dataclass(frozen=True, slots=True)
class Read:
    """What a look at the log found."""

    cursor: Cursor
    lines: tuple[Line, ...] = ()
    restarted: bool = False
    """The file is another one, or was changed where only adding is allowed: the lines are those from its start."""
    torn: int = 0
    """Bytes of a last line that is not whole: it is being written, or its writer died."""


class Log:
    """The lines of one file; raises MemtuiError when it cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, cursor: Cursor) -> Read | None:
        """What was added behind a cursor; None when the file is as it was then."""
        try:
            with self.path.open("rb", buffering=0) as file:
                seen = _seen(file)
                if seen == cursor.seen:
                    return None
                if fresh := cursor.offset > 0 and not _goes_on(file, cursor):
                    cursor = Cursor()
                file.seek(cursor.offset)
                return _split(file.readall(), cursor, seen, fresh)
        except FileNotFoundError:
            return None if cursor == Cursor() else Read(Cursor(), restarted=True)
        except OSError as error:
            raise MemtuiError(f"{self.path} cannot be read: {error.strerror or error}.") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out. Raises MemtuiError when one does not end."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock"), timeout=_WAIT):
                yield
        except Timeout as error:
            raise MemtuiError(f"Another process has been writing {self.path} for {_WAIT:.0f} seconds.") from error
        except OSError as error:
            raise MemtuiError(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def append(self, line: bytes) -> None:
        """Add a line, all of it or nothing; it is on the disk afterwards. Only within `locked`."""
        is_new = not self.path.exists()
        with self.path.open("ab+", buffering=0) as file:
            before = os.fstat(file.fileno()).st_size
            # A line that its writer left half must not become the beginning of ours.
            file.seek(max(0, before - 1))
            glue = b"" if file.read(1) in (b"", b"\n") else b"\n"
            try:
                _write(file, glue + line + b"\n")
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise
        if is_new:
            _sync_folder(self.path.parent)


def _seen(file: FileIO) -> tuple[int, int, int, int]:
    stat = os.fstat(file.fileno())
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def _goes_on(file: FileIO, cursor: Cursor) -> bool:
    seen = _seen(file)
    # What is added makes a file longer: one of the same size that was written since was changed.
    if seen[:2] != cursor.seen[:2] or seen[2] < cursor.offset or seen[2] == cursor.seen[2]:
        return False
    file.seek(cursor.offset - len(cursor.tail))
    return file.read(len(cursor.tail)) == cursor.tail


def _split(data: bytes, cursor: Cursor, seen: tuple[int, int, int, int], restarted: bool) -> Read:
    whole, _, rest = data.rpartition(b"\n")
    offset, number = cursor.offset, cursor.lines
    found: list[Line] = []
    for text in whole.split(b"\n") if len(rest) < len(data) else ():
        number += 1
        offset += len(text) + 1
        if text.strip():
            found.append(Line(number, offset, text))
    torn = 0
    if rest and _is_whole(rest):
        offset += len(rest)
        found.append(Line(number + 1, offset, rest))
    else:
        torn = len(rest)
    tail = (cursor.tail + data[: offset - cursor.offset])[-_TAIL:]
    return Read(Cursor(offset, number, tail, seen), tuple(found), restarted, torn)


def _is_whole(rest: bytes) -> bool:
    """Only its line end is missing: no beginning of an object is one."""
    try:
        return isinstance(orjson.loads(rest), dict)
    except orjson.JSONDecodeError:
        return False


def _write(file: FileIO, data: bytes) -> None:
    """One write; a disk that takes only a part is asked again, and then says why."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file last; where folders cannot be synced the system does so by itself."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
