"""The files below a folder, and what stands there that is no file. Nothing is opened: a FIFO would block."""

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
class Regular:
    """A file as it is now; `mtime` in nanoseconds, `size` in bytes."""

    path: Path
    size: int
    mtime: int


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What cannot be read, and why."""

    path: Path
    reason: str


class Walk:
    """Walks folders, each once, however many links lead to it.

    Links to folders are followed after all folders that are no links, so that a folder keeps the path that it has by
    itself. A link to a folder that holds the link is not followed: it leads out of the place or round in a circle.
    """

    def __init__(self) -> None:
        self._visited: set[_Identity] = set()
        self._top = Path()

    def below(self, top: Path) -> Iterator[Regular | Obstacle]:
        """What is at a path or below it; nothing where there is nothing."""
        if not os.path.lexists(top):
            return
        self._top = top
        folders, links = deque([top]), deque[Path]()
        while folders or links:
            if folders:
                yield from self._folder(folders, links)
            else:
                folders.append(links.popleft())

    def _folder(self, folders: deque[Path], links: deque[Path]) -> Iterator[Regular | Obstacle]:
        folder = folders.popleft()
        try:
            status = folder.stat()
            if not stat.S_ISDIR(status.st_mode):
                yield _file(folder, status)
                return
            if (status.st_dev, status.st_ino) in self._visited:
                return
            self._visited.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            yield from _obstacle(folder, error)
            return
        for entry in entries:
            path = folder / entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif entry.is_dir():
                    if _holds(path, folder) or _holds(path, self._top):
                        yield Obstacle(path, "a link to a folder that holds it, not followed")
                    else:
                        links.append(path)
                else:
                    yield _file(path, entry.stat())
            except OSError as error:
                yield from _obstacle(path, error)


def through_link(top: Path, path: Path) -> bool:
    """Whether a link to a folder lies on the way from a place to a path in it, its end included."""
    steps = [path, *path.parents]
    inside = steps[: steps.index(top)] if top in steps else steps[:1]
    return any(step.is_symlink() and step.is_dir() for step in inside)


def _file(path: Path, status: os.stat_result) -> Regular | Obstacle:
    if stat.S_ISREG(status.st_mode):
        return Regular(path, status.st_size, status.st_mtime_ns)
    return Obstacle(path, _KINDS.get(stat.S_IFMT(status.st_mode), "not a file"))


def _holds(link: Path, folder: Path) -> bool:
    """Whether a link leads to a folder or to one above it."""
    target, inside = Path(os.path.realpath(link)), Path(os.path.realpath(folder))
    return target == inside or target in inside.parents


def _obstacle(path: Path, error: OSError) -> Iterator[Obstacle]:
    """Nothing for what was deleted meanwhile."""
    if not isinstance(error, FileNotFoundError):
        yield Obstacle(path, error.strerror or str(error))
    elif path.is_symlink():
        yield Obstacle(path, f"a link to {path.readlink()}, which is not there")
