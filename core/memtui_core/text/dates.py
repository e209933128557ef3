"""What a person writes for a time, as in `after:3d`, to the moment it stands for."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_AGO = re.compile(r"(\d{1,4})([hdwmy])")
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2}))?)?)?")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
"""A month is 30 days here, a year 365: nobody who asks for what is `3m` old means a day."""


def moment_of(text: str, now: datetime) -> datetime | None:
    """The moment, in the zone of `now`; None when it is no time.

    `3d` is three days before now (h, d, w, m for months, y); `today`, `yesterday`, a weekday (the last one, today
    included) and `2026`, `2026-11`, `2026-11-20` are their first moment; `2026-11-20T14:30` is exact.
    """
    wanted = text.strip().lower()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if ago := _AGO.fullmatch(wanted):
            return now - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])
        if wanted in ("today", "yesterday"):
            return midnight - timedelta(days=wanted == "yesterday")
        if wanted in _DAYS:
            return midnight - timedelta(days=(now.weekday() - _DAYS.index(wanted)) % 7)
        if date := _DATE.fullmatch(text.strip().upper()):
            year, month, day = map(int, date.groups(default="1")[:3])
            hour, minute = map(int, date.groups(default="0")[3:])
            return midnight.replace(year=year, month=month, day=day, hour=hour, minute=minute)
    except (ValueError, OverflowError):
        return None
    return None
