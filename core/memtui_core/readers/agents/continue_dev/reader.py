"""The reader of Continue: its location and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.continue_dev.profile import PROFILE
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.first_entry import begins_with
from memtui_core.system.locations import folder_of, home_in

_FOLDER: Final = "sessions"
_LIST: Final = "sessions.json"
_KEYS: Final = (b'"sessionId"', b'"workspaceDirectory"', b'"history"')
"""The keys before the first message; `title` is beside them."""


class Continue(FileReader):
    """The reader of Continue: a document for each session, of the extensions and of `cn`."""

    agent = "continue"
    name = "Continue"
    short_name = "continue"
    label = "cn"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.continue/sessions/",)
    samples_only = True
    copying = Copying(beside=(f".continue/{_FOLDER}/{_LIST}",))
    reading = "memtui_core.readers.agents.continue_dev.transcript:ContinueReading"
    resume: Sequence[str] = ("cn", "--fork")
    """It goes on in a copy of the session: `cn --resume` knows only the last session."""
    start: Sequence[str] = ("cn",)

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `sessions` in `CONTINUE_GLOBAL_DIR` or in `~/.continue`."""
        home = folder_of(environ.get("CONTINUE_GLOBAL_DIR")) or home_in(environ) / ".continue"
        return [home / _FOLDER]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session by its path, or by its first keys."""
        if path.suffix != ".json" or path.name == _LIST:
            return False
        if path.parts[-3:-1] == (".continue", _FOLDER):
            return True
        return begins_with(path, *_KEYS)
