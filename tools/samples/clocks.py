"""The times and the lines of invented transcripts that are not those of Claude Code."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

Json = dict[str, Any]


class Clock:
    """Goes on by some seconds with each look at it."""

    def __init__(self, start: str) -> None:
        self.now = datetime.fromisoformat(start)

    def look(self, seconds: int = 4) -> datetime:
        """Return the time, some seconds later than before."""
        self.now += timedelta(seconds=seconds)
        return self.now

    def iso(self, seconds: int = 4) -> str:
        """Return the time as agents write it in JSON."""
        return f"{self.look(seconds).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"

    def milliseconds(self, seconds: int = 4) -> int:
        """Return the time in milliseconds since 1970."""
        return round(self.look(seconds).timestamp() * 1000)


def as_lines(entries: Iterable[Json]) -> str:
    """Return entries as compact JSON lines."""
    return "".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n" for entry in entries)
