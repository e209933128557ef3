"""The data folder as hooks use it: where it is, and the log that stands in for an error message."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

LOG = "hook.log"
"""In the data folder; what was written before it grew too long stands in `hook.log.old`."""
LOG_SIZE = 64_000
_LINE = 400


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
    """Add a line to the log; nobody is told when that is impossible."""
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {event or '-'} {' '.join(text.split())[:_LINE]}\n"
    log = folder / LOG
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as file:
            file.write(line.encode("utf-8", "replace"))
            full = file.tell() > LOG_SIZE
        if full:
            log.replace(log.with_name(f"{LOG}.old"))
