"""The parts of a reader whose sessions are in SQLite databases, one transcript for each session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.base import Transcript
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    import sqlite3

    from memtui_core.readers.formats.sqlite import DatabaseListing

_SUFFIXES: Final = ("", "-wal", "-shm", "-journal")


def names_of(database: str) -> frozenset[str]:
    """The names of a database and of the log, the index and the journal that can be beside it."""
    return frozenset(database + suffix for suffix in _SUFFIXES)


class DatabaseReader(FileReader):
    """The defaults of a reader of databases. An agent's reader lists the sessions of an open database."""

    @abstractmethod
    def sessions(self, connection: sqlite3.Connection, path: Path) -> Iterable[Transcript]:
        """The sessions of a database."""

    def container(self, path: Path) -> Path:
        """The database, for its log and index as well."""
        # Hooks load every reader, and do not need SQLite.
        from memtui_core.readers.formats.sqlite import database_of

        return database_of(path)

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The sessions of the database to which the file belongs. Raises SourceUnreadable."""
        return self._listing.transcripts(self.container(file.path))

    @cached_property
    def _listing(self) -> DatabaseListing:
        from memtui_core.readers.formats.sqlite import DatabaseListing

        return DatabaseListing(self.sessions)
