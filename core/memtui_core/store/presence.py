"""Whether somebody reads the index, or types in an app: the indexer need not hurry for nobody, and pauses for keys.

A reader touches one file, an app in use another, now and then; nothing is written to them. A touch counts for some time
only, so that a process that dies leaves nothing behind.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from memtui_core.store.files import DataDir

_EVERY: Final = 15.0
"""Seconds between two touches by one reader."""
STILL_THERE: Final = 60.0
"""Seconds for which a reader's touch counts."""
_TYPING_EVERY: Final = 0.25
"""Seconds between two touches by one app in use."""
TYPING: Final = 1.0
"""Seconds for which a key counts."""
LONGEST_PAUSE: Final = 4.0
"""Seconds for which the indexer waits for a person at most, and then works on."""
WORK: Final = 1.0
"""Seconds of work after the longest pause."""
_STOP_POLL: Final = 0.2
"""Seconds between two looks at whether to stop, while it waits."""


class _Touch:
    """A file that is touched at most every so many seconds."""

    def __init__(self, path: Path, every: float) -> None:
        self._path = path
        self._every = every
        self._noted = float("-inf")

    def note(self) -> None:
        """Touch it; a folder that cannot be written keeps nobody from reading."""
        now = time.monotonic()
        if now - self._noted >= self._every:
            self._noted = now
            with suppress(OSError):
                self._path.touch()


class Presence(_Touch):
    """One reader of a data folder, who says so by `note`."""

    def __init__(self, data: DataDir) -> None:
        super().__init__(data.readers, _EVERY)


class Typing(_Touch):
    """An app in which a person presses keys, each told by `note`."""

    def __init__(self, data: DataDir) -> None:
        super().__init__(data.typing, _TYPING_EVERY)


class TypingPause:
    """Waits while a person types, but never so long that work on the side comes to an end.

    After `LONGEST_PAUSE` seconds of waiting there is no other pause for `WORK` seconds: a fifth of the time is left to
    the work whatever a person does. `clock` gives the seconds since 1970, as file times do.
    """

    def __init__(
        self, data: DataDir, clock: Callable[[], float] = time.time, wait: Callable[[float], object] = time.sleep
    ) -> None:
        self._path = data.typing
        self._clock = clock
        self._wait = wait
        self._worked_from: float | None = None
        """When the longest pause ended."""

    def give_way(self, stopped: Callable[[], bool]) -> None:
        """Return when nobody types, when it has been long enough, or when `stopped` says so."""
        began = self._clock()
        if self._worked_from is not None and 0 <= began - self._worked_from < WORK:
            return
        while (left := self._typing_left()) > 0 and not stopped():
            now = self._clock()
            if not 0 <= now - began < LONGEST_PAUSE:
                self._worked_from = now
                return
            self._wait(min(left, _STOP_POLL))

    def _typing_left(self) -> float:
        """Seconds for which the last key counts; a time in the future, of a clock that was set back, does not count."""
        try:
            since = self._clock() - self._path.stat().st_mtime
        except OSError:
            return 0.0
        return TYPING - since if since >= 0 else 0.0


def somebody_reads(data: DataDir) -> bool:
    """Whether a reader was there lately."""
    try:
        return time.time() - data.readers.stat().st_mtime < STILL_THERE
    except OSError:
        return False
