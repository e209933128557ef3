"""The paths of the parts of the index in its data folder, and writing files atomically."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

_FICLONE = 0x40049409
"""Linux: the `ioctl` request that makes a file share the blocks of another file."""
_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4) if sys.platform == "win32" else ()
"""Seconds between attempts to replace a file that a process has open; other systems replace it at once."""


class DataDir(NamedTuple):
    """The paths of one index."""

    path: Path

    @property
    def work(self) -> Path:
        """The database that only the indexer opens."""
        return self.path / "work.duckdb"

    @property
    def work_log(self) -> Path:
        """The changes of the work database that are not in its file yet."""
        return self.path / "work.duckdb.wal"

    @property
    def snapshots(self) -> Path:
        """The folder of the snapshots, which readers open."""
        return self.path / "snapshots"

    @property
    def current(self) -> Path:
        """The file that names the newest snapshot."""
        return self.snapshots / "CURRENT"

    @property
    def lexicon(self) -> Path:
        """The folder of the lexicon."""
        return self.path / "lexicon"

    @property
    def lock(self) -> Path:
        """The lock that the indexer holds."""
        return self.path / "indexer.lock"

    @property
    def progress(self) -> Path:
        """The last progress that the indexer reported."""
        return self.path / "progress.json"

    @property
    def readers(self) -> Path:
        """The file that every process that reads the index touches, so that the indexer knows about readers."""
        return self.path / "readers"

    @property
    def typing(self) -> Path:
        """The file that the app touches when the user presses keys, so that the indexer pauses."""
        return self.path / "typing"

    @property
    def last_list(self) -> Path:
        """The first rows of the app's list as they were when it was left."""
        return self.path / "last_list.json"

    def base(self, number: int) -> Path:
        """The database with everything up to a batch."""
        return self.snapshots / f"{number}.duckdb"

    def delta(self, number: int) -> Path:
        """The database with the changes between a base and a batch."""
        return self.snapshots / f"{number}.delta.duckdb"

    def journal(self, number: int) -> Path:
        """The file with the changes since a batch, one line a batch."""
        return self.snapshots / f"{number}.journal"

    def vectors(self, number: int) -> Path:
        """The file with the vectors, in the order in which they were made, with 8 bits a number."""
        return self.path / "vectors" / f"{number}.i8"

    def vector_keys(self, number: int) -> Path:
        """The file with the hash of each vector's text and the factor of the vector, in the same order."""
        return self.path / "vectors" / f"{number}.keys"

    def wide_vectors(self, number: int) -> Path:
        """The file with the vectors in an index of an earlier version, with 32 bits a number."""
        return self.path / "vectors" / f"{number}.f32"

    def wide_hashes(self, number: int) -> Path:
        """The file with the hashes for `wide_vectors`."""
        return self.path / "vectors" / f"{number}.hashes"

    def vector_files(self, number: int) -> tuple[Path, ...]:
        """All files that a generation of vectors may have, of this version or of an earlier one."""
        return (self.vectors(number), self.vector_keys(number), self.wide_vectors(number), self.wide_hashes(number))

    @property
    def vector_index(self) -> Path:
        """The folder of the HNSW index of the vectors."""
        return self.path / "vector-index"


def sync(file: BinaryIO) -> None:
    """Flush an open file to the disk."""
    file.flush()
    os.fsync(file.fileno())


def write_atomically(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a small file so that a reader sees the old or the new content, never a part.

    With `durable`, the content is flushed to the disk before the file is replaced.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("wb") as file:
        file.write(data)
        if durable:
            sync(file)
    replace_file(part, path)


def replace_file(part: Path, path: Path) -> None:
    """Rename `part` to `path`; on Windows, retry for up to 0.8 seconds while a reader has `path` open.

    Raises OSError.
    """
    for pause in _PAUSES:
        try:
            part.replace(path)
            return
        except PermissionError:
            time.sleep(pause)
    part.replace(path)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file, by sharing its blocks if the file system can."""
    import shutil

    if not _clone(source, target):
        shutil.copyfile(source, target)


def copy_atomically(source: Path, target: Path) -> None:
    """Copy a file; the copy appears complete and synced."""
    part = target.with_name(f"{target.name}.part")
    copy_file(source, part)
    with part.open("rb+") as file:
        sync(file)
    replace_file(part, target)


def _clone(source: Path, target: Path) -> bool:
    if sys.platform != "linux":
        return False
    import fcntl

    with source.open("rb") as original, target.open("wb") as copy, suppress(OSError):
        fcntl.ioctl(copy.fileno(), _FICLONE, original.fileno())
        return True
    return False
