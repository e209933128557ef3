"""The reader of Antigravity: its locations and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.antigravity.profile import PROFILE
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import home_in

_SHORT, _FULL = "transcript.jsonl", "transcript_full.jsonl"
_LOGS: Final = (".system_generated", "logs")
_BRAIN: Final = "brain"


class Antigravity(FileReader):
    """The reader of Antigravity: `brain/<session>/.system_generated/logs/transcript.jsonl`.

    A `transcript_full.jsonl` beside it has the texts that it cuts, and is read in its place.
    """

    agent = "antigravity"
    name = "Antigravity"
    short_name = "agy"
    label = "ag"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.gemini/antigravity",)
    samples_only = True
    copying = Copying(locations=(f".gemini/antigravity*/{_BRAIN}",))
    reading = "memtui_core.readers.agents.antigravity.transcript:AntigravityReading"
    resume: Sequence[str] = ("agy", "--conversation")
    start: Sequence[str] = ("agy", "-i")

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders `brain` of the editor and of the program for the terminal."""
        home = home_in(environ) / ".gemini"
        existing = [folder / _BRAIN for folder in sorted(home.glob("antigravity*")) if (folder / _BRAIN).is_dir()]
        return existing or [home / "antigravity" / _BRAIN]

    def accepts(self, path: Path) -> bool:
        """Whether it is the transcript of a session by its path, or by its first entry."""
        if path.suffix != ".jsonl":
            return False
        if path.parts[-3:-1] == _LOGS:
            return path.name == _FULL or (path.name == _SHORT and not path.with_name(_FULL).exists())
        entry = first_entry(path)
        return {"source", "created_at", "step_index"} <= entry.keys()
