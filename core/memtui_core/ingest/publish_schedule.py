"""The time of the next snapshot: soon at the beginning or if publishing is cheap, later if it is expensive.

While no process reads the index, snapshots are rare: each takes time, and nobody sees it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

FIRST_PAUSE: Final = 0.5
"""Seconds until the first snapshot: fewer sessions would save no time."""
SHORTEST_PAUSE: Final = 1.0
"""Seconds between two snapshots while much is read."""
PUBLISH_SHARE: Final = 20
"""The pause is this many times what the last snapshot took, lexicon included, if it is not limited."""
LONGEST_PAUSE: Final = 60.0
"""Seconds between two snapshots at most."""
UNREAD_PAUSE: Final = 5.0
"""Seconds without a snapshot at least, from the beginning on, while no process reads the index."""


class PublishSchedule:
    """Decides when the next snapshot is due; `clock` returns seconds, `is_read` whether a process reads the index."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, is_read: Callable[[], bool] = lambda: True) -> None:
        self._clock = clock
        self._is_read = is_read
        self._begun = clock()
        self._last = float("-inf")
        self._pause = SHORTEST_PAUSE

    def begin(self) -> None:
        """Much may be read from now on."""
        self._begun = self._clock()

    @property
    def age(self) -> float:
        """Seconds since the last snapshot."""
        return self._clock() - self._last

    @property
    def due(self) -> bool:
        """True when enough time has passed since the last snapshot."""
        without = min(self._clock() - self._begun, self.age)
        if without < FIRST_PAUSE or self.age < self._pause:
            return False
        return without >= UNREAD_PAUSE or self._is_read()

    def published(self, started: float) -> None:
        """A snapshot was made; `started` is the time at which the work for it began."""
        self._last = self._clock()
        # A first list is there at once, and a longer one soon: no pause is longer than the time before it.
        longest = min(LONGEST_PAUSE, self._last - self._begun)
        self._pause = max(SHORTEST_PAUSE, min(PUBLISH_SHARE * (self._last - started), longest))
