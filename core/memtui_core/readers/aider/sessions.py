"""The sessions of a chat history: each run of Aider adds a heading with the time, and then what was said.

A session has no id of its own: its part is the time of its start, with a number if several began in the same second.
Times are those of the clock on the wall, without a zone.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.conversations import Conversation
from memtui_core.readers.json_values import nanoseconds

_HEADING: Final = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_IN_HEADING: Final = "%Y-%m-%d %H:%M:%S"
_IN_PART: Final = "%Y%m%d-%H%M%S"
_UNDATED: Final = "undated"
"""The part of what is before the first heading."""
_SAID: Final = re.compile(r"(?!> |\s*$)")
"""The beginning of a line that the user or the assistant wrote."""


def sessions_in(path: Path) -> list[Conversation]:
    """The sessions of a file; the entries are their lines, without the heading. Raises SourceUnreadable."""
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise SourceUnreadable(f"{path}: {error.strerror or error}") from error
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in _lines(text):
        if (started := _heading(line)) is not None:
            lines = found.setdefault(_part(started, found), [])
        elif found or line.strip():
            if not found:
                lines = found.setdefault(_UNDATED, [])
            lines.append(line)
    return [Conversation(part, lines) for part, lines in found.items()]


def state_of(session: Conversation) -> tuple[int, int]:
    """The size of a session, 0 if nothing was said, and a number that changes with its content."""
    if not any(_SAID.match(line) for line in session.entries):
        return 0, 0
    text = "\n".join(session.entries)
    mark = zlib.crc32(text.encode("utf-8", "replace")) % 1_000_000_000
    return len(text), max(0, nanoseconds(started_at(session.id))) + mark


def started_at(part: str) -> datetime | None:
    """When a session began, given its part; None if that is not known."""
    try:
        return in_utc(datetime.strptime(part[:15], _IN_PART))
    except ValueError:
        return None


def in_utc(at: datetime) -> datetime | None:
    """A time without a zone, which is that of this computer, in UTC; None if there is no such time."""
    try:
        return at.astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield line.removesuffix("\r")


def _heading(line: str) -> datetime | None:
    match = _HEADING.fullmatch(line)
    try:
        return datetime.strptime(match[1], _IN_HEADING) if match else None
    except ValueError:
        return None


def _part(started: datetime, found: dict[str, list[str]]) -> str:
    """A part that no session before has; years before 1000 are padded by hand."""
    part = first = f"{started.year:04}{started.strftime('%m%d-%H%M%S')}"
    number = 1
    while part in found:
        number += 1
        part = f"{first}-{number}"
    return part
