"""The data folder for hooks: where it is, and its log, to which hooks write instead of printing errors."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_MAX_MESSAGE = 400
"""Maximum characters of a message."""


def data_folder(option: str | None = None) -> Path:
    """The folder that `locations.data_dir` returns; on Linux without importing the package for the other systems."""
    if option:
        return Path(option)
    variable = os.environ.get("MEMTUI_DATA_DIR")
    if variable:
        return Path(variable).expanduser()
    if sys.platform == "linux":
        base = os.environ.get("XDG_DATA_HOME", "")
        return (Path(base) if base.strip() else Path.home() / ".local" / "share") / "memtui"
    from memtui_core.system import locations

    return locations.data_dir()


def log_warning(folder: Path, event: str, message: str) -> None:
    """Log one line about a hook; never raises."""
    from memtui.log_file import write

    write(folder, "WARNING", "memtui.hooks", f"{event or '-'} {' '.join(message.split())[:_MAX_MESSAGE]}")
