"""Numbers as bars of block characters: pure text with named styles, so that every theme draws them in its colours."""

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
_UP: Final = " ▁▂▃▄▅▆▇█"
_ALONG: Final = "━"
_HALF: Final = "╸"
_WIDEST: Final = 9
"""Cells of one column with its gap: seven days need no more."""
_FEW: Final = 14
"""Days that are told by their weekday."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Some days that one column stands for."""

    first: date
    turns: int
    """Of all its days together."""
    sessions: int
    """Most on one of its days: a session that goes on for two days would count twice in a sum."""


def bar(value: int, most: int, width: int) -> str:
    """A bar along a line, `width` cells for `most`; what is not nothing shows."""
    if value <= 0 or most <= 0 or width <= 0:
        return ""
    whole, rest = divmod(max(1, round(min(value, most) * width * 2 / most)), 2)
    return _ALONG * whole + _HALF * rest


def sparkline(values: Sequence[int]) -> str:
    """One sign a value, a dot for nothing."""
    most = max(values, default=0)
    return "".join(_UP[max(1, round(value * 8 / most))] if value > 0 else "·" for value in values)


def buckets(series: Sequence[DayCount], most: int) -> tuple[Unit, list[Bucket]]:
    """The days in at most `most` buckets of one unit, the smallest that does; weeks end with the last day."""
    for unit in UNITS[:-1]:
        found = _grouped(series, unit)
        if len(found) <= most:
            return unit, found
    return "year", _grouped(series, "year")[-max(1, most) :]


def _grouped(series: Sequence[DayCount], unit: Unit) -> list[Bucket]:
    def key(day: DayCount) -> object:
        if unit == "week":
            return (series[-1].day - day.day).days // 7
        return day.day if unit == "day" else (day.day.year, day.day.month if unit == "month" else 0)

    groups = [list(group) for _, group in groupby(series, key)]
    return [Bucket(group[0].day, sum(x.turns for x in group), max(x.sessions for x in group)) for group in groups]


def names(found: Sequence[Bucket], unit: Unit) -> list[str]:
    """What stands under each column."""
    if unit == "day" and len(found) <= _FEW:
        return [f"{bucket.first:%a} {bucket.first.day}" for bucket in found]
    if unit in ("day", "week"):
        return [day_and_month(bucket.first) for bucket in found]
    return [f"{bucket.first:{'%Y-%m' if unit == 'month' else '%Y'}}" for bucket in found]


def column_width(count: int, width: int) -> int:
    """Cells of each of some columns, its gap included; at least 1."""
    return max(1, min(_WIDEST, width // max(1, count)))


def chart(
    values: Sequence[int], width: int, height: int, style: str, axis: int, under: Sequence[str] = ()
) -> list[tuple[Span, ...]]:
    """Columns over an axis, `height` lines of them, in at most `width` cells.

    `axis` is the cells for the numbers at the left: two charts with the same one stand exactly under each other.
    `under` names the columns, as many of them as there is room for.
    """
    cell = column_width(len(values), width - axis - 2)
    most = max(values, default=0)
    lines: list[tuple[Span, ...]] = []
    for row in range(height - 1, -1, -1):
        edge = f"{most:>{axis},} ┤" if row == height - 1 else f"{'':{axis}} │"
        lines.append(((edge, "muted"), (_level(values, most, row, height, cell), style)))
    lines.append(((f"{'0':>{axis}} └{'─' * (cell * len(values))}", "muted"),))
    if under:
        lines.append(((" " * (axis + 2) + _labels(under, cell), "muted"),))
    return lines


def _level(values: Sequence[int], most: int, row: int, height: int, cell: int) -> str:
    """One line of the columns: `row` counts from the axis up."""
    text = ""
    for value in values:
        eighths = max(1, round(value * height * 8 / most)) if value > 0 else 0
        sign = _UP[max(0, min(8, eighths - 8 * row))]
        text += (sign * (cell - 1) + " ") if cell > 1 else sign
    return text.rstrip()


def _labels(under: Sequence[str], cell: int) -> str:
    """Names that begin where their columns do, as many as stand apart; the same number of columns is between two."""
    longest = max(map(len, under))
    step = -(-(longest + 2) // cell) if longest >= cell else 1
    shown = [name for place, name in enumerate(under[::step]) if place * step * cell + len(name) <= len(under) * cell]
    return "".join(f"{name:{cell * step}}" for name in shown or under[:1]).rstrip()
