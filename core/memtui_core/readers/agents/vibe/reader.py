"""The reader of Mistral Vibe: its locations, files and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.vibe.file_names import (
    AGENTS,
    MESSAGES,
    META,
    is_in_session,
    is_old_session,
    messages_of,
)
from memtui_core.readers.agents.vibe.profile import PROFILE
from memtui_core.readers.base import Transcript
from memtui_core.readers.formats.beside import with_file_beside
from memtui_core.readers.formats.first_entry import head
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile

_OWN: Final = "/.vibe/"


class Vibe(FileReader):
    """The reader of Mistral Vibe."""

    agent = "vibe"
    name = "Mistral Vibe"
    short_name = "vibe"
    label = "vi"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.vibe/logs/",)
    samples_only = True
    reading = "memtui_core.readers.agents.vibe.transcript:VibeReading"
    resume: Sequence[str] = ("vibe", "--resume")
    start: Sequence[str] = ("vibe",)

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """`logs/session`, in `VIBE_HOME` or in `~/.vibe`."""
        return [(folder_of(environ.get("VIBE_HOME")) or home_in(environ) / ".vibe") / "logs" / "session"]

    def accepts(self, path: Path) -> bool:
        """Whether it belongs to a session: by its name and folder, and elsewhere by the file beside it."""
        if is_old_session(path):
            return _OWN in path.as_posix() or b'"metadata"' in head(path)
        if not is_in_session(path):
            return False
        return _OWN in path.as_posix() or path.with_name(META if path.name == MESSAGES else MESSAGES).exists()

    def container(self, path: Path) -> Path:
        """The messages of the session; a file of the first versions itself."""
        return messages_of(path)

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The messages as one transcript, which changes also with the metadata. Raises SourceUnreadable."""
        messages = messages_of(file.path)
        beside = messages.with_name(META) if messages.name == MESSAGES else None
        return with_file_beside(self.agent, messages, beside)

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder `agents` in that of the session."""
        return [path.parent / AGENTS] if path.name == MESSAGES else ()
