"""The reader of Hermes Agent: its locations, files and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtui_core.readers.agents.hermes.file_names import (
    DATABASE,
    PROFILES,
    SESSIONS,
    database_for,
    is_document,
    is_in_profile,
    lines_for,
    session_of,
)
from memtui_core.readers.agents.hermes.profile import PROFILE
from memtui_core.readers.base import Transcript
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.readers.formats.first_entry import begins_with, first_entry, head
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile


class Hermes(DatabaseReader):
    """The reader of Hermes Agent. A session that is in the database is not read from files."""

    agent = "hermes"
    name = "Hermes Agent"
    short_name = "hermes"
    label = "he"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.hermes/",)
    samples_only = True
    database = DATABASE
    sessions = "memtui_core.readers.agents.hermes.stores:sessions_in"
    reading = "memtui_core.readers.agents.hermes.transcript:HermesReading"
    copying = Copying(tables={"sessions": "", "messages": ""})
    resume: Sequence[str] = ("hermes", "--resume")

    def __init__(self) -> None:
        self._listed: Iterable[Transcript] = ()
        self._stored: frozenset[str] = frozenset()

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The database and the files of sessions, and those of other profiles, in `HERMES_HOME` or in `~/.hermes`."""
        home = folder_of(environ.get("HERMES_HOME")) or home_in(environ) / ".hermes"
        return [home / DATABASE, home / SESSIONS, home / PROFILES]

    def accepts(self, path: Path) -> bool:
        """Whether it is a database or a file of a session, by its folder, or by its content."""
        if self.is_database(path):
            return is_in_profile(path) or _has_sessions(self.container(path))
        if is_document(path):
            return is_in_profile(path) or begins_with(path, b'"session_id"', b'"session_start"')
        return path.suffix == ".jsonl" and (is_in_profile(path) or _is_start(first_entry(path)))

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The sessions of a database, or that of a file, empty if it is read elsewhere. Raises SourceUnreadable."""
        path = file.path
        if self.is_database(path):
            return super().transcripts(file)
        size = 0 if self.is_elsewhere(path) else file.size
        return (Transcript(self.agent, path, size, file.mtime),)

    def is_elsewhere(self, path: Path) -> bool:
        """Whether the session of a file is also in the database, or in lines with their times."""
        if is_document(path) and lines_for(path).exists():
            return True
        return session_of(path) in self._sessions_in(database_for(path))

    def _sessions_in(self, database: Path) -> frozenset[str]:
        """The sessions with messages in a database; none if it cannot be read: the files are all that there is."""
        from memtui_core.errors import SourceUnreadable

        try:
            listed = self._listing.transcripts(database)
        except SourceUnreadable:
            return frozenset()
        # A list that has not changed is the same object; a folder can have thousands of files.
        if self._listed is not listed:
            self._listed = listed
            self._stored = frozenset(transcript.part for transcript in listed if transcript.size)
        return self._stored


def _has_sessions(database: Path) -> bool:
    """Whether a database has the tables of the agent."""
    from memtui_core.errors import SourceUnreadable
    from memtui_core.readers.formats.sqlite import columns_of, opened

    if not head(database).startswith(b"SQLite format 3"):
        return False
    try:
        with opened(database) as connection:
            return {"tool_calls", "tool_name", "finish_reason"} <= columns_of(connection, "messages")
    except SourceUnreadable:
        return False


def _is_start(entry: dict[str, Any]) -> bool:
    return entry.get("role") == "session_meta" and "platform" in entry
