"""The calendar: weeks as columns, days of the week as rows, and the more turns on a day the fuller it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from memtui.render.rows import Span
from memtui.views.stats.blocks import SearchLink, Spans, StatsBlock
from memtui.views.stats.filters import Filters
from memtui.wording.formatting import date_and_year, number, plural
from memtui.wording.heat import SHADES, shade_limits, shade_of

if TYPE_CHECKING:
    from memtui_core.index.statistics import DayCount

_CURSOR: Final = "◆"
_LABELS: Final = 4
"""Cells of the names of the days, and a blank."""
_YEAR: Final = 53
_WIDTHS: Final = (3, 2, 1)
"""Cells of a day with the gap after it: the most with which all weeks fit; a day of one cell has no gap."""
_MONTH_NAME: Final = 3


def heat_map(days: Sequence[DayCount], today: date, filters: Filters, width: int) -> StatsBlock:
    """The calendar up to today: all weeks since the first turn, a year at least, or as many of them as fit."""
    all_weeks = max(_YEAR, _weeks_between(days[0].day, today) if days else 0)
    cell = next((cells for cells in _WIDTHS if width >= _LABELS + all_weeks * cells), 1)
    drawn = max(1, cell - 1)
    weeks = max(1, min(width - _LABELS, all_weeks))
    first = today - timedelta(days=today.weekday(), weeks=weeks - 1)
    counts = {day.day: day for day in days}
    shown = [day for day in days if day.day >= first]
    limits = shade_limits(day.turns for day in shown)
    lines: list[Spans] = [_heading(shown, weeks), ((" " * _LABELS, ""), (_months(first, weeks, cell), "muted"))]
    links: list[SearchLink] = []
    for weekday in range(7):
        name = f"{first + timedelta(days=weekday):%a}" if weekday in {0, 2, 4} else ""
        spans: list[Span] = [(f"{name:<{_LABELS}}", "muted")]
        for week in range(weeks):
            day = first + timedelta(days=weekday, weeks=week)
            if day > today:
                continue
            count = counts.get(day)
            shade = shade_of(count.turns, limits) if count else 0
            style = "muted" if not shade else "heat"
            spans += [
                (
                    SHADES[shade] * drawn if shade else f"{SHADES[0]:<{drawn}}",
                    f"{style} today" if day == today else style,
                ),
                (" " * (cell - drawn), ""),
            ]
            links.append(_link(day, count, len(lines), _LABELS + week * cell, drawn, filters))
        lines.append(tuple(spans))
    lines.append(_legend(_LABELS + (weeks - 1) * cell + drawn))
    return StatsBlock(lines, links)


def _link(day: date, count: DayCount | None, line: int, column: int, width: int, filters: Filters) -> SearchLink:
    name = f"{day:%a} {date_and_year(day)}"
    has_turns = count is not None and count.turns > 0
    facts = (
        f"{plural(count.turns, 'turn')} in {plural(count.sessions, 'session')}" if has_turns and count else "no turns"
    )
    search = filters.day(day) if has_turns else None
    key = ("day", day.isoformat())
    return SearchLink(line, column, width, width, f"{name} · {facts}", search, key, _CURSOR * width)


def _weeks_between(first: date, last: date) -> int:
    """The weeks, from Monday, in which the days between two dates lie."""
    return ((last - timedelta(days=last.weekday())) - (first - timedelta(days=first.weekday()))).days // 7 + 1


def _heading(days: Sequence[DayCount], weeks: int) -> Spans:
    active = sum(1 for day in days if day.turns)
    return ("turns per day", "heading"), (f"  on {plural(active, 'day')} of the last {number(weeks)} weeks", "muted")


def _months(first: date, weeks: int, cell: int) -> str:
    """The names of the months, each above the week with its first day, where there is room."""
    sundays = [first + timedelta(weeks=week, days=6) for week in range(weeks)]
    starts = [week for week in range(weeks) if not week or sundays[week].month != sundays[week - 1].month]
    line = ""
    for start, following in zip(starts, [*starts[1:], weeks], strict=True):
        if (following - start) * cell > _MONTH_NAME:
            line = f"{line:<{start * cell}}{sundays[start]:%b}"
    return line


def _legend(width: int) -> Spans:
    """The shades from less to more, and where today is."""
    left = " " * _LABELS + "less "
    today = "today ▴"
    gap = " " * max(2, width - len(left) - len(SHADES) - len(" more") - len(today))
    return (left, "muted"), (SHADES[0], "muted"), (SHADES[1:], "heat"), (f" more{gap}{today}", "muted")
