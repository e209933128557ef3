"""The data folder as hooks use it: where it is, and the log that stands in for an error message."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_LINE = 400
"""Characters of a message."""


def data_folder(given: str | None = None) -> Path:
    """The folder that `locations.data_dir` names; on Linux without loading the package that knows the other systems."""
    if given:
        return Path(given)
    chosen = os.environ.get("MEMTUI_DATA_DIR")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "linux":
        base = os.environ.get("XDG_DATA_HOME", "")
        return (Path(base) if base.strip() else Path.home() / ".local" / "share") / "memtui"
    from memtui_core.system import locations

    return locations.data_dir()


def note(folder: Path, event: str, text: str) -> None:
    """Log one line about a hook; never raises."""
    from memtui.log_file import write

    write(folder, "WARNING", "memtui.hooks", f"{event or '-'} {' '.join(text.split())[:_LINE]}")
