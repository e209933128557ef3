"""The reader of the Kiro command line: its locations and commands."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agents.kiro.profile import PROFILE
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.formats.databases import DatabaseReader, names_of
from memtui_core.system.locations import folder_of

if TYPE_CHECKING:
    import sqlite3

    from memtui_core.readers.agents.kiro.transcript import KiroReading

_DATABASES: Final = names_of("data.sqlite3")


class Kiro(DatabaseReader):
    """The reader of the Kiro command line, whose conversations are in one database."""

    agent = "kiro"
    name = "Kiro"
    short_name = "kiro"
    label = "ki"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.local/share/kiro-cli/", "/Application Support/kiro-cli/", "/.kiro/sessions/")
    samples_only = True
    folder = "kiro-cli"
    """The name of the folder with the database."""

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The database in the user's folder of data."""
        folder = folder_of(environ.get("XDG_DATA_HOME")) or Path.home() / ".local" / "share"
        if sys.platform == "darwin":
            folder = Path.home() / "Library" / "Application Support"
        return [folder / self.folder / "data.sqlite3"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a database in a folder of the agent, by its path."""
        return path.name in _DATABASES and self.folder in path.parts

    def sessions(self, connection: sqlite3.Connection, path: Path) -> Iterable[Transcript]:
        """The conversations of a database."""
        from memtui_core.readers.agents.kiro.transcript import conversations_in

        return conversations_in(connection, self.agent, path)

    def read(self, transcript: Transcript, cursor: Cursor) -> KiroReading:
        """Open a transcript at a cursor."""
        from memtui_core.readers.agents.kiro.transcript import KiroReading

        return KiroReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`kiro-cli chat --resume-id`."""
        return ["kiro-cli", "chat", "--resume-id", session_id]

    def start_command(self, prompt: str) -> list[str] | None:
        """`kiro-cli chat` with the prompt as its argument."""
        return ["kiro-cli", "chat", prompt]
