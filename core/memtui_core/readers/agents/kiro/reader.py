"""The reader of the Kiro command line: its locations and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memtui_core.readers.agents.kiro.profile import PROFILE
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.system.locations import folder_of, home_in, platform_in


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
    database = "data.sqlite3"
    sessions = "memtui_core.readers.agents.kiro.transcript:conversations_in"
    reading = "memtui_core.readers.agents.kiro.transcript:KiroReading"
    copying = Copying(tables={"conversations": "", "conversations_v2": ""}, has_secrets=True)
    resume: Sequence[str] = ("kiro-cli", "chat", "--resume-id")
    start: Sequence[str] = ("kiro-cli", "chat")

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The database in the user's folder of data."""
        folder = folder_of(environ.get("XDG_DATA_HOME")) or home_in(environ) / ".local" / "share"
        if platform_in(environ) == "darwin":
            folder = home_in(environ) / "Library" / "Application Support"
        return [folder / self.folder / self.database]

    def accepts(self, path: Path) -> bool:
        """Whether it is a database in a folder of the agent, by its path."""
        return self.is_database(path) and self.folder in path.parts
