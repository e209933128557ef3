"""The reader of Auggie: its location and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.augment.profile import PROFILE
from memtui_core.readers.formats.first_entry import begins_with
from memtui_core.system.locations import home_in

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
    reading = "memtui_core.readers.agents.augment.transcript:AugmentReading"
    resume: Sequence[str] = ("auggie", "--resume")
    start: Sequence[str] = ("auggie",)

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `sessions` in `~/.augment`."""
        return [home_in(environ) / _HOME / _FOLDER]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session by its path, or by its first keys."""
        if path.suffix != ".json":
            return False
        if path.parts[-3:-1] == (_HOME, _FOLDER):
            return True
        return begins_with(path, *_KEYS)
