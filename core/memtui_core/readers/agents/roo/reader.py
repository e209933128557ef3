"""The reader of Roo Code: its locations. Its tasks are written as those of Cline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agents.cline.file_names import (
    ABOUT,
    TASKS,
    extension_folders,
    extension_of,
    extension_storages,
    is_task_file,
)
from memtui_core.readers.agents.cline.reader import TaskReader
from memtui_core.readers.agents.roo.profile import PROFILE
from memtui_core.readers.copying import Copying
from memtui_core.system.locations import home_in

_EXTENSION: Final = "rooveterinaryinc.roo-cline"


class Roo(TaskReader):
    """The reader of Roo Code: a folder for each task."""

    agent = "roo"
    name = "Roo Code"
    short_name = "roo"
    label = "ro"
    profile = PROFILE
    own_folders: Sequence[str] = (f"/{_EXTENSION}/",)
    samples_only = True
    copying = Copying(
        locations=tuple(f"{storage}/{TASKS}" for storage in extension_storages(_EXTENSION)),
        beside=tuple(f"{storage}/state/taskHistory.json" for storage in extension_storages(_EXTENSION)),
    )

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The tasks of the extension in editors."""
        return extension_folders(_EXTENSION, home_in(environ))

    def accepts(self, path: Path) -> bool:
        """Whether it is a file of a task of the extension; elsewhere, a task with a file that only Roo Code writes."""
        if not is_task_file(path):
            return False
        extension = extension_of(path)
        return extension == _EXTENSION if extension else (path.parent / ABOUT).exists()
