"""Whether somebody reads the index: an app, a server, a command or a hook. The indexer need not hurry for nobody.

A reader touches one file, at most every few seconds; nothing is written to it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

from memtui_core.store.files import DataDir

_EVERY: Final = 15.0
"""Seconds between two touches by one reader."""
STILL_THERE: Final = 60.0
"""Seconds for which a touch counts."""


class Presence:
    """One reader of a data folder."""

    def __init__(self, data: DataDir) -> None:
        self._path = data.readers
        self._noted = float("-inf")

    def note(self) -> None:
        """Say that somebody reads; a folder that cannot be written keeps nobody from reading."""
        now = time.monotonic()
        if now - self._noted >= _EVERY:
            self._noted = now
            with suppress(OSError):
                self._path.touch()


def somebody_reads(data: DataDir) -> bool:
    """Whether a reader was there lately."""
    try:
        return time.time() - data.readers.stat().st_mtime < STILL_THERE
    except OSError:
        return False
