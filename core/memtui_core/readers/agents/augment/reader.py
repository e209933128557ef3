"""The reader of Auggie: its location and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.augment.profile import PROFILE
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.formats.first_entry import head

if TYPE_CHECKING:
    from memtui_core.readers.agents.augment.transcript import AugmentReading

_HOME: Final = ".augment"
_FOLDER: Final = "sessions"
_KEYS: Final = (b'"sessionId"', b'"chatHistory"')


class Augment(FileReader):
    """The reader of Auggie: a document for each session."""

    agent = "augment"
    name = "Auggie"
    short_name = "auggie"
    label = "au"
    profile = PROFILE
    own_folders: Sequence[str] = (f"/{_HOME}/{_FOLDER}/",)
    samples_only = True

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `sessions` in `~/.augment`."""
        return [Path.home() / _HOME / _FOLDER]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session by its path, or by its first keys."""
        if path.suffix != ".json":
            return False
        if path.parts[-3:-1] == (_HOME, _FOLDER):
            return True
        start = head(path)
        return start[:1] == b"{" and all(key in start for key in _KEYS)

    def read(self, transcript: Transcript, cursor: Cursor) -> AugmentReading:
        """Open a transcript at a cursor."""
        from memtui_core.readers.agents.augment.transcript import AugmentReading

        return AugmentReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`auggie --resume`."""
        return ["auggie", "--resume", session_id]

    def start_command(self, prompt: str) -> list[str] | None:
        """`auggie` with the prompt as its argument."""
        return ["auggie", prompt]
