"""The reader of Junie: its locations, files and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.junie.profile import PROFILE
from memtui_core.readers.base import Transcript
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile

_FOLDER: Final = "/.junie/sessions/"
EVENTS: Final = "events.jsonl"
"""The events of a session, in a folder with its id."""
INDEX: Final = "index.jsonl"
"""The list of sessions, beside their folders."""


class Junie(FileReader):
    """The reader of Junie, on the command line and in the editors of JetBrains."""

    agent = "junie"
    name = "Junie"
    short_name = "junie"
    label = "ju"
    profile = PROFILE
    own_folders: Sequence[str] = (_FOLDER,)
    samples_only = True
    reading = "memtui_core.readers.agents.junie.transcript:JunieReading"
    resume: Sequence[str] = ("junie", "--resume", "--session-id")

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `sessions` in `JUNIE_HOME` or in `~/.junie`."""
        return [(folder_of(environ.get("JUNIE_HOME")) or home_in(environ) / ".junie") / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it has the events of a session, or is the list of sessions: by its folder, or by its first line."""
        if path.name not in {EVENTS, INDEX}:
            return False
        if _FOLDER in path.as_posix():
            return True
        return _is_event(first_entry(path)) if path.name == EVENTS else _is_listed(first_entry(path))

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The events as one transcript; none for the list of sessions, which is read with each of them."""
        return super().transcripts(file) if file.path.name == EVENTS else ()


def _is_event(entry: dict[str, Any]) -> bool:
    kind = entry.get("kind")
    return isinstance(kind, str) and kind.endswith("Event") and "type" not in entry


def _is_listed(entry: dict[str, Any]) -> bool:
    return isinstance(entry.get("sessionId"), str) and "createdAt" in entry and "type" not in entry
