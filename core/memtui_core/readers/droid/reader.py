"""The reader of Droid: its locations and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.readers.agent import FileReader
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.first_entry import first_entry
from memtui_core.system.locations import folder_of

if TYPE_CHECKING:
    from memtui_core.readers.droid.transcript import DroidReading


class Droid(FileReader):
    """The reader of Droid: `sessions/<project>/<session>.jsonl`."""

    agent = "droid"
    name = "Droid"
    short_name = "droid"
    own_folders: Sequence[str] = ("/.factory/sessions/",)
    samples_only = True

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `sessions`, in `FACTORY_DIR` or in `~/.factory`."""
        return [(folder_of(environ.get("FACTORY_DIR")) or Path.home() / ".factory") / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session by its path, or by its first entry."""
        if path.suffix != ".jsonl":
            return False
        if {".factory", "sessions"} <= set(path.parts):
            return True
        entry = first_entry(path)
        return entry.get("type") == "session_start" and isinstance(entry.get("cwd", ""), str)

    def read(self, transcript: Transcript, cursor: Cursor) -> DroidReading:
        """Open a transcript at a cursor."""
        from memtui_core.readers.droid.transcript import DroidReading

        return DroidReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`droid --resume`."""
        return ["droid", "--resume", session_id]

    def start_command(self, prompt: str) -> list[str] | None:
        """`droid` with the prompt as its argument."""
        return ["droid", prompt]
