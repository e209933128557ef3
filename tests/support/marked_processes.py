"""Processes that are known by a variable in their environment, which those that they start inherit (Linux)."""

from __future__ import annotations

import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Final

MOST_OUTLIVED: Final = 10.0
"""The most seconds for which a process may outlive the one for which it works."""
_VARIABLE: Final = "MEMTUI_MARK"
_LOOK: Final = 0.02
"""Seconds between two looks."""


class Mark:
    """A mark that one process gets, and that all its descendants have."""

    def __init__(self) -> None:
        self._value = uuid.uuid4().hex

    @property
    def environment(self) -> dict[str, str]:
        """The variable with which the first process is started."""
        return {_VARIABLE: self._value}

    def processes(self) -> list[int]:
        """The processes with this mark that run, with those that were stopped."""
        wanted, found = f"{_VARIABLE}={self._value}".encode(), []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with suppress(OSError):
                    if wanted in (folder / "environ").read_bytes().split(b"\0"):
                        found.append(int(folder.name))
        return found

    def await_end(self, most: float = 3 * MOST_OUTLIVED) -> float:
        """Wait until no process has the mark, for `most` seconds at most; the seconds that it took."""
        since = time.monotonic()
        while self.processes() and time.monotonic() - since < most:
            time.sleep(_LOOK)
        return time.monotonic() - since
