"""The parts of a reader whose sessions are in SQLite databases, one transcript for each session."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agent import FileReader, declared
from memtui_core.readers.base import Transcript
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    from memtui_core.readers.formats.sqlite import DatabaseListing

WAL, INDEX, JOURNAL = "-wal", "-shm", "-journal"
_SIDE_FILES: Final = (WAL, INDEX, JOURNAL)


def database_of(path: Path) -> Path:
    """The database to which a file belongs: itself, or without the suffix of a log, an index or a journal."""
    suffix = next((suffix for suffix in _SIDE_FILES if path.name.endswith(suffix) and path.name != suffix), None)
    return path if suffix is None else path.with_name(path.name.removesuffix(suffix))


class DatabaseReader(FileReader):
    """The defaults of a reader of databases. Some agents have other files, too, each of which is one transcript."""

    database: str
    """The name of a database."""
    sessions: str
    """The function that lists the transcripts of an open database, as `declared` takes it.

    It is called with the connection, the id of the agent and the path.
    """

    def is_database(self, path: Path) -> bool:
        """Whether a file has the name of a database, or of a file beside one."""
        return database_of(path).name == self.database

    def accepts(self, path: Path) -> bool:
        """Whether it is a database, by its name."""
        return self.is_database(path)

    def container(self, path: Path) -> Path:
        """The database, for its log and index as well; or the file itself."""
        return database_of(path) if self.is_database(path) else path

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The sessions of the database to which the file belongs, or the file. Raises SourceUnreadable."""
        if not self.is_database(file.path):
            return super().transcripts(file)
        return self._listing.transcripts(self.container(file.path))

    @cached_property
    def _listing(self) -> DatabaseListing:
        # Hooks load every reader, and do not need SQLite.
        from memtui_core.readers.formats.sqlite import DatabaseListing

        list_sessions = declared(self.sessions)
        return DatabaseListing(lambda connection, path: list_sessions(connection, self.agent, path))
