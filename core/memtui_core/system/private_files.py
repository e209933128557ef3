"""Files that only the user can read: the mask of a process for new files, and the rights of a folder that exists.

On Windows the profile of a user is private, and nothing is changed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from memtui_core.system.systems import IS_WINDOWS

_OTHERS: Final = 0o077
"""The rights of the group and of all others."""
_HAS_MODES: Final = not IS_WINDOWS
_before: int | None = None
"""The mask that the process was started with; None if it is still in force."""


def make_private() -> None:
    """Let nobody else read the files that this process and those it starts create."""
    global _before
    if _HAS_MODES and _before is None:
        _before = os.umask(_OTHERS)


def users_mask() -> int:
    """The mask for programs that the user works with, as `umask` of `subprocess`; -1 leaves it as it is."""
    return -1 if _before is None else _before


@contextmanager
def users_files() -> Iterator[None]:
    """What is created meanwhile is the user's own, with the mask that the process was started with."""
    if _before is None:
        yield
        return
    private = os.umask(_before)
    try:
        yield
    finally:
        os.umask(private)


def make_private_folder(folder: Path) -> bool:
    """Create a folder that only the user can enter, or take the rights of others from it and from all in it.

    Returns whether an existing folder was open to others. Raises OSError if it cannot be created.
    """
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        return False
    if not _HAS_MODES or not _is_open(folder):
        return False
    with suppress(OSError):
        # First what is in it: a run that is killed begins again.
        for parent, folders, files in os.walk(folder):
            for name in (*folders, *files):
                _close(Path(parent, name))
        _close(folder)
    return not _is_open(folder)


def _is_open(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & _OTHERS)


def _close(path: Path) -> None:
    """Take the rights of others from a file or folder; one that has gone, and a link, are left alone."""
    with suppress(FileNotFoundError):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & _OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
