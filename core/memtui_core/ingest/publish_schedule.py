"""The time of the next snapshot: soon if publishing is cheap, later if it is expensive."""

from __future__ import annotations

import time
from typing import Final

SHORTEST_PAUSE: Final = 1.0
"""Seconds between two snapshots while much is read."""
PUBLISH_SHARE: Final = 20
"""The pause is at least this many times what the last snapshot took, lexicon included."""
LONGEST_PAUSE: Final = 10.0
"""Seconds between two snapshots at most."""


class PublishSchedule:
    """Decides when the next snapshot is due."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self._pause = SHORTEST_PAUSE

    @property
    def age(self) -> float:
        """Seconds since the last snapshot."""
        return time.monotonic() - self._last

    @property
    def due(self) -> bool:
        """True when enough time has passed since the last snapshot."""
        return self.age >= self._pause

    def published(self, started: float) -> None:
        """A snapshot was made; `started` is the monotonic time at which the work for it began."""
        self._last = time.monotonic()
        self._pause = min(max(SHORTEST_PAUSE, PUBLISH_SHARE * (self._last - started)), LONGEST_PAUSE)
