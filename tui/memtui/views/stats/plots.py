"""Charts of block characters with named styles, which each theme draws in its own colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from memtui.formatting import day_and_month

if TYPE_CHECKING:
    from memtui.render.rows import Span
    from memtui_core.queries.statistics import DayCount

Unit = Literal["day", "week", "month", "year"]
UNITS: Final[tuple[Unit, ...]] = ("day", "week", "month", "year")
_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
_BAR: Final = "━"
_HALF_BAR: Final = "╸"
_MAX_COLUMN: Final = 9
"""Cells of a column with its gap at most, for charts of a few days."""
_MAX_WEEKDAYS: Final = 14
"""Up to so many days are labelled with their weekday."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """The days of one column."""

    first: date
    turns: int
    """Sum of all its days."""
    sessions: int
    """Highest number of a day: in a sum, a session of two days would count twice."""


def bar(value: int, maximum: int, width: int) -> str:
    """A horizontal bar of `width` cells for `maximum`; every value above 0 is visible."""
    if value <= 0 or maximum <= 0 or width <= 0:
        return ""
    whole, half = divmod(max(1, round(min(value, maximum) * width * 2 / maximum)), 2)
    return _BAR * whole + _HALF_BAR * half


def sparkline(values: Sequence[int]) -> str:
    """One character for each value, a dot for 0."""
    maximum = max(values, default=0)
    return "".join(_EIGHTHS[max(1, round(value * 8 / maximum))] if value > 0 else "·" for value in values)


def buckets(series: Sequence[DayCount], limit: int) -> tuple[Unit, list[Bucket]]:
    """Group days into at most `limit` buckets of the smallest possible unit; weeks end with the last day."""
    for unit in UNITS[:-1]:
        groups = _grouped(series, unit)
        if len(groups) <= limit:
            return unit, groups
    return "year", _grouped(series, "year")[-max(1, limit) :]


def _grouped(series: Sequence[DayCount], unit: Unit) -> list[Bucket]:
    def key(day: DayCount) -> object:
        if unit == "week":
            return (series[-1].day - day.day).days // 7
        return day.day if unit == "day" else (day.day.year, day.day.month if unit == "month" else 0)

    groups = [list(group) for _, group in groupby(series, key)]
    return [
        Bucket(group[0].day, sum(day.turns for day in group), max(day.sessions for day in group)) for group in groups
    ]


def column_labels(columns: Sequence[Bucket], unit: Unit) -> list[str]:
    """The labels below the columns."""
    if unit == "day" and len(columns) <= _MAX_WEEKDAYS:
        return [f"{bucket.first:%a} {bucket.first.day}" for bucket in columns]
    if unit in ("day", "week"):
        return [day_and_month(bucket.first) for bucket in columns]
    return [f"{bucket.first:{'%Y-%m' if unit == 'month' else '%Y'}}" for bucket in columns]


def column_width(count: int, width: int) -> int:
    """Cells of a column with its gap, for a number of columns; at least 1."""
    return max(1, min(_MAX_COLUMN, width // max(1, count)))


def chart(
    values: Sequence[int], width: int, height: int, style: str, axis: int, labels: Sequence[str] = ()
) -> list[tuple[Span, ...]]:
    """A chart of `height` lines of columns above an axis, at most `width` cells wide.

    `axis` is the width of the numbers at the left: charts with the same value are aligned. Labels for which there is no
    room are left out.
    """
    cell = column_width(len(values), width - axis - 2)
    maximum = max(values, default=0)
    lines: list[tuple[Span, ...]] = []
    for row in range(height - 1, -1, -1):
        edge = f"{maximum:>{axis},} ┤" if row == height - 1 else f"{'':{axis}} │"
        lines.append(((edge, "muted"), (_chart_line(values, maximum, row, height, cell), style)))
    lines.append(((f"{'0':>{axis}} └{'─' * (cell * len(values))}", "muted"),))
    if labels:
        lines.append(((" " * (axis + 2) + _label_line(labels, cell), "muted"),))
    return lines


def _chart_line(values: Sequence[int], maximum: int, row: int, height: int, cell: int) -> str:
    """One line of the columns; `row` is 0 directly above the axis."""
    text = ""
    for value in values:
        eighths = max(1, round(value * height * 8 / maximum)) if value > 0 else 0
        block = _EIGHTHS[max(0, min(8, eighths - 8 * row))]
        text += (block * (cell - 1) + " ") if cell > 1 else block
    return text.rstrip()


def _label_line(labels: Sequence[str], cell: int) -> str:
    """The labels, each below the left end of its column; if they do not fit, only every n-th of them."""
    longest = max(map(len, labels))
    step = -(-(longest + 2) // cell) if longest >= cell else 1
    shown = [
        label for index, label in enumerate(labels[::step]) if index * step * cell + len(label) <= len(labels) * cell
    ]
    return "".join(f"{label:{cell * step}}" for label in shown or labels[:1]).rstrip()
