"""A file of records to which is only appended: framed and checksummed, so that damage costs one record.

A record is a frame of a fixed size, a head (a small JSON object) and a body (zstd). The frame begins with a mark by
which the next record is found behind damaged bytes, and has the lengths and the digests of all parts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from memtui_core.errors import RecordDamaged
from memtui_core.system.atomic_files import replace_file, sync

if TYPE_CHECKING:
    from filelock import FileLock

_MARK: Final = b"\x89memrec1"
"""The first bytes of a record; the last digit is the version of the form."""
_FIELDS: Final = Struct(">8s16sIQ16s16s")
"""Mark, kind, length of head and body in bytes, digests of head and body."""
_DIGEST: Final = 16
"""Bytes of a digest of head, body or fields (BLAKE2b)."""
_FRAME: Final = _FIELDS.size + _DIGEST
_LONGEST_KIND: Final = 16
_LEVEL: Final = 6
"""Of zstd; higher levels take much longer and save less than a tenth."""
_PIECE: Final = 1 << 20
"""Bytes that are read at once where the next record is searched for, or records are copied."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a file; its body is read when it is asked for."""

    kind: str
    head: Mapping[str, Any]
    path: Path
    offset: int
    """Where the frame begins in the file, in bytes."""
    length: int
    """Bytes of the frame, the head and the body."""
    _fields: bytes

    def body(self) -> bytes:
        """The body as it was given to `append`. Raises RecordDamaged, and OSError if the file cannot be read."""
        from memtui_core.system.compression import zstd

        _, _, head_length, body_length, _, digest = _FIELDS.unpack(self._fields)
        with self.path.open("rb") as file:
            file.seek(self.offset)
            # The file may have been written anew since the head was read.
            is_same = file.read(_FIELDS.size) == self._fields
            file.seek(self.offset + _FRAME + head_length)
            data = file.read(body_length) if is_same else b""
        if len(data) != body_length or _digest(data) != digest:
            raise RecordDamaged(f"A record in {self.path} is damaged.")
        return zstd.decompress(data) if data else b""


@dataclass(frozen=True, slots=True)
class RecordHealth:
    """What a full read of a file of records has found."""

    records: int
    damaged: int
    """Records, or pieces between records, that cannot be read."""


class NewRecord(NamedTuple):
    """What is written in the place of a record of the same kind."""

    head: Mapping[str, Any]
    body: bytes


