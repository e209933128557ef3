"""The speed of work, and the time that the rest of it will take. Reads no clock."""

from __future__ import annotations

from typing import Final

_HALF_LIFE: Final = 30.0
"""Seconds of work after which a measurement counts half as much."""
_MIN_MEASURED: Final = 5.0
"""Seconds of work after which the speed is known, unless another number is given."""


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
