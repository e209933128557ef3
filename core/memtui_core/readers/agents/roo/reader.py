"""The reader of Roo Code: its locations. Its tasks are written as those of Cline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agents.cline.file_names import ABOUT, extension_folders, extension_of, is_task_file
from memtui_core.readers.agents.cline.reader import TaskReader
from memtui_core.readers.agents.roo.profile import PROFILE

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

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The tasks of the extension in editors."""
        return extension_folders(_EXTENSION)

    def accepts(self, path: Path) -> bool:
        """Whether it is a file of a task of the extension; elsewhere, a task with a file that only Roo Code writes."""
        if not is_task_file(path):
            return False
        extension = extension_of(path)
        return extension == _EXTENSION if extension else (path.parent / ABOUT).exists()