class RecordFile:
    """A file of records. Several processes may append to it and rewrite it: a lock file beside it is held meanwhile.

    Readers need no lock. An append that was interrupted leaves a torn record, which readers skip, and which the next
    append cuts off. A damaged record costs itself: `damaged` counts those that the last `records` has passed, of which
    the heads cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        self._end: tuple[int, int] | None = None
        """The inode of the file, and where its last record ends that this process has seen."""

    @property
    def size(self) -> int:
        """Bytes of the file; 0 if there is none."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, kind: str, head: Mapping[str, Any], body: bytes) -> None:
        """Add a record, which is on the disk when this returns; `kind` has at most 16 bytes.

        Raises OSError if it cannot be written; then the file is as it was before.
        """
        self.append_all([(kind, head, body)])

    def append_all(self, records: list[tuple[str, Mapping[str, Any], bytes]]) -> None:
        """Add records at once, see `append`; if the process dies meanwhile, the first ones may be there."""
        data = b"".join(_encoded(kind, head, body) for kind, head, body in records)
        if not data:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock(), self.path.open("r+b" if self.path.exists() else "w+b") as file:
            end = self._end_of_records(file)
            file.truncate(end)
            file.seek(end)
            try:
                file.write(data)
                sync(file)
            except OSError:
                with suppress(OSError):
                    file.truncate(end)
                raise
            self._end = os.fstat(file.fileno()).st_ino, end + len(data)

    def records(self) -> Iterator[Record]:
        """The records in order, without reading their bodies. Raises OSError; a missing file has none."""
        self.damaged = 0
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        with file:
            size, offset = os.fstat(file.fileno()).st_size, 0
            while offset < size:
                fields = _fields_at(file, offset)
                if fields is None:
                    following = _next_record(file, offset + 1, size)
                    self.damaged += following is not None or size - offset >= _FRAME
                    offset = size if following is None else following
                    continue
                _, kind, head_length, body_length, digest, _ = _FIELDS.unpack(fields)
                length = _FRAME + head_length + body_length
                if offset + length > size:
                    return
                file.seek(offset + _FRAME)
                data = file.read(head_length)
                if _digest(data) == digest:
                    name = kind.rstrip(b"\0").decode("utf-8", "replace")
                    yield Record(name, json.loads(data), self.path, offset, length, fields)
                else:
                    self.damaged += 1
                offset += length

    def check(self) -> RecordHealth:
        """Read all records with their bodies. Raises OSError."""
        count = damaged = 0
        for record in self.records():
            try:
                record.body()
                count += 1
            except RecordDamaged:
                damaged += 1
        return RecordHealth(count, damaged + self.damaged)

    def rewrite(self, keep: Callable[[Record], bool]) -> int:
        """Write the file anew with the records that `keep` accepts by their kind and head; how many it refused.

        The new file replaces the old one at once. What cannot be read as a record is in neither count nor file.
        Raises OSError; then the file is as it was.
        """
        if not self.path.exists():
            return 0
        part, dropped = self._part, 0
        with self._lock():
            with self.path.open("rb") as old, part.open("wb") as new:
                for record in self.records():
                    if keep(record):
                        _copy(old, new, record.offset, record.length)
                    else:
                        dropped += 1
                sync(new)
            replace_file(part, self.path)
            self._end = None
        return dropped

    def change(self, changed: Callable[[Record], NewRecord | Record | None]) -> int:
        """Write the file anew with the heads and bodies that `changed` returns; how many records are others or gone.

        It returns a record itself if it stays as it is, and None if it goes. What cannot be read goes, too, also a
        record of which only the body is damaged. If all stay, the file is not touched. The new file replaces the old
        one at once. Raises OSError; then the file is as it was.
        """
        if not self.path.exists():
            return 0
        part, count = self._part, 0
        with self._lock():
            with self.path.open("rb") as old, part.open("wb") as new:
                for record in self.records():
                    try:
                        made = changed(record)
                    except RecordDamaged:
                        made = None
                    if made is record:
                        _copy(old, new, record.offset, record.length)
                        continue
                    count += 1
                    if isinstance(made, NewRecord):
                        new.write(_encoded(record.kind, made.head, made.body))
                if count or self.damaged:
                    sync(new)
            if count or self.damaged:
                replace_file(part, self.path)
                self._end = None
            else:
                part.unlink()
        return count

    @property
    def _part(self) -> Path:
        return self.path.with_name(f"{self.path.name}.part")

    def _lock(self) -> FileLock:
        from filelock import FileLock

        return FileLock(self.path.with_name(f".{self.path.name}.lock"))

    def _end_of_records(self, file: BinaryIO) -> int:
        """Where the next record goes: behind the last one, or behind damaged bytes that are not the rest of one."""
        stat = os.fstat(file.fileno())
        inode, offset = self._end or (0, 0)
        size = stat.st_size
        if inode != stat.st_ino or offset > size:
            offset = 0
        while offset < size:
            fields = _fields_at(file, offset)
            if fields is None:
                if size - offset < _FRAME:
                    return offset
                following = _next_record(file, offset + 1, size)
                offset = size if following is None else following
                continue
            _, _, head_length, body_length, _, _ = _FIELDS.unpack(fields)
            if (following := offset + _FRAME + head_length + body_length) > size:
                return offset
            offset = following
        return offset


def _encoded(kind: str, head: Mapping[str, Any], body: bytes) -> bytes:
    from memtui_core.system.compression import zstd

    # Not orjson, which refuses the names of files that are no valid UTF-8.
    name, text = kind.encode(), json.dumps(dict(head), separators=(",", ":")).encode("ascii")
    if not 0 < len(name) <= _LONGEST_KIND:
        raise ValueError(f"{kind!r} has not 1 to {_LONGEST_KIND} bytes")
    data = zstd.compress(body, level=_LEVEL) if body else b""
    fields = _FIELDS.pack(_MARK, name, len(text), len(data), _digest(text), _digest(data))
    return b"".join((fields, _digest(fields), text, data))


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST).digest()


def _fields_at(file: BinaryIO, offset: int) -> bytes | None:
    """The fields of the frame at an offset; None if there is no valid one."""
    file.seek(offset)
    frame = file.read(_FRAME)
    fields, digest = frame[: _FIELDS.size], frame[_FIELDS.size :]
    return fields if fields.startswith(_MARK) and _digest(fields) == digest else None


def _next_record(file: BinaryIO, offset: int, size: int) -> int | None:
    """Where the first valid frame from an offset on begins; None if there is none."""
    while offset < size:
        file.seek(offset)
        piece = file.read(_PIECE + len(_MARK))
        place = piece.find(_MARK)
        while place >= 0:
            if _fields_at(file, offset + place) is not None:
                return offset + place
            place = piece.find(_MARK, place + 1)
        offset += _PIECE
    return None


def _copy(old: BinaryIO, new: BinaryIO, offset: int, length: int) -> None:
    old.seek(offset)
    while length and (piece := old.read(min(length, _PIECE))):
        new.write(piece)
        length -= len(piece)
