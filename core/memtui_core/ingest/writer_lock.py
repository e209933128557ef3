"""The lock of a data folder: only one process writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from memtui_core.errors import IndexerBusy

LOCK_POLL: Final = 0.2
"""Seconds between two checks for cancellation."""


def acquire(path: Path, wait: float, stopped: Callable[[], bool]) -> FileLock:
    """Acquire the lock. Raises IndexerBusy if another process has it for `wait` seconds or until `stopped` is True."""
    lock, until = FileLock(path), time.monotonic() + wait
    while True:
        try:
            lock.acquire(timeout=LOCK_POLL if time.monotonic() < until else 0)
            return lock
        except Timeout as error:
            if stopped() or time.monotonic() >= until:
                raise IndexerBusy(
                    f"Another memtui is indexing into {path.parent}. What it indexes can be searched;"
                    " stop it, or try again later."
                ) from error
