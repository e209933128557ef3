"""The reader of Goose: its locations and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memtui_core.readers.agents.goose.profile import PROFILE
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in


class Goose(DatabaseReader):
    """The reader of Goose: its database, and the JSON lines files of versions before 1.10."""

    agent = "goose"
    name = "Goose"
    short_name = "goose"
    label = "go"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.local/share/goose/", "/.config/goose/")
    samples_only = True
    database = "sessions.db"
    sessions = "memtui_core.readers.agents.goose.stores:sessions_in"
    reading = "memtui_core.readers.agents.goose.transcript:GooseReading"
    copying = Copying(tables={"sessions": "", "messages": ""})
    resume: Sequence[str] = ("goose", "session", "--resume", "--session-id")
    start: Sequence[str] = ("goose", "run", "--interactive", "--text")

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `sessions`, in `GOOSE_PATH_ROOT` or in the user's folder of data."""
        if root := folder_of(environ.get("GOOSE_PATH_ROOT")):
            return [root / "data" / "sessions"]
        folder = folder_of(environ.get("XDG_DATA_HOME")) or home_in(environ) / ".local" / "share"
        return [folder / "goose" / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a database or a JSON lines file in a folder of Goose, or starts like such a file."""
        is_inside = any(part.lower().lstrip(".") in {"goose", "block.goose"} for part in path.parts[:-1])
        if self.is_database(path):
            return is_inside
        if path.suffix != ".jsonl":
            return False
        if is_inside and path.parent.name == "sessions":
            return True
        first = first_entry(path)
        return "working_dir" in first and "message_count" in first
