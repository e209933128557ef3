"""The reader of Factory Droid: its locations, files and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.droid.profile import PROFILE
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import home_in


class Droid(FileReader):
    """The reader of Factory Droid."""

    agent = "droid"
    name = "Factory Droid"
    short_name = "droid"
    label = "fd"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.factory/sessions/",)
    samples_only = True
    copying = Copying(beside=(".factory/sessions/*.settings.json", ".factory/sessions/*/*.settings.json"))
    """Beside a session is a file of its own with its model; the user's settings are elsewhere."""
    reading = "memtui_core.readers.agents.droid.transcript:DroidReading"
    resume: Sequence[str] = ("droid", "--resume")
    start: Sequence[str] = ("droid",)

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """`~/.factory/sessions`."""
        return [home_in(environ) / ".factory" / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session: by its folder, or by its first line."""
        if path.suffix != ".jsonl":
            return False
        return "/.factory/sessions/" in path.as_posix() or _is_start(first_entry(path))


def _is_start(entry: dict[str, Any]) -> bool:
    named = isinstance(entry.get("id"), str) or isinstance(entry.get("sessionId"), str)
    return entry.get("type") == "session_start" and named
