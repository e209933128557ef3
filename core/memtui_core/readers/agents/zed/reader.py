"""The reader of the agent in the editor Zed: its locations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memtui_core.readers.agents.zed.profile import PROFILE
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.system.locations import folder_of, home_in, platform_in


class Zed(DatabaseReader):
    """The reader of the threads of Zed's agent, which the editor keeps in one database."""

    agent = "zed"
    name = "Zed"
    short_name = "zed"
    label = "ze"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.local/share/zed/", "/Application Support/Zed/")
    samples_only = True
    database = "threads.db"
    sessions = "memtui_core.readers.agents.zed.transcript:threads_in"
    reading = "memtui_core.readers.agents.zed.transcript:ZedReading"
    copying = Copying(tables={"threads": ""})

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The database in the user's folder of data."""
        if platform_in(environ) == "darwin":
            folder = home_in(environ) / "Library" / "Application Support" / "Zed"
        elif platform_in(environ) == "win32":
            folder = (folder_of(environ.get("LOCALAPPDATA")) or home_in(environ) / "AppData" / "Local") / "Zed"
        else:
            folder = (folder_of(environ.get("XDG_DATA_HOME")) or home_in(environ) / ".local" / "share") / "zed"
        return [folder / "threads" / self.database]
