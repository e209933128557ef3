"""The bytes of transcripts, so that a file that its agent deletes can be written back.

A transcript is one record, or several if the agent appends to it: each continues at the last complete line of the one
before. A file that was rewritten starts anew, and its older records are dropped when they are more than a third of the
archive. Secrets are replaced, in lines one by one, so that no secret is torn apart.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, Final

from memtui_core.errors import MemtuiError
from memtui_core.readers.formats.jsonl import LINES, LONGEST_LINE, ZSTD
from memtui_core.store.archive.records import NewRecord, Record, RecordFile
from memtui_core.store.archive.redacted import redacted_text
from memtui_core.store.data_folder import DataDir
from memtui_core.system.fault_points import fault_point

KIND: Final = "transcript"
"""The kind of the records."""
_PIECE: Final = 8_000_000
"""Bytes of a file that become one record, up to the end of a line."""
_LARGEST: Final = 256_000_000
"""Bytes of the largest file that is no file of lines, which must fit into memory."""
_SMALLEST_REWRITE: Final = 1_000_000
"""Bytes of records that count no more, below which the archive is not written anew."""
_DEAD_SHARE: Final = 3
_DIGEST: Final = 16


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A file of which the archive has the bytes."""

    path: Path
    agent: str
    source: str
    """The name of its source in the index."""
    size: int
    """Bytes of the file when it was read."""
    mtime: int
    """The time at which it was changed last, in nanoseconds since 1970."""
    complete: int
    """Bytes of the file up to its last complete line."""
    digest: str
    """Of these bytes, as they were in the file."""
    secrets: int
    """How many secrets were replaced."""
    records: tuple[Record, ...] = field(repr=False)

    def pieces(self) -> Iterator[bytes]:
        """Its content, without secrets, in pieces. Raises RecordDamaged and OSError."""
        last = self.records[-1]
        for record in self.records:
            body = record.body()
            # An incomplete line at the end stands in the next record again.
            yield body if record is last else body[: len(body) - record.head["tail"]]


class TranscriptTooLarge(MemtuiError):
    """A file is too large to be archived."""


