"""The axis of time: windows of a day, a week, a month, a year or all time, their columns, and the labels of a ruler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final, Literal

from memtui.wording.formatting import date_and_year, day_and_month

Zoom = Literal["day", "week", "month", "year", "all"]
ZOOMS: Final[tuple[Zoom, ...]] = ("day", "week", "month", "year", "all")
_HOURS: Final = (1, 2, 3, 6, 12)
_MONTHS: Final = (1, 3, 6, 12, 60)
_MIN_GAP: Final = 3
"""Cells from one label to the next at least: the shortest label and a blank."""


@dataclass(frozen=True, slots=True)
class Window:
    """A range of time that is shown at once; whole days of a time zone."""

    zoom: Zoom
    first: datetime
    end: datetime
    """The first time after the window."""

    def overlaps(self, first: datetime, last: datetime) -> bool:
        """Whether any of the time from `first` to `last` is in the window."""
        return first < self.end and last >= self.first

    def column(self, at: datetime, width: int) -> int:
        """The column of a time; that of the nearest edge for a time outside."""
        share = (at - self.first) / (self.end - self.first)
        return max(0, min(width - 1, int(share * width)))


def window_at(zoom: Zoom, at: datetime, first: datetime, last: datetime, zone: tzinfo | None = None) -> Window:
    """The day, week, month or year with a time, or all days from `first` to `last`; by default in local time."""
    on = at.astimezone(zone).date()
    if zoom == "all":
        on, following = first.astimezone(zone).date(), last.astimezone(zone).date() + timedelta(1)
    elif zoom == "year":
        on, following = date(on.year, 1, 1), date(on.year + 1, 1, 1)
    elif zoom == "month":
        on = on.replace(day=1)
        following = _month_after(on)
    else:
        on -= timedelta(on.weekday() if zoom == "week" else 0)
        following = on + timedelta(7 if zoom == "week" else 1)
    return Window(zoom, _midnight(on, zone), _midnight(following, zone))


def title(window: Window, zone: tzinfo | None = None) -> str:
    """The days of a window: `Thu 20 Aug 2026`, `10 – 16 Aug 2026`, `August 2026`, `2026`."""
    first, last = (at.astimezone(zone).date() for at in (window.first, window.end - timedelta(seconds=1)))
    if window.zoom == "day":
        return f"{first:%a} {date_and_year(first)}"
    if window.zoom == "month":
        return f"{first:%B %Y}"
    if window.zoom == "year":
        return str(first.year)
    if first == last:
        return date_and_year(first)
    start = (
        date_and_year(first)
        if first.year != last.year
        else day_and_month(first)
        if first.month != last.month
        else f"{first.day}"
    )
    return f"{start} – {date_and_year(last)}"


def ruler(window: Window, width: int, zone: tzinfo | None = None) -> list[tuple[int, str]]:
    """The labels of a window with their columns: as many as fit, each with a blank after it."""
    for step, label in _scales(window, width):
        ticks = [(window.column(at, width), label(at.astimezone(zone))) for at in step(window, zone)]
        ends = [column for column, _ in ticks[1:]]
        if all(column + len(text) < end for (column, text), end in zip(ticks, ends, strict=False)):
            return [(column, text) for column, text in ticks if column + len(text) <= width]
    return []


def cell_starts(window: Window, most: int, zone: tzinfo | None = None) -> list[datetime]:
    """The starts of the cells of a window, the first one its own: hours, days, weeks or months, so many at most.

    A day has hours, and a week pieces of three hours; longer windows have days or more.
    """
    days = (window.end - window.first) / timedelta(1)
    finest = [_hourly(1)] * (days < 2) + [_hourly(3)] * (days < 8)
    spans = ((1, _daily(1)), (7, _daily(7)), (28, _monthly(1)), (90, _monthly(3)), (365, _monthly(12)))
    coarser = [step for length, step in spans if days / length <= most]
    for step in [*finest, *coarser]:
        starts = [window.first, *(at for at in step(window, zone) if at > window.first)]
        if len(starts) <= most:
            return starts
    return [window.first]


Ticks = Callable[[Window, tzinfo | None], Iterator[datetime]]
Label = Callable[[datetime], str]


def _scales(window: Window, width: int) -> Iterator[tuple[Ticks, Label]]:
    """Ticks and their labels, from the finest scale that may fit to the coarsest."""
    days = (window.end - window.first) / timedelta(1)
    most = width // _MIN_GAP
    for hours in _HOURS:
        if days * 24 / hours <= most and days < 8:
            yield _hourly(hours), _time_label(window)
    if days <= most:
        yield _daily(1), (_weekday if days < 8 else _day)
        if days < 8:
            yield _daily(1), _day
    if days / 7 <= most:
        yield _daily(7), lambda at: day_and_month(at.date())
    for months in _MONTHS:
        yield _monthly(months), _month if months < 12 else _year


def _time_label(window: Window) -> Label:
    if window.end - window.first < timedelta(2):
        return lambda at: f"{at:%H:%M}"
    return lambda at: f"{at:%H:%M}" if at.hour else _weekday(at)


def _weekday(at: datetime) -> str:
    return f"{at:%a} {at.day}"


def _day(at: datetime) -> str:
    return str(at.day)


def _month(at: datetime) -> str:
    return f"{at:%b %Y}"


def _year(at: datetime) -> str:
    return str(at.year)


def _hourly(step: int) -> Ticks:
    def ticks(window: Window, zone: tzinfo | None) -> Iterator[datetime]:
        at = window.first
        while at < window.end:
            if at.astimezone(zone).hour % step == 0:
                yield at
            at += timedelta(hours=1)

    return ticks


def _daily(step: int) -> Ticks:
    """Every day, or every Monday."""

    def ticks(window: Window, zone: tzinfo | None) -> Iterator[datetime]:
        on = window.first.astimezone(zone).date()
        on += timedelta(-on.weekday() % step)
        while (at := _midnight(on, zone)) < window.end:
            yield at
            on += timedelta(step)

    return ticks


def _monthly(step: int) -> Ticks:
    def ticks(window: Window, zone: tzinfo | None) -> Iterator[datetime]:
        on = window.first.astimezone(zone).date().replace(day=1)
        while (at := _midnight(on, zone)) < window.end:
            if at >= window.first and (on.year * 12 + on.month - 1) % step == 0:
                yield at
            on = _month_after(on)

    return ticks


def _month_after(on: date) -> date:
    years, month = divmod(on.year * 12 + on.month, 12)
    return date(years, month + 1, 1)


def _midnight(on: date, zone: tzinfo | None) -> datetime:
    start = datetime.combine(on, time(), zone)
    return start if zone is not None else start.astimezone()
