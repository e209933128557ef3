"""The copy of what the agents have in the home folder of another machine.

It only grows: what is deleted on the other machine stays. Each file is written elsewhere and renamed, so that an
interrupted copy leaves the one before. A copy has the time of the file on the other machine, and is compared with that:
the clocks of two machines are never compared.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from memtui_core.errors import SourceUnreadable
from memtui_core.ingest.machines.listing import ListedFile
from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import copy_atomically, replace_file
from memtui_core.system.systems import TIME_TICK

_SQLITE: Final = b"SQLite format 3\0"
_PIECE: Final = 1 << 20


class Mirror:
    """The folders of one machine."""

    def __init__(self, data: DataDir, machine: str) -> None:
        self.home = data.mirror(machine)
        self.incoming = self.home.with_name("incoming")
        """Where files are written before they are complete."""
        self.replaced = self.home.with_name("replaced")
        """Older versions of files that the other machine has cut or written again. No reader looks there."""

    def prepare(self) -> None:
        """Make the folders, which only the user can read. Raises OSError."""
        self.home.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.home.mkdir(mode=0o700, exist_ok=True)
        self.incoming.mkdir(mode=0o700, exist_ok=True)

    def clean(self) -> None:
        """Delete what was left of copies that are complete."""
        shutil.rmtree(self.incoming, ignore_errors=True)

    def is_due(self, file: ListedFile) -> bool:
        """Whether a file must be copied: it is new, or it grew, or it was written later than the copy."""
        try:
            status = os.lstat(self.home / file.path)
        except OSError:
            return True
        return file.size > status.st_size or file.mtime // TIME_TICK > status.st_mtime_ns // TIME_TICK

    def install(self, file: ListedFile, written: Path) -> None:
        """Make a file that was written elsewhere the copy of a file. Raises OSError, SourceUnreadable.

        A version that the new one does not continue is kept in `replaced`, the longest one of each file.
        """
        with written.open("rb") as content:
            if content.read(len(_SQLITE)) == _SQLITE:
                # Its tables are chosen (`selection`); the whole file may contain credentials.
                raise SourceUnreadable(f"{file.path}: a database where a text was expected")
        target = self.home / file.path
        self._keep(file.path, target, written)
        self.put(file.path, written, file.mtime)

    def put(self, path: str, written: Path, mtime: int) -> None:
        """Move a file to its place, with the time in nanoseconds that it has on the other machine. Raises OSError."""
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        written.chmod(0o600)
        os.utime(written, ns=(mtime, mtime))
        replace_file(written, target)

    def _keep(self, path: str, target: Path, written: Path) -> None:
        try:
            size = target.stat().st_size
        except OSError:
            return
        is_rewritten = written.stat().st_size < size or not _continues(written, target)
        kept = self.replaced / path
        with suppress(FileNotFoundError):
            if kept.stat().st_size >= size:
                return
        if is_rewritten:
            kept.parent.mkdir(parents=True, exist_ok=True)
            copy_atomically(target, kept)


def _continues(path: Path, older: Path) -> bool:
    """Whether a file begins with the lines of another one; yes for a document, which is written again each time."""
    is_same = True
    piece = b"\n"
    with path.open("rb") as new, older.open("rb") as old:
        while read := old.read(_PIECE):
            piece = read
            is_same = is_same and new.read(len(piece)) == piece
    return is_same or not piece.endswith(b"\n")