class TranscriptArchive:
    """The archive of a data folder. One process at a time may add to it; any may read it."""

    def __init__(self, data: DataDir) -> None:
        self._records = RecordFile(data.archived_transcripts)
        self._state: tuple[int, int] | None = None
        """Inode and size of the file when its heads were read."""
        self._compared: dict[Path, tuple[int, int]] = {}
        """Sizes and times of files that were found to be as they are archived."""
        self._files: dict[Path, ArchivedFile] = {}
        self._dead: dict[str, int] = {}
        """The records that count no more: their ids, and their bytes."""
        self._waiting: list[tuple[str, Mapping[str, Any], bytes]] = []
        self._waiting_bytes = 0

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return self._records.size

    def files(self) -> dict[Path, ArchivedFile]:
        """What is archived, by path. Raises OSError."""
        state = self._state_of_file()
        if state != self._state:
            self._files, self._dead = {}, {}
            for record in self._records.records():
                if record.kind == KIND:
                    self._take(record)
            self._state = state
        return self._files

    def add(
        self,
        path: Path,
        agent: str,
        source: str,
        known: ArchivedFile | None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> int:
        """Archive what is new in a file, of which `known` is archived; the number of its bytes that were read for that.

        What is added is on the disk after `flush`. When `stopped` returns True, the rest of a large file is left for
        the next time. Raises OSError if the archive cannot be written, and TranscriptTooLarge.
        """
        read = 0
        try:
            with path.open("rb") as file:
                status = path.stat()
                state = status.st_size, status.st_mtime_ns
                if state == self._compared.get(path) or (known is not None and state == (known.size, known.mtime)):
                    return 0
                about = {"path": str(path), "agent": agent, "source": source, "mtime": status.st_mtime_ns}
                for piece in _pieces(file, path, status.st_size, known):
                    self._append({**about, **piece.head}, piece.body)
                    read += piece.head["end"] - piece.head["offset"]
                    if stopped():
                        break
        except (FileNotFoundError, PermissionError):
            return read
        if not read:
            self._compared[path] = state
        return read

    def flush(self) -> None:
        """Write what was added. Raises OSError."""
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        self._records.append_all(waiting)
        fault_point("transcripts-archived")

    def put(self, file: ArchivedFile, content: bytes) -> None:
        """Add a file of another archive instead of an older one, without secrets by the rules of here; see `flush`."""
        about: dict[str, Any] = {"path": str(file.path), "agent": file.agent, "source": file.source}
        about |= {"mtime": file.mtime, "offset": 0, "complete": file.complete, "end": file.size}
        about |= {"digest": file.digest, "secrets": file.secrets, "tail_secrets": 0}
        about["tail"] = len(content) - content.rfind(b"\n") - 1 if file.path.suffix == LINES else 0
        plain = redacted_record(about, content)
        self._append(*((about, content) if plain is None else (dict(plain.head), plain.body)))

    def tidy(self) -> int:
        """Drop the records that count no more if they are more than a third of the archive; how many were dropped."""
        self.flush()
        self.files()
        dead = sum(self._dead.values())
        if dead < _SMALLEST_REWRITE or dead * _DEAD_SHARE < self.size:
            return 0
        gone = set(self._dead)
        self._state = None
        return self._records.rewrite(lambda record: record.head.get("id") not in gone)

    def _append(self, head: dict[str, Any], body: bytes) -> None:
        self._waiting.append((KIND, {"id": os.urandom(8).hex(), **head}, body))
        self._waiting_bytes += len(body)
        if self._waiting_bytes >= _PIECE:
            self.flush()

    def _take(self, record: Record) -> None:
        """Count a record that follows those before it."""
        head = record.head
        path = Path(head["path"])
        before = self._files.get(path)
        if head["offset"] and (before is None or before.complete != head["offset"]):
            # What it continues is damaged.
            self._dead[head["id"]] = record.length
            return
        earlier: tuple[Record, ...] = ()
        if before is not None and head["offset"]:
            earlier = before.records
        elif before is not None:
            self._dead.update({old.head["id"]: old.length for old in before.records})
        secrets = sum(part.head["secrets"] for part in (*earlier, record)) + head["tail_secrets"]
        self._files[path] = ArchivedFile(
            path, head["agent"], head["source"], head["end"], head["mtime"], head["complete"], head["digest"], secrets,
            (*earlier, record),
        )  # fmt: skip

    def _state_of_file(self) -> tuple[int, int] | None:
        try:
            status = self._records.path.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_size


def redacted_record(head: Mapping[str, Any], body: bytes) -> NewRecord | None:
    """What is archived of a file without the secrets that the rules in use find in it; None if there are none."""
    if Path(head["path"]).suffix == LINES:
        plain, (secrets, tail_secrets), tail = _redacted_lines(body, len(body) - head["tail"])
        new = {**head, "tail": tail, "tail_secrets": head["tail_secrets"] + tail_secrets}
    else:
        secrets, plain = _redacted(body, Path(head["path"]).suffix)
        new = dict(head)
    return None if plain == body else NewRecord({**new, "secrets": head["secrets"] + secrets}, plain)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a file without its secrets."""

    head: dict[str, Any]
    body: bytes


def _pieces(file: BinaryIO, path: Path, size: int, known: ArchivedFile | None) -> Iterator[_Piece]:
    if path.suffix == LINES:
        yield from _pieces_of_lines(file, path, size, known)
        return
    if size > _LARGEST:
        raise TranscriptTooLarge(f"{path} is too large to be archived.")
    content = file.read()
    digest = _new_digest(content).hexdigest()
    if known is None or known.digest != digest:
        secrets, body = _redacted(content, path.suffix)
        head = {"offset": 0, "complete": len(content), "end": len(content), "tail": 0, "tail_secrets": 0}
        yield _Piece({**head, "digest": digest, "secrets": secrets}, body)


def _redacted(content: bytes, suffix: str) -> tuple[int, bytes]:
    """The number of secrets in the content of a file, and the content without them."""
    if suffix != ZSTD:
        body, secrets = _without_secrets(content)
        return secrets, body
    from memtui_core.system.compression import decompressed, zstd

    try:
        plain = decompressed(content, _LARGEST)
    except zstd.ZstdError as error:
        raise TranscriptTooLarge(f"It cannot be decompressed: {error}.") from error
    secrets, lines = 0, []
    for line in plain.split(b"\n"):
        body, count = _without_secrets(line)
        secrets += count
        lines.append(body)
    return secrets, zstd.compress(b"\n".join(lines)) if secrets else content


def _without_secrets(content: bytes | memoryview) -> tuple[bytes, int]:
    """A text without its secrets, and how many it had."""
    text, secrets = redacted_text(str(content, "utf-8", "surrogateescape"))
    return text.encode("utf-8", "surrogateescape"), secrets


def _pieces_of_lines(file: BinaryIO, path: Path, size: int, known: ArchivedFile | None) -> Iterator[_Piece]:
    """What follows the complete lines that are archived, or all if these are not the same any more."""
    digest, offset = _new_digest(), 0
    if known is not None and known.complete <= size:
        digest = _digest_of(file, known.complete)
        offset = known.complete if digest.hexdigest() == known.digest else 0
        if not offset:
            digest = _new_digest()
    file.seek(offset)
    while block := _block(file, path):
        complete, end = block.rfind(b"\n") + 1, offset + len(block)
        digest.update(memoryview(block)[:complete])
        body, counts, tail = _redacted_lines(block, complete)
        head = {"offset": offset, "complete": offset + complete, "end": end, "digest": digest.hexdigest()}
        yield _Piece({**head, "secrets": counts[0], "tail": tail, "tail_secrets": counts[1]}, body)
        if tail or end >= size:
            return
        offset = end


def _redacted_lines(block: bytes, complete: int) -> tuple[bytes, tuple[int, int], int]:
    """Lines without secrets, how many these had before and after `complete`, and the bytes that are left after it."""
    view, lines, counts, start, tail = memoryview(block), [], [0, 0], 0, 0
    while start < len(block):
        end = block.find(b"\n", start) + 1 or len(block)
        line, secrets = _without_secrets(view[start:end])
        lines.append(line)
        counts[start >= complete] += secrets
        tail = len(lines[-1]) if start >= complete else 0
        start = end
    # A line may be as long as a piece or longer.
    return lines[0] if len(lines) == 1 else b"".join(lines), (counts[0], counts[1]), tail


def _block(file: BinaryIO, path: Path) -> bytes:
    """The next lines: at most a piece, or a longer line; at the end of the file the rest."""
    block = file.read(_PIECE)
    if len(block) < _PIECE or block.endswith(b"\n"):
        return block
    if cut := block.rfind(b"\n") + 1:
        file.seek(cut - len(block), 1)
        return block[:cut]
    block += file.readline(LONGEST_LINE)
    if len(block) >= LONGEST_LINE:
        raise TranscriptTooLarge(f"A line of {path} is too long to be archived.")
    return block


def _digest_of(file: BinaryIO, length: int) -> blake2b:
    digest = _new_digest()
    file.seek(0)
    while length and (piece := file.read(min(length, _PIECE))):
        digest.update(piece)
        length -= len(piece)
    return digest


def _new_digest(content: bytes = b"") -> blake2b:
    return blake2b(content, digest_size=_DIGEST)
