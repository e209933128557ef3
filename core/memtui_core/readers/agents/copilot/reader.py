"""The reader of Copilot CLI: its locations, files and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.copilot.profile import PROFILE
from memtui_core.readers.base import Transcript
from memtui_core.readers.conversion.json_values import mapping
from memtui_core.readers.formats.beside import with_file_beside
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile

EVENTS: Final = "events.jsonl"
WORKSPACE: Final = "workspace.yaml"
_SESSIONS: Final = "session-state"


class Copilot(FileReader):
    """The reader of Copilot CLI."""

    agent = "copilot"
    name = "Copilot CLI"
    short_name = "copilot"
    label = "cp"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.copilot/session-state/",)
    tested_version = "1.0.77"
    reading = "memtui_core.readers.agents.copilot.transcript:CopilotReading"
    resume: Sequence[str] = ("copilot", "--resume")
    start: Sequence[str] = ("copilot", "--interactive")
    connection = "memtui_core.readers.agents.copilot.connection:CONNECTION"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The `session-state` folder, in `COPILOT_HOME` or in `~/.copilot`."""
        return [(folder_of(environ.get("COPILOT_HOME")) or home_in(environ) / ".copilot") / _SESSIONS]

    def accepts(self, path: Path) -> bool:
        """Whether it belongs to a session: by its name and folder, or by its first event."""
        if path.name in {EVENTS, WORKSPACE} and path.parent.parent.name == _SESSIONS:
            return True
        return path.suffix == ".jsonl" and _is_start(first_entry(path))

    def container(self, path: Path) -> Path:
        """The file of the events."""
        return path.with_name(EVENTS) if path.name == WORKSPACE else path

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The events as one transcript, which changes also with the file about the folder and the title."""
        events = self.container(file.path)
        return with_file_beside(self.agent, events, events.with_name(WORKSPACE) if events.name == EVENTS else None)


def _is_start(entry: dict[str, Any]) -> bool:
    return entry.get("type") == "session.start" and isinstance(mapping(entry.get("data")).get("sessionId"), str)
