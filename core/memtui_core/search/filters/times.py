"""The filters by time: `after:3d`, `before:2026-11-20`; and times as users write them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from memtui_core.search.filters.filter import (
    Condition,
    Filter,
    FilterContext,
    FilterNotApplied,
    ObservationTest,
    fixed_values,
)

_AGO = re.compile(r"(\d{1,4})([hdwmy])")
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2}))?)?)?")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
"""A month is 30 days, a year 365: `3m` need not be exact to the day."""


def parse_time(text: str, now: datetime) -> datetime | None:
    """The time that a text stands for, in the zone of `now`; None if it is not valid.

    `3d` is three days before now (h, d, w, m for months, y). `today`, `yesterday`, a weekday (the last one, today
    included), `2026`, `2026-11` and `2026-11-20` are the start of that period; `2026-11-20T14:30` is exact.
    """
    name = text.strip().lower()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if ago := _AGO.fullmatch(name):
            return now - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])
        if name in ("today", "yesterday"):
            return midnight - timedelta(days=name == "yesterday")
        if name in _DAYS:
            return midnight - timedelta(days=(now.weekday() - _DAYS.index(name)) % 7)
        if date := _DATE.fullmatch(text.strip().upper()):
            year, month, day = map(int, date.groups(default="1")[:3])
            hour, minute = map(int, date.groups(default="0")[3:])
            return midnight.replace(year=year, month=month, day=day, hour=hour, minute=minute)
    except (ValueError, OverflowError):
        return None
    return None


def _time_filter(
    name: str, leaves: str, example: str, sign: str, compare: Callable[[datetime, datetime], bool]
) -> Filter:
    """A filter that compares a time with its value: by a sign of SQL, and by the same operator of Python."""

    def limit(value: str, context: FilterContext) -> datetime:
        time = parse_time(value, context.now)
        if time is None:
            raise FilterNotApplied(f"{name}:{value} is not a valid time, such as 3d, yesterday or 2026-11-20")
        return time

    def turns(value: str, context: FilterContext) -> Condition:
        return Condition(f"t.started_at {sign} ?", [limit(value, context).astimezone(UTC).replace(tzinfo=None)])

    def observations(value: str, context: FilterContext) -> ObservationTest:
        time = limit(value, context)
        return lambda one: compare(one.created_at, time)

    return Filter(
        name=name,
        leaves=leaves,
        examples=(example,),
        turns=turns,
        observations=observations,
        completions=fixed_values("today", "yesterday", "3d", "7d", "1m"),
        conjunctive=True,
    )


AFTER = _time_filter(
    "after",
    "turns from then on: h, d, w, m(onths) or y ago; `today`, `yesterday`, a weekday; a year, month, day or time",
    "3d",
    ">=",
    operator.ge,
)
BEFORE = _time_filter("before", "turns before such a time", "2026-11-20", "<", operator.lt)
