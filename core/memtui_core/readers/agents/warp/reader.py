"""The reader of Warp: its locations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agents.warp.profile import PROFILE
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.system.locations import folder_of, home_in, platform_in

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
    database = "warp.sqlite"
    sessions = "memtui_core.readers.agents.warp.database:conversations_in"
    reading = "memtui_core.readers.agents.warp.transcript:WarpReading"
    copying = Copying(
        locations=tuple(
            f"{base}/{database}"
            for base in (".local/state/warp-terminal*", f"{_GROUP.as_posix()}/dev.warp.Warp-*")
            for database in ("warp.sqlite", "*/warp.sqlite")
        ),
        tables={"agent_conversations": "", "agent_tasks": "", "ai_queries": ""},
        has_secrets=True,
    )

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The databases of all channels, each with that of the command line in a folder below it."""
        base, name = folder_of(environ.get("XDG_STATE_HOME")) or home_in(environ) / ".local" / "state", "warp-terminal"
        pattern = f"{name}*"
        if platform_in(environ) == "darwin":
            base, name, pattern = home_in(environ) / _GROUP, "dev.warp.Warp-Stable", "dev.warp.Warp-*"
        found = {base / name / self.database}
        for folder in base.glob(pattern):
            found |= {folder / self.database, *folder.glob(f"*/{self.database}")}
        return sorted(found)
