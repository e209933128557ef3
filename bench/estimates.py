"""How far the time left that a reading tells is from the time that it then took."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Final, NamedTuple

from bench.rows import Row

AFTER: Final = 5.0
"""Seconds after which an estimate counts."""
WITHIN: Final = 0.2
"""The error up to which it is believed, as a part of the time that was left."""
_LEAST_LEFT: Final = 1.0
"""Seconds that were left at least: of less nobody needs an estimate."""


class Report(NamedTuple):
    """A report of progress: seconds since the beginning, and how many it says are left; None for no estimate."""

    at: float
    left: float | None


def errors(reports: Sequence[Report]) -> list[float]:
    """The error of each estimate as a part of the time that was left; the last report is made at the end."""
    end = reports[-1].at if reports else 0.0
    counted = [(report.left, end - report.at) for report in reports if report.at >= AFTER]
    return [(told - left) / left for told, left in counted if told is not None and left >= _LEAST_LEFT]


def rows(reports: Sequence[Report]) -> list[Row]:
    """The rows of a reading; none if it was too short."""
    found = [abs(error) for error in errors(reports)]
    if not found:
        return []
    believed = sum(error <= WITHIN for error in found) / len(found)
    return [
        Row("time left, median error after 5 s", 100 * statistics.median(found), "%"),
        Row("time left, estimates within 20 %", 100 * believed, "%"),
    ]
