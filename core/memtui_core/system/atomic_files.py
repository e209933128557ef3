"""Files that appear complete: written, replaced and copied so that a reader sees the old or the new content."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from memtui_core.system.systems import MOVES_OPEN_FILES

_FICLONE = 0x40049409
"""Linux: the `ioctl` request that makes a file share the blocks of another file."""
_PAUSES = () if MOVES_OPEN_FILES else (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Seconds between attempts to replace a file that a process has open; other systems replace it at once."""


def sync(file: BinaryIO) -> None:
    """Flush an open file to the disk."""
    file.flush()
    os.fsync(file.fileno())


def write_atomically(path: Path, data: bytes, *, durable: bool = False, mode: int | None = None) -> None:
    """Write a small file so that a reader sees the old or the new content, never a part.

    With `durable`, the content is flushed to the disk before the file is replaced. The file has the rights in `mode`;
    for None, those of a new file.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb", opener=None if mode is None else _open_privately) as file:
            if mode is not None:
                part.chmod(mode)
            file.write(data)
            if durable:
                sync(file)
        replace_file(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


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


def remove_file(path: Path) -> None:
    """Remove a file if it exists; on Windows, retry as `replace_file` does. Raises OSError."""
    for pause in _PAUSES:
        try:
            path.unlink(missing_ok=True)
            return
        except PermissionError:
            time.sleep(pause)
    path.unlink(missing_ok=True)


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
