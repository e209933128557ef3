"""The data folder as hooks use it: where it is, and the log that stands in for an error message."""

from __future__ import annotations

import os
import sys
import time

LOG = "hook.log"
"""In the data folder; the lines before its last LOG_SIZE bytes stand in `hook.log.old`."""
LOG_SIZE = 64_000


def data_folder(given: str | None = None) -> str:
    """The folder that `places.data_dir` names, found without loading what tells it on other systems than Linux."""
    chosen = given or os.environ.get("MEMTUI_DATA_DIR")
    if chosen:
        return os.path.expanduser(chosen) if not given else given  # noqa: PTH111
    if sys.platform == "linux":
        base = os.environ.get("XDG_DATA_HOME", "").strip() or os.path.expanduser("~/.local/share")  # noqa: PTH111
        return f"{base}/memtui"
    from memtui_core import places

    return str(places.data_dir())


def note(folder: str, event: str, text: str) -> None:
    """Add a line to the log; nobody is told when that is impossible."""
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {event or '-'} {' '.join(text.split())[:400]}\n"
    log = os.path.join(folder, LOG)  # noqa: PTH118
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        with open(log, "ab") as file:  # noqa: PTH123
            file.write(line.encode("utf-8", "replace"))
            full = file.tell() > LOG_SIZE
        if full:
            os.replace(log, f"{log}.old")  # noqa: PTH105
    except OSError:
        pass
