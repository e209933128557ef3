"""The reader of Amp: its location and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.amp.profile import PROFILE
from memtui_core.readers.formats.first_entry import begins_with
from memtui_core.system.locations import folder_of, home_in

_PREFIX: Final = "T-"
_FOLDER: Final = ("amp", "threads")
_KEYS: Final = (b'"id"', b'"T-', b'"created"')


class Amp(FileReader):
    """The reader of Amp: a document for each thread, which older versions keep on the disk."""

    agent = "amp"
    name = "Amp"
    short_name = "amp"
    label = "am"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.local/share/amp/threads/",)
    samples_only = True
    reading = "memtui_core.readers.agents.amp.transcript:AmpReading"
    resume: Sequence[str] = ("amp", "threads", "continue")

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `amp/threads` in `XDG_DATA_HOME` or in `~/.local/share`."""
        data = folder_of(environ.get("XDG_DATA_HOME")) or home_in(environ) / ".local" / "share"
        return [data.joinpath(*_FOLDER)]

    def accepts(self, path: Path) -> bool:
        """Whether it is a thread by its name, and by its path or its first keys."""
        if path.suffix != ".json" or not path.name.startswith(_PREFIX):
            return False
        if path.parts[-3:-1] == _FOLDER:
            return True
        return begins_with(path, *_KEYS)
