"""What the processes of a data folder tell each other: who reads, whether the user types, how far the indexer is.

A reader touches one file, an app in use another, at intervals; nothing is written to them. A touch counts for some time
only, so that a process that dies needs no clean-up. The indexer publishes sooner if a process reads, and pauses while
the user types.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

import orjson

from memtui_core.model import Progress
from memtui_core.store.data_folder import DataDir
from memtui_core.store.vectors.index_entry import building_path, current_path
from memtui_core.system.atomic_files import write_atomically
from memtui_core.system.fault_points import fault_point

_READER_INTERVAL: Final = 15.0
"""Seconds between two touches by one reader."""
READER_TIMEOUT: Final = 60.0
"""Seconds for which a reader's touch counts."""
_TYPING_INTERVAL: Final = 0.25
"""Seconds between two touches by one app in use."""
TYPING: Final = 1.0
"""Seconds for which a key press counts."""
LONGEST_PAUSE: Final = 4.0
"""The longest time, in seconds, for which the indexer waits while the user types."""
WORK_PERIOD: Final = 1.0
"""Seconds without another pause after the longest pause."""
_STOP_POLL: Final = 0.2
"""Seconds between two checks for cancellation during a pause."""


class _TouchFile:
    """A file that is touched at most once in an interval, which is in seconds."""

    def __init__(self, path: Path, interval: float) -> None:
        self._path = path
        self._interval = interval
        self._touched_at = float("-inf")

    def touch(self) -> None:
        """Touch the file, unless it was touched recently; errors are ignored, as reading needs no write access."""
        now = time.monotonic()
        if now - self._touched_at >= self._interval:
            with suppress(OSError):
                # A folder that an indexer is about to make is tried again with the next call.
                if self._path.parent.is_dir():
                    self._touched_at = now
                self._path.touch()


class Presence(_TouchFile):
    """A process that reads a data folder: it calls `touch` when it opens or refreshes the index."""

    def __init__(self, data: DataDir) -> None:
        super().__init__(data.readers, _READER_INTERVAL)


class Typing(_TouchFile):
    """An app in which the user types: it calls `touch` with each key press."""

    def __init__(self, data: DataDir) -> None:
        super().__init__(data.typing, _TYPING_INTERVAL)


class TypingPause:
    """Pauses work in the background while the user types, but never stops it altogether.

    After a pause of `LONGEST_PAUSE` seconds there is no other pause for `WORK_PERIOD` seconds: at least a fifth of the
    time is left to the work. `clock` returns seconds since 1970, like file times.
    """

    def __init__(
        self, data: DataDir, clock: Callable[[], float] = time.time, wait: Callable[[float], object] = time.sleep
    ) -> None:
        self._path = data.typing
        self._clock = clock
        self._wait = wait
        self._worked_from: float | None = None
        """When the longest pause ended."""

    def wait_while_typing(self, stopped: Callable[[], bool]) -> None:
        """Wait until the user has stopped typing, the longest pause has passed, or `stopped` returns True."""
        started = self._clock()
        if self._worked_from is not None and 0 <= started - self._worked_from < WORK_PERIOD:
            return
        while (left := self._typing_left()) > 0 and not stopped():
            now = self._clock()
            if not 0 <= now - started < LONGEST_PAUSE:
                self._worked_from = now
                return
            self._wait(min(left, _STOP_POLL))

    def _typing_left(self) -> float:
        """Seconds for which the last key press still counts; 0 if its time is in the future: the clock was set back."""
        try:
            since = self._clock() - self._path.stat().st_mtime
        except OSError:
            return 0.0
        return TYPING - since if since >= 0 else 0.0


def has_readers(data: DataDir, clock: Callable[[], float] = time.time) -> bool:
    """Whether a process has read the index recently; `clock` returns seconds since 1970, like file times.

    A touch of a later time counts for as long, and not until the clock, which was set back, is there again.
    """
    try:
        return abs(clock() - data.readers.stat().st_mtime) < READER_TIMEOUT
    except OSError:
        return False


def write_progress(data_dir: Path, progress: Progress) -> None:
    """Publish the progress of the indexer."""
    write_atomically(DataDir(data_dir).progress, orjson.dumps(asdict(progress)))
    fault_point("progress-reported")


def read_progress(data_dir: Path) -> Progress | None:
    """The last progress written; None if there is none or it cannot be read."""
    try:
        return Progress(**orjson.loads(DataDir(data_dir).progress.read_bytes()))
    except (OSError, orjson.JSONDecodeError, TypeError):
        return None


def publication_state(data_dir: Path) -> object:
    """A value that changes with each new snapshot, progress, vector index and annotation.

    It costs the `stat` of five files.
    """
    data = DataDir(data_dir)
    is_built = building_path(data).exists()
    return (*map(_file_state, (data.current, data.progress, current_path(data), data.annotations)), is_built)


def percent_done(done: int, total: int) -> int:
    """The share of the work that is done, in whole per cent: 100 only if all is done, and never less than 0."""
    return 100 if done >= total else max(0, 100 * done // total)


def _file_state(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
