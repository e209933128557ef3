"""The speed of work, and the time that the rest of it will take. Reads no clock."""

from __future__ import annotations

import math
from typing import Final

_HALF_LIFE: Final = 30.0
"""Seconds of work after which a measurement counts half as much."""
_MIN_MEASURED: Final = 5.0
"""Seconds of work after which the speed is known, unless another number is given."""
_PUBLISHED_SHARE: Final = 0.25
"""How long publishing takes beside reading, until it was measured: 0.2 to 0.3 for a gigabyte of transcripts."""


class Speed:
    """A smoothed speed: recent work has more weight.

    It is known after `least_seconds` of work, but not before `least_work` is done.
    """

    def __init__(self, least_seconds: float | None = None, least_work: float = 0.0) -> None:
        self._least_seconds = _MIN_MEASURED if least_seconds is None else least_seconds
        self._least_work = least_work
        self._work = 0.0
        self._seconds = 0.0
        self._measured = 0.0
        self._done = 0.0

    def add(self, work: float, seconds: float) -> None:
        """Add an amount of work and the seconds that it took."""
        decay = 0.5 ** (seconds / _HALF_LIFE)
        self._work = self._work * decay + work
        self._seconds = self._seconds * decay + seconds
        self._measured += seconds
        self._done += work

    @property
    def rate(self) -> float | None:
        """The work done in a second; None until it is known."""
        if self._measured < self._least_seconds or self._done < self._least_work or not self._work:
            return None
        return self._work / self._seconds

    def seconds_left(self, work: float) -> float | None:
        """The seconds that an amount of work will take; None until the speed is known."""
        rate = self.rate
        return None if rate is None else work / rate


class ReadingSpeed:
    """The speed of a reading that is published at intervals.

    What is read costs its share of publishing later: without that, the time left is too short before each snapshot, and
    most of all before the last one. The arguments are those of `Speed`.
    """

    def __init__(self, least_seconds: float, least_bytes: float) -> None:
        self._reading = Speed(least_seconds, least_bytes)
        self._unpublished = 0.0
        self._published = 0.0
        self._publishing = 0.0
        self._longest = math.inf
        """The seconds of the longest publishing: more takes hardly longer, and beside the last no worker runs."""

    def read(self, count: float, seconds: float) -> None:
        """Add bytes that were read, and the seconds that it took without publishing."""
        self._reading.add(count, seconds)
        self._unpublished += count

    def published(self, seconds: float) -> None:
        """Add the seconds that it took to publish what was read so far."""
        self._published += self._unpublished
        self._longest = max(seconds, self._longest if self._publishing else 0.0)
        self._publishing += seconds
        self._unpublished = 0.0

    @property
    def rate(self) -> float | None:
        """The bytes that are read and published in a second; None until it is known."""
        costs = self._costs
        return None if costs is None else 1 / sum(costs)

    def seconds_left(self, count: float) -> float | None:
        """The seconds until so many more bytes are read, and all are published; None until the speed is known."""
        if (costs := self._costs) is None:
            return None
        return count * sum(costs) + min(self._longest, self._unpublished * costs[1])

    @property
    def _costs(self) -> tuple[float, float] | None:
        """The seconds that it takes to read a byte, and to publish it."""
        if (rate := self._reading.rate) is None:
            return None
        publishing = self._publishing / self._published if self._published else _PUBLISHED_SHARE / rate
        return 1 / rate, publishing
