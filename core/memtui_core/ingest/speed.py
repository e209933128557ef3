"""The current speed of a piece of work, and the time that the rest will take. Reads no clock."""

from __future__ import annotations

from typing import Final

_HALF_LIFE: Final = 30.0
"""Seconds of work after which a measurement counts half as much."""
_MIN_MEASURED: Final = 5.0
"""Seconds of work before there is an estimate, unless another number is given."""


class Speed:
    """A smoothed rate: recent work has more weight, measured in seconds of work.

    It is known after `least` seconds of work, and not before `least_work` was done.
    """

    def __init__(self, least: float | None = None, least_work: float = 0.0) -> None:
        self._least = _MIN_MEASURED if least is None else least
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
        """The work done in a second; None before enough was measured."""
        if self._measured < self._least or self._done < self._least_work or not self._work:
            return None
        return self._work / self._seconds

    def seconds_left(self, work: float) -> float | None:
        """The seconds that an amount of work will take; None before enough was measured."""
        rate = self.rate
        return None if rate is None else work / rate
