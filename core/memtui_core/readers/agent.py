"""The parts of a reader that most agents share: a transcript is one file, and nothing else is known about the agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.readers.base import Retention, Transcript
from memtui_core.system.walk import RegularFile
from memtui_core.tools.profile import Profile

if TYPE_CHECKING:
    from memtui_core.readers.new_session import NewSession, SessionFile


class FileReader:
    """The defaults of a `Reader` whose transcripts are files. An agent's reader overrides what it knows better."""

    agent: str
    name: str
    short_name: str
    label: str
    profile: Profile = Profile()
    own_folders: Sequence[str] = ()
    samples_only: bool = False
    tested_version: str = ""

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

    def session_file(self, session: NewSession, environ: Mapping[str, str]) -> SessionFile | None:
        """None: memtui cannot write a session for the agent."""
        return None
