"""When the next snapshot is due: soon at the beginning and if publishing takes little time, otherwise later.

While no process reads the index, snapshots are rare, because nobody would see them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

FIRST_PAUSE: Final = 0.5
"""Seconds until the first snapshot; one with fewer sessions would not be ready much sooner."""
SHORTEST_PAUSE: Final = 1.0
"""Seconds between two snapshots while much is read."""
PUBLISH_SHARE: Final = 20
"""The pause is so many times as long as the last snapshot took, lexicon included, within the limits."""
LONGEST_PAUSE: Final = 60.0
"""The most seconds between two snapshots."""
UNREAD_PAUSE: Final = 5.0
"""The least seconds without a snapshot, from the beginning on, while no process reads the index."""


class PublishSchedule:
    """Decides when the next snapshot is due; `clock` returns seconds, `is_read` whether a process reads the index."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, is_read: Callable[[], bool] = lambda: True) -> None:
        self._clock = clock
        self._is_read = is_read
        self._begun = clock()
        self._last = float("-inf")
        self._pause = SHORTEST_PAUSE

    def begin(self) -> None:
        """Start to count: much may be read from now on."""
        self._begun = self._clock()

    @property
    def age(self) -> float:
        """Seconds since the last snapshot."""
        return self._clock() - self._last

    @property
    def due(self) -> bool:
        """Whether enough time has passed since the last snapshot."""
        without = min(self._clock() - self._begun, self.age)
        if without < FIRST_PAUSE or self.age < self._pause:
            return False
        return without >= UNREAD_PAUSE or self._is_read()

    def published(self, started: float) -> None:
        """A snapshot was made; `started` is the time at which the work for it began."""
        self._last = self._clock()
        # No pause is longer than the time since the beginning, so that the first list soon becomes longer.
        longest = min(LONGEST_PAUSE, self._last - self._begun)
        self._pause = max(SHORTEST_PAUSE, min(PUBLISH_SHARE * (self._last - started), longest))
