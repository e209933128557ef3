"""The files in a folder and its subfolders, and paths that cannot be read. No file is opened: a FIFO would block."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_KINDS: Final = {
    stat.S_IFIFO: "a FIFO, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
}
_Identity = tuple[int, int]
"""Device and inode of a folder."""


@dataclass(frozen=True, slots=True)
class RegularFile:
    """A file with its current state; `mtime` in nanoseconds, `size` in bytes."""

    path: Path
    size: int
    mtime: int


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A path that cannot be read, and the reason."""

    path: Path
    reason: str


class FileWalk:
    """Walks folders, each only once, even if several links point to it.

    Links to folders are followed after all real folders, so that a folder gets its own path, not that of a link. A link
    to a folder that contains the link is not followed: it would leave the location, or form a cycle.
    """

    def __init__(self) -> None:
        self._visited: set[_Identity] = set()
        self._top = Path()

    def below(self, top: Path) -> Iterator[RegularFile | Obstacle]:
        """The files and obstacles at a path and below it; nothing if the path does not exist."""
        if not os.path.lexists(top):
            return
        self._top = top
        folders, links = deque([top]), deque[Path]()
        while folders or links:
            if folders:
                yield from self._folder(folders, links)
            else:
                folders.append(links.popleft())

    def _folder(self, folders: deque[Path], links: deque[Path]) -> Iterator[RegularFile | Obstacle]:
        folder = folders.popleft()
        try:
            status = folder.stat()
            if not stat.S_ISDIR(status.st_mode):
                yield _file(folder, status)
                return
            if (status.st_dev, status.st_ino) in self._visited:
                return
            self._visited.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            yield from _obstacle(folder, error)
            return
        for entry in entries:
            path = folder / entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif entry.is_dir():
                    if _points_above(path, folder) or _points_above(path, self._top):
                        yield Obstacle(path, "a link to a folder that holds it, not followed")
                    else:
                        links.append(path)
                else:
                    yield _file(path, entry.stat())
            except OSError as error:
                yield from _obstacle(path, error)


def through_link(top: Path, path: Path) -> bool:
    """Whether a path, or a folder between `top` and the path, is a link to a folder."""
    ancestors = [path, *path.parents]
    inside = ancestors[: ancestors.index(top)] if top in ancestors else ancestors[:1]
    return any(ancestor.is_symlink() and ancestor.is_dir() for ancestor in inside)


def _file(path: Path, status: os.stat_result) -> RegularFile | Obstacle:
    if stat.S_ISREG(status.st_mode):
        return RegularFile(path, status.st_size, status.st_mtime_ns)
    return Obstacle(path, _KINDS.get(stat.S_IFMT(status.st_mode), "not a file"))


def _points_above(link: Path, folder: Path) -> bool:
    """Whether the target of a link is a folder or one of its parents."""
    target, inside = Path(os.path.realpath(link)), Path(os.path.realpath(folder))
    return target == inside or target in inside.parents


def _obstacle(path: Path, error: OSError) -> Iterator[Obstacle]:
    """The obstacle for an error; nothing if the path was deleted meanwhile."""
    if not isinstance(error, FileNotFoundError):
        yield Obstacle(path, error.strerror or str(error))
    elif path.is_symlink():
        yield Obstacle(path, f"a link to {path.readlink()}, which is not there")
