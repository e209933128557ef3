"""The reader of Warp: its locations."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agents.warp.profile import PROFILE
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.formats.databases import DatabaseReader, names_of
from memtui_core.system.locations import folder_of

if TYPE_CHECKING:
    import sqlite3

    from memtui_core.readers.agents.warp.transcript import WarpReading

_DATABASE: Final = "warp.sqlite"
_DATABASES: Final = names_of(_DATABASE)
_GROUP: Final = Path("Library", "Group Containers", "2BBY89MBSN.dev.warp", "Library", "Application Support")


class Warp(DatabaseReader):
    """The reader of Warp, whose conversations are in the database of the terminal."""

    agent = "warp"
    name = "Warp"
    short_name = "warp"
    label = "wa"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.local/state/warp-terminal", "/Application Support/dev.warp.Warp-")
    samples_only = True

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The databases of all channels, each with that of the command line in a folder below it."""
        base, name = folder_of(environ.get("XDG_STATE_HOME")) or Path.home() / ".local" / "state", "warp-terminal"
        pattern = f"{name}*"
        if sys.platform == "darwin":
            base, name, pattern = Path.home() / _GROUP, "dev.warp.Warp-Stable", "dev.warp.Warp-*"
        found = {base / name / _DATABASE}
        for folder in base.glob(pattern):
            found |= {folder / _DATABASE, *folder.glob(f"*/{_DATABASE}")}
        return sorted(found)

    def accepts(self, path: Path) -> bool:
        """Whether it is a database of Warp, by its name."""
        return path.name in _DATABASES

    def sessions(self, connection: sqlite3.Connection, path: Path) -> Iterable[Transcript]:
        """The conversations of a database."""
        from memtui_core.readers.agents.warp.database import conversations_in

        return conversations_in(connection, self.agent, path)

    def read(self, transcript: Transcript, cursor: Cursor) -> WarpReading:
        """Open a transcript at a cursor."""
        from memtui_core.readers.agents.warp.transcript import WarpReading

        return WarpReading(transcript, cursor)
