"""Times as a table: a row a measurement, beside what was measured with it in the same run."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

SLOW = 3.0
"""From this ratio of the p95 on a row is marked."""
NAME = 58
"""Cells for the name of a row."""
HEAD = f"{'milliseconds':{NAME}}{'p50':>9}{'p95':>9}{'beside':>10}{'p95':>9}{'p50':>8}{'p95':>8}"


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: seconds, those measured beside it, and what `beside` is."""

    name: str
    seconds: Sequence[float]
    beside: Sequence[float] = ()
    what: str = ""

    @property
    def ratios(self) -> tuple[float, float] | None:
        """How many times `beside`, at the p50 and at the p95."""
        if not self.beside:
            return None
        (own, own_worst), (other, other_worst) = percentiles(self.seconds), percentiles(self.beside)
        return own / other, own_worst / other_worst


def percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    """p50 and p95 in milliseconds; one measurement is both."""
    if len(seconds) == 1:
        return seconds[0] * 1000, seconds[0] * 1000
    p95 = statistics.quantiles(seconds, n=20, method="inclusive")[18]
    return statistics.median(seconds) * 1000, p95 * 1000


def line(row: Row) -> str:
    """A row as text; `!` stands at the end of one whose p95 is more than `SLOW` times the other."""
    own = "".join(f"{one:9.1f}" for one in percentiles(row.seconds))
    if row.ratios is None:
        return f"{row.name:{NAME}}{own}"
    p50, p95 = percentiles(row.beside)
    half, most = row.ratios
    return (
        f"{row.name:{NAME}}{own}{p50:10.1f}{p95:9.1f}{half:7.1f}x{most:7.1f}x {'!' if most > SLOW else ' '} {row.what}"
    )
