"""The reader of Factory Droid: its locations, files and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.droid.profile import PROFILE
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.formats.first_entry import first_entry

if TYPE_CHECKING:
    from memtui_core.readers.agents.droid.transcript import DroidReading


class Droid(FileReader):
    """The reader of Factory Droid."""

    agent = "droid"
    name = "Factory Droid"
    short_name = "droid"
    label = "fd"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.factory/sessions/",)
    samples_only = True

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """`~/.factory/sessions`."""
        return [Path.home() / ".factory" / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session: by its folder, or by its first line."""
        if path.suffix != ".jsonl":
            return False
        return "/.factory/sessions/" in path.as_posix() or _is_start(first_entry(path))

    def read(self, transcript: Transcript, cursor: Cursor) -> DroidReading:
        """Open a transcript at a cursor."""
        # Hooks and the app use names and commands only: importing the decoder would delay their start.
        from memtui_core.readers.agents.droid.transcript import DroidReading

        return DroidReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`droid --resume`."""
        return ["droid", "--resume", session_id]

    def start_command(self, prompt: str) -> list[str] | None:
        """`droid` with the prompt as its argument."""
        return ["droid", prompt]


def _is_start(entry: dict[str, Any]) -> bool:
    named = isinstance(entry.get("id"), str) or isinstance(entry.get("sessionId"), str)
    return entry.get("type") == "session_start" and named
