"""Where the parts of the index lie in its data folder, and how a file is put there whole."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

_FICLONE = 0x40049409
"""Linux: make a file share the blocks of another one."""
_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4) if sys.platform == "win32" else ()
"""Seconds between attempts to replace a file that somebody has open; other systems replace it at once."""


class DataDir(NamedTuple):
    """The paths of one index."""

    path: Path

    @property
    def work(self) -> Path:
        """The database that only the indexer opens."""
        return self.path / "work.duckdb"

    @property
    def snapshots(self) -> Path:
        """Folder of what readers open."""
        return self.path / "snapshots"

    @property
    def current(self) -> Path:
        """Names the newest snapshot."""
        return self.snapshots / "CURRENT"

    @property
    def lexicon(self) -> Path:
        """Folder of the keyword index."""
        return self.path / "lexicon"

    @property
    def lock(self) -> Path:
        """Held by the indexer."""
        return self.path / "indexer.lock"

    @property
    def progress(self) -> Path:
        """What the indexer last said of its progress."""
        return self.path / "progress.json"

    @property
    def readers(self) -> Path:
        """Touched by who reads the index, so that the indexer knows whether somebody does."""
        return self.path / "readers"

    @property
    def typing(self) -> Path:
        """Touched by an app in which a person presses keys, so that the indexer steps aside."""
        return self.path / "typing"

    def base(self, number: int) -> Path:
        """The database that holds everything up to a batch."""
        return self.snapshots / f"{number}.duckdb"

    def delta(self, number: int) -> Path:
        """The database that holds what changed between a base and a batch."""
        return self.snapshots / f"{number}.delta.duckdb"

    def journal(self, number: int) -> Path:
        """The lines of what changed since a batch."""
        return self.snapshots / f"{number}.journal"

    def vectors(self, number: int) -> Path:
        """The vectors, in the order in which they were made."""
        return self.path / "vectors" / f"{number}.f32"

    def vector_hashes(self, number: int) -> Path:
        """The hash of each vector's text, in the same order."""
        return self.path / "vectors" / f"{number}.hashes"


def sync(file: BinaryIO) -> None:
    """Have all that was written to an open file on the disk."""
    file.flush()
    os.fsync(file.fileno())


def write_whole(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a small file so that a reader sees the old or the new content, never a part.

    `durable` has it on the disk before it takes its place.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("wb") as file:
        file.write(data)
        if durable:
            sync(file)
    put_in_place(part, path)


def put_in_place(part: Path, path: Path) -> None:
    """Rename a file over another one; on Windows that waits a while for readers that have the other one open.

    Raises OSError.
    """
    for pause in _PAUSES:
        try:
            part.replace(path)
            return
        except PermissionError:
            time.sleep(pause)
    part.replace(path)


def copy_whole(source: Path, target: Path) -> None:
    """Copy a file, sharing its blocks where the disk can, and put it in place complete and synced."""
    import shutil

    part = target.with_name(f"{target.name}.part")
    if not _clone(source, part):
        shutil.copyfile(source, part)
    with part.open("rb+") as file:
        sync(file)
    put_in_place(part, target)


def _clone(source: Path, target: Path) -> bool:
    if sys.platform != "linux":
        return False
    import fcntl

    with source.open("rb") as original, target.open("wb") as copy, suppress(OSError):
        fcntl.ioctl(copy.fileno(), _FICLONE, original.fileno())
        return True
    return False
