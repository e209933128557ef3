"""How fast work goes lately, and how long the rest will take. Pure: times are given."""

from __future__ import annotations

from typing import Final

_HALF: Final = 30.0
"""Seconds of work after which what was measured counts half as much."""
_ENOUGH: Final = 5.0
"""Seconds of work before there is an estimate."""


class Speed:
    """A smoothed rate: recent work counts more, by the time that it took."""

    def __init__(self) -> None:
        self._work = 0.0
        self._seconds = 0.0
        self._measured = 0.0

    def add(self, work: float, seconds: float) -> None:
        """So much was done in so many seconds."""
        kept = 0.5 ** (seconds / _HALF)
        self._work = self._work * kept + work
        self._seconds = self._seconds * kept + seconds
        self._measured += seconds

    def left(self, work: float) -> float | None:
        """Seconds that so much work will take; None before enough was measured."""
        if self._measured < _ENOUGH or not self._work:
            return None
        return work * self._seconds / self._work
