"""An append-only file of lines that several processes may write without damaging it.

A line is appended by one write and synced before `append` returns; a lock file lets one process write at a time.
Readers take no lock: a last line without a line end counts only if it is a whole JSON object.
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

_LOCK_TIMEOUT = 10.0
"""Seconds to wait for another process to write its line."""
_TAIL = 64
"""Bytes before the cursor that must be unchanged; otherwise the file has been replaced."""
_FileStat = tuple[int, int, int, int]
"""Device, inode, size in bytes and modification time in nanoseconds."""


@dataclass(frozen=True, slots=True)
class LogCursor:
    """How far a log has been read."""

    offset: int = 0
    lines: int = 0
    """Line ends before the offset."""
    tail: bytes = b""
    """The last bytes before the offset."""
    stat: _FileStat = (0, 0, 0, 0)
    """The file as it was when it was read."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line without its line end."""

    number: int
    """From 1."""
    end: int
    """Offset after the line and its line end."""
    text: bytes


@dataclass(frozen=True, slots=True)
class NewLines:
    """The lines that were added since a cursor."""

    cursor: LogCursor
    lines: tuple[LogLine, ...] = ()
    restarted: bool = False
    """The file was replaced or changed before the cursor: the lines are all of the file."""
    incomplete_bytes: int = 0
    """Size of an incomplete last line: it is being written, or its writer died."""


class LineLog:
    """The lines of one file. Methods raise MemtuiError if it cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, cursor: LogCursor) -> NewLines | None:
        """The lines after a cursor; None if the file is unchanged."""
        try:
            with self.path.open("rb", buffering=0) as file:
                stat = _stat(file)
                if stat == cursor.stat:
                    return None
                if restarted := cursor.offset > 0 and not _continues(file, cursor):
                    cursor = LogCursor()
                file.seek(cursor.offset)
                return _split(file.readall(), cursor, stat, restarted)
        except FileNotFoundError:
            return None if cursor == LogCursor() else NewLines(LogCursor(), restarted=True)
        except OSError as error:
            raise MemtuiError(f"{self.path} cannot be read: {error.strerror or error}.") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Exclude other writers. Raises MemtuiError if another one holds the lock for too long."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock"), timeout=_LOCK_TIMEOUT):
                yield
        except Timeout as error:
            raise MemtuiError(
                f"Another process has been writing {self.path} for {_LOCK_TIMEOUT:.0f} seconds."
            ) from error
        except OSError as error:
            raise MemtuiError(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def append(self, line: bytes) -> None:
        """Append a whole line or nothing, and sync it to the disk. Call it only within `locked`."""
        is_new = not self.path.exists()
        with self.path.open("ab+", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            # An incomplete line of another writer must not become the beginning of this one.
            file.seek(max(0, size - 1))
            separator = b"" if file.read(1) in (b"", b"\n") else b"\n"
            try:
                _write(file, separator + line + b"\n")
                os.fsync(file.fileno())
            except OSError:
                file.truncate(size)
                raise
        if is_new:
            _sync_folder(self.path.parent)


def _stat(file: FileIO) -> _FileStat:
    stat = os.fstat(file.fileno())
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def _continues(file: FileIO, cursor: LogCursor) -> bool:
    """Whether the file is the one of the cursor with lines appended."""
    device, inode, size, _ = _stat(file)
    # Appending makes a file longer: one of the same size that was written since was changed in place.
    if (device, inode) != cursor.stat[:2] or size < cursor.offset or size == cursor.stat[2]:
        return False
    file.seek(cursor.offset - len(cursor.tail))
    return file.read(len(cursor.tail)) == cursor.tail


def _split(data: bytes, cursor: LogCursor, stat: _FileStat, restarted: bool) -> NewLines:
    whole, _, last = data.rpartition(b"\n")
    offset, number = cursor.offset, cursor.lines
    lines: list[LogLine] = []
    for text in whole.split(b"\n") if len(last) < len(data) else ():
        number += 1
        offset += len(text) + 1
        if text.strip():
            lines.append(LogLine(number, offset, text))
    incomplete_bytes = 0
    if last and _is_whole(last):
        offset += len(last)
        lines.append(LogLine(number + 1, offset, last))
    else:
        incomplete_bytes = len(last)
    tail = (cursor.tail + data[: offset - cursor.offset])[-_TAIL:]
    return NewLines(LogCursor(offset, number, tail, stat), tuple(lines), restarted, incomplete_bytes)


def _is_whole(line: bytes) -> bool:
    """Whether only the line end is missing: no beginning of a JSON object is a JSON object itself."""
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _write(file: FileIO, data: bytes) -> None:
    """Write everything. After a partial write the next one raises the reason, such as a full disk."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _sync_folder(folder: Path) -> None:
    """Sync the name of a new file; systems on which a folder cannot be opened do this themselves."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
