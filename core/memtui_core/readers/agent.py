"""The parts of a reader that most agents share: a transcript is one file, and nothing else is known about the agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from memtui_core.readers.base import Retention, Transcript
from memtui_core.system.walk import RegularFile


class FileReader:
    """The defaults of a `Reader` whose transcripts are files. An agent's reader overrides what it knows better."""

    agent: str
    name: str
    short_name: str
    own_folders: Sequence[str] = ()
    samples_only: bool = False

    def container(self, path: Path) -> Path:
        """The file itself."""
        return path

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The file as one transcript."""
        return (Transcript(self.agent, file.path, file.size, file.mtime),)

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """None."""
        return ()

    def retention(self, location: Path) -> Retention | None:
        """Unknown."""
        return None

    def resume_command(self, session_id: str) -> list[str] | None:
        """None: the agent cannot resume a session by its id."""
        return None

    def start_command(self, prompt: str) -> list[str] | None:
        """None: the agent cannot be started with a prompt."""
        return None
