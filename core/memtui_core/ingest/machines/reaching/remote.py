"""The files of a machine that is reached by ssh."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sqlite3
import stat
import tarfile
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from memtui_core.errors import MachineUnreachable
from memtui_core.ingest.machines.address import SshAddress
from memtui_core.ingest.machines.listing import END, ListedFile, Listing, listing_of
from memtui_core.ingest.machines.reaching.running import never, output_of
from memtui_core.ingest.machines.reaching.scripts import (
    database_script,
    listing_script,
    repositories_script,
    tar_script,
)
from memtui_core.ingest.machines.reaching.ssh import Ssh
from memtui_core.ingest.machines.reaching.table_copy import copy_tables
from memtui_core.ingest.machines.repositories import Repository
from memtui_core.ingest.machines.selection import ChosenDatabase
from memtui_core.readers.formats.databases import JOURNAL, WAL
from memtui_core.readers.formats.sqlite import opened
from memtui_core.system.atomic_files import replace_file
from memtui_core.system.failures import is_of_machine

_COMPLETE: Final = b"end"
"""The last record of a listing."""
_PARTIAL: Final = ".memtui-partial"
"""The folder, beside a file, with what rsync had of it when it was interrupted."""
_RSYNC_SILENCE: Final = 30
"""Seconds without a byte after which rsync gives up; while it works, it says so."""
_COPY, _RAW = "copy.db", "raw.db"


class RemoteHome:
    """The home folder of a machine that is reached by ssh; `mirror` is the copy of it, which rsync builds on."""

    def __init__(self, address: SshAddress, mirror: Path, stopped: Callable[[], bool] = never) -> None:
        self._ssh = Ssh(address, stopped)
        self._mirror = mirror
        self._programs: Collection[str] = ()

    def listing(self, patterns: Sequence[str]) -> Listing:
        """The files in some places. Raises MachineUnreachable, PullInterrupted."""
        records = b"".join(self._ssh.answer(listing_script(patterns))).split(END)
        if records[-2:] != [_COMPLETE, b""]:
            raise MachineUnreachable("the list of files ended too early")
        listing = listing_of(records)
        self._programs = listing.programs
        return listing

    def fetch(self, chosen: Sequence[ListedFile], incoming: Path) -> Iterator[tuple[ListedFile, Path]]:
        """Copy files into a folder: each, when it is complete, with the path of its copy.

        A file that was deleted meanwhile is left out. Raises MachineUnreachable, PullInterrupted, OSError.
        """
        left = {file.path: file for file in chosen}
        if left and "rsync" in self._programs and (rsync := shutil.which("rsync")) is not None:
            # What it has completed counts; tar says what the matter is, or does without rsync.
            with suppress(MachineUnreachable):
                self._rsync(rsync, list(left), incoming)
            for path in list(left):
                if _is_file(copy := incoming / path):
                    yield left.pop(path), copy
        if left:
            with closing(self._ssh.answer(tar_script(list(left)))) as pieces:
                for path, copy in _unpacked(pieces, left, incoming):
                    yield left[path], copy

    def copy_database(self, database: ChosenDatabase, copy: Path) -> None:
        """Copy the tables of a database to a new file. Raises MachineUnreachable, PullInterrupted, OSError."""
        folder = copy.with_name(f"{copy.name}.parts")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        names = (_COPY, _RAW, f"{_RAW}{WAL}", f"{_RAW}{JOURNAL}")
        tables, may_copy_files = database.copying.tables, not database.copying.has_secrets
        script = database_script(database.path, tables, may_copy_files=may_copy_files)
        try:
            with closing(self._ssh.answer(script)) as pieces:
                try:
                    found = dict(_unpacked(pieces, names, folder))
                except MachineUnreachable as error:
                    raise MachineUnreachable(f"{database.path}: {error}") from error
            if _COPY in found:
                replace_file(found[_COPY], copy)
            elif _RAW in found:
                copy_of_tables(found[_RAW], copy, tables)
            else:
                raise MachineUnreachable(f"{database.path} cannot be copied")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def repositories(self, folders: Sequence[str]) -> Mapping[str, Repository]:
        """The repositories of those folders that are in one. Raises MachineUnreachable, PullInterrupted."""
        values = os.fsdecode(b"".join(self._ssh.answer(repositories_script(folders)))).split("\0")
        return {
            folder: Repository(root, url.removesuffix("\n"))
            for folder, root, url in zip(values[::3], values[1::3], values[2::3], strict=False)
        }

    def _rsync(self, rsync: str, paths: Iterable[str], incoming: Path) -> None:
        address = self._ssh.address
        host = f"[{address.host}]" if ":" in address.host else address.host
        source = f"{address.user}@{host}:./" if address.user else f"{host}:./"
        command = [
            *(rsync, "--times", "--no-implied-dirs", "--from0", "--files-from=-", f"--partial-dir={_PARTIAL}"),
            # The copy of the last time is where a file that grew goes on; it is not changed.
            # What is due was decided; rsync would compare times by the second.
            "--ignore-times",
            *(f"--copy-dest={self._mirror.absolute()}", f"--timeout={_RSYNC_SILENCE}"),
            *("--rsh", shlex.join(self._ssh.command), source, str(incoming)),
        ]
        given = b"\0".join(os.fsencode(f"./{path}") for path in paths)
        # It prints nothing, and watches over silence itself.
        for _ in output_of(command, given, first=float("inf"), silence=float("inf"), stopped=self._ssh.stopped):
            pass


def copy_of_tables(database: Path, copy: Path, tables: Mapping[str, str]) -> None:
    """Copy tables of a database of this machine, which is neither changed nor blocked, to a new file.

    Raises SourceUnreadable.
    """
    copy.unlink(missing_ok=True)
    with opened(database) as source, closing(sqlite3.connect(copy)) as target:
        copy_tables(source, target, tables)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _unpacked(
    pieces: Generator[bytes, None, None], chosen: Collection[str], folder: Path
) -> Iterator[tuple[str, Path]]:
    """The chosen files of tar archives, each when it is complete, with its name.

    Whatever else an archive has is skipped: links, devices, and names that were not asked for, so that no path leaves
    the folder. Raises MachineUnreachable if the archive ends too early.
    """
    stream = _Stream(pieces)
    try:
        with tarfile.open(
            fileobj=stream, mode="r|", ignore_zeros=True, encoding="utf-8", errors="surrogateescape"
        ) as archive:
            for member in archive:
                name = member.name.removeprefix("./")
                if name not in chosen or not member.isreg() or (content := archive.extractfile(member)) is None:
                    continue
                copy = folder / name
                try:
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    copy.unlink(missing_ok=True)
                    file = copy.open("xb")
                except OSError as error:
                    if is_of_machine(error):
                        raise
                    # A name that this system does not take.
                    continue
                with file:
                    shutil.copyfileobj(content, file)
                if copy.stat().st_size != member.size:
                    raise MachineUnreachable("the connection ended too early")
                yield name, copy
    except tarfile.TarError as error:
        # What follows says why: the program that ended, or nothing.
        for _ in pieces:
            pass
        raise MachineUnreachable(f"the files ended too early: {error}") from error


class _Stream(io.BufferedIOBase):
    """Pieces of output as a file that is read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def readable(self) -> bool:
        """Yes."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """At most so many bytes, or all; fewer only at the end."""
        if size is None or size < 0:
            return b"".join((self._left, *self._pieces))
        found = [self._left]
        have = len(self._left)
        while have < size and (piece := next(self._pieces, b"")):
            found.append(piece)
            have += len(piece)
        data = b"".join(found)
        self._left = data[size:]
        return data[:size]
