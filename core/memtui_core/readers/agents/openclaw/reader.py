"""The reader of OpenClaw: its locations and files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.readers.agents.openclaw.file_names import (
    AGENTS,
    is_database,
    is_in_home,
    is_session_file,
    is_trajectory,
)
from memtui_core.readers.agents.openclaw.profile import PROFILE
from memtui_core.readers.base import Cursor, Reading, Transcript
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    import sqlite3


class OpenClaw(DatabaseReader):
    """The reader of OpenClaw. Copies of a session are transcripts of that session: shared entries count once."""

    agent = "openclaw"
    name = "OpenClaw"
    short_name = "openclaw"
    label = "ow"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.openclaw/agents/", "/.clawdbot/agents/")
    samples_only = True

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders of all agents, in `OPENCLAW_STATE_DIR` or in `~/.openclaw`, and in that of an earlier name."""
        home = folder_of(environ.get("OPENCLAW_STATE_DIR")) or Path.home() / ".openclaw"
        return [home / AGENTS, Path.home() / ".clawdbot" / AGENTS]

    def accepts(self, path: Path) -> bool:
        """Whether it is the database of an agent or a file of a session: by its place, elsewhere by its first line."""
        if is_database(path):
            return True
        if not is_session_file(path):
            return False
        return is_in_home(path) or first_entry(path).get("type") == "session"

    def container(self, path: Path) -> Path:
        """The database, for its log and index as well; or the file itself."""
        return super().container(path) if is_database(path) else path

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The sessions of a database, or that of a file; the log of the runs of a session is none."""
        if is_database(file.path):
            return super().transcripts(file)
        return () if is_trajectory(file.path) else (Transcript(self.agent, file.path, file.size, file.mtime),)

    def sessions(self, connection: sqlite3.Connection, path: Path) -> Iterable[Transcript]:
        """The sessions of a database."""
        from memtui_core.readers.agents.openclaw.database import sessions_in

        return sessions_in(connection, self.agent, path)

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a transcript at a cursor."""
        # Hooks and the app use names and commands only: importing the decoder would delay their start.
        from memtui_core.readers.agents.openclaw.transcript import FileReading, RowsReading

        return RowsReading(transcript, cursor) if transcript.part else FileReading(transcript, cursor)
