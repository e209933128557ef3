"""The files of a machine whose home folder is a folder of this one: synchronized, mounted, or a backup."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Final

from memtui_core.errors import MachineUnreachable
from memtui_core.ingest.machines.listing import ListedFile, Listing, is_safe
from memtui_core.ingest.machines.reaching.remote import copy_of_tables
from memtui_core.ingest.machines.reaching.running import PullInterrupted, never
from memtui_core.ingest.machines.repositories import Repository
from memtui_core.ingest.machines.selection import ChosenDatabase
from memtui_core.system.failures import is_of_machine

_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class HomeFolder:
    """A folder that has what the home folder of a machine has."""

    def __init__(self, folder: Path, stopped: Callable[[], bool] = never) -> None:
        self._folder = folder
        self._stopped = stopped

    def listing(self, patterns: Sequence[str]) -> Listing:
        """The files in some places; links are not followed. Raises MachineUnreachable, PullInterrupted."""
        try:
            next(self._folder.iterdir(), None)
        except OSError as error:
            raise MachineUnreachable(f"{self._folder}: {error.strerror or error}") from error
        listing = Listing()
        top = Path(os.path.realpath(self._folder))
        for pattern in patterns:
            # As in a shell, and unlike `Path.glob`, a `*` is no hidden folder: there are thousands, none with projects.
            for found in sorted(glob(pattern, root_dir=self._folder)):  # noqa: PTH207
                place = self._folder / found
                name = Path(found).as_posix()
                real = Path(os.path.realpath(place))
                is_link_to_file = place.is_symlink() and not place.is_dir()
                if is_link_to_file or top not in real.parents:
                    listing.outside.append(name)
                else:
                    listing.files += self._files(place)
        # Places may lie in one another.
        listing.files = sorted(set(listing.files))
        return listing

    def fetch(self, chosen: Sequence[ListedFile], incoming: Path) -> Iterator[tuple[ListedFile, Path]]:
        """Copy files into a folder: each, when it is complete, with the path of its copy. Raises OSError.

        A file that was deleted meanwhile, or became a link, is left out.
        """
        for file in chosen:
            if self._stopped():
                raise PullInterrupted
            copy = incoming / file.path
            try:
                copy.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(self._folder / file.path, os.O_RDONLY | _NO_LINK)
            except OSError as error:
                if is_of_machine(error):
                    raise
                continue
            with os.fdopen(descriptor, "rb") as source:
                if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
                    continue
                with copy.open("wb") as target:
                    shutil.copyfileobj(source, target)
            yield file, copy

    def copy_database(self, database: ChosenDatabase, copy: Path) -> None:
        """Copy the tables of a database to a new file. Raises SourceUnreadable."""
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy_of_tables(self._folder / database.path, copy, database.copying.tables)

    def repositories(self, folders: Sequence[str]) -> Mapping[str, Repository]:
        """None: the working directories are paths of another machine."""
        return {}

    def _files(self, place: Path) -> Iterator[ListedFile]:
        folders = [place]
        while folders:
            if self._stopped():
                raise PullInterrupted
            folder = folders.pop()
            try:
                status = os.lstat(folder) if folder != place else folder.stat()
                if stat.S_ISDIR(status.st_mode):
                    folders += folder.iterdir()
                    continue
            except OSError:
                # Deleted meanwhile, or not to be read: the next pull may find it.
                continue
            name = folder.relative_to(self._folder).as_posix()
            if stat.S_ISREG(status.st_mode) and is_safe(name):
                yield ListedFile(name, status.st_size, status.st_mtime_ns)
