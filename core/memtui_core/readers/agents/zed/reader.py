"""The reader of the agent in the editor Zed: its locations."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agents.zed.profile import PROFILE
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.formats.databases import DatabaseReader, names_of
from memtui_core.system.locations import folder_of

if TYPE_CHECKING:
    import sqlite3

    from memtui_core.readers.agents.zed.transcript import ZedReading

_DATABASES: Final = names_of("threads.db")


class Zed(DatabaseReader):
    """The reader of the threads of Zed's agent, which the editor keeps in one database."""

    agent = "zed"
    name = "Zed"
    short_name = "zed"
    label = "ze"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.local/share/zed/", "/Application Support/Zed/")
    samples_only = True

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The database in the user's folder of data."""
        if sys.platform == "darwin":
            folder = Path.home() / "Library" / "Application Support" / "Zed"
        elif sys.platform == "win32":
            folder = (folder_of(environ.get("LOCALAPPDATA")) or Path.home() / "AppData" / "Local") / "Zed"
        else:
            folder = (folder_of(environ.get("XDG_DATA_HOME")) or Path.home() / ".local" / "share") / "zed"
        return [folder / "threads" / "threads.db"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a database, by its name."""
        return path.name in _DATABASES

    def sessions(self, connection: sqlite3.Connection, path: Path) -> Iterable[Transcript]:
        """The threads of a database."""
        from memtui_core.readers.agents.zed.transcript import threads_in

        return threads_in(connection, self.agent, path)

    def read(self, transcript: Transcript, cursor: Cursor) -> ZedReading:
        """Open a transcript at a cursor."""
        from memtui_core.readers.agents.zed.transcript import ZedReading

        return ZedReading(transcript, cursor)
