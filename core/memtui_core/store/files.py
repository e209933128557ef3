"""Where the parts of the index lie in its data folder, and how a file is put there whole."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_FICLONE = 0x40049409
"""Linux: make a file share the blocks of another one."""


@dataclass(frozen=True, slots=True)
class DataDir:
    """The paths of one index."""

    path: Path

    @property
    def work(self) -> Path:
        """The database that only the indexer opens."""
        return self.path / "work.duckdb"

    @property
    def snapshots(self) -> Path:
        """Folder of the copies that readers open."""
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

    def snapshot(self, number: int) -> Path:
        """The file of one snapshot."""
        return self.snapshots / f"{number}.duckdb"


def write_whole(path: Path, data: bytes) -> None:
    """Write a small file so that a reader sees the old or the new content, never a part."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(data)
    part.replace(path)


def copy_whole(source: Path, target: Path) -> None:
    """Copy a file, sharing its blocks where the disk can, and put it in place complete and synced."""
    part = target.with_name(f"{target.name}.part")
    if not _clone(source, part):
        shutil.copyfile(source, part)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(target)


def _clone(source: Path, target: Path) -> bool:
    try:
        import fcntl
    except ImportError:
        return False
    with source.open("rb") as original, target.open("wb") as copy, suppress(OSError):
        fcntl.ioctl(copy.fileno(), _FICLONE, original.fileno())
        return True
    return False
