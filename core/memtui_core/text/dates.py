"""Times as users write them, such as `3d` in `after:3d`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

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
