"""The strip above the lanes of the chart: a cell for each hour, day or week, the fuller the more turns began in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from memtui.render.rows import Span
from memtui.views.timeline.chart.axis import Window, cell_starts
from memtui.views.timeline.chart.cursor import ChartCursor
from memtui.wording.formatting import cut, date_and_year, plural, time_of_day
from memtui.wording.heat import SHADES, shade_limits, shade_of

_LABEL = "turns"
_WITH_GAP = 3
"""Columns from which on a cell has a blank at its end."""


@dataclass(frozen=True, slots=True)
class StripCell:
    """A piece of the window."""

    first: datetime
    end: datetime
    turns: int
    """The turns that began in it."""
    columns: range

    @property
    def text(self) -> str:
        """`Thu 20 Aug 2026 · 12 turns`, for less than a day with its time, for more with its last day."""
        first, last = self.first.astimezone(), (self.end - (self.end - self.first) / 1000).astimezone()
        name = f"{first:%a} {date_and_year(first)}"
        if (self.end - self.first).total_seconds() < 20 * 3600:
            name += f" {time_of_day(first)}"
        elif first.date() != last.date():
            name = f"{date_and_year(first)} – {date_and_year(last)}"
        return f"{name} · {plural(self.turns, 'turn') if self.turns else 'no turns'}"


def strip_cells(cursor: ChartCursor, window: Window, width: int) -> list[StripCell]:
    """The cells of a window, in order; each has a column at least."""
    starts = cell_starts(window, width)
    columns = [round(index * width / len(starts)) for index in range(len(starts))]
    if all(window.column(after, width) > window.column(at, width) for at, after in pairwise(starts)):
        # They stand where the marks of the same time stand in the lanes.
        columns = [window.column(at, width) for at in starts]
    return [
        StripCell(first, end, cursor.turns_between(first, end), range(column, after))
        for (first, end), (column, after) in zip(
            pairwise([*starts, window.end]), pairwise([*columns, width]), strict=True
        )
    ]


def cell_at(cells: Sequence[StripCell], at: datetime) -> int:
    """The index of the cell with a time, or of the nearest one."""
    return max(0, sum(cell.first <= at for cell in cells) - 1)


def strip_spans(cells: Sequence[StripCell], current: int | None, label_width: int) -> list[Span]:
    """The line of the strip; `current` is the index of the cell under the cursor."""
    limits = shade_limits(cell.turns for cell in cells)
    label = cut(_LABEL, max(0, label_width - 1))
    spans: list[Span] = [(f"{label:<{label_width}}", "muted")]
    for index, cell in enumerate(cells):
        width = len(cell.columns)
        gap = int(width >= _WITH_GAP)
        shade = shade_of(cell.turns, limits)
        style = "cursor" if index == current else "heat" if shade else "grid"
        text = SHADES[shade] * (width - gap) if shade or index == current else f"{SHADES[0]:<{width - gap}}"
        spans += [(text, style), (" " * gap, "")]
    return spans
