"""The sessions of a chat history: each run of Aider adds a heading with the time, and then what was said.

A session has no id of its own: its part is the time of its start, with a number if several began in the same second.
Times are those of the clock on the wall, without a zone.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from memtui_core.readers.conversion.json_values import local_timestamp, nanoseconds
from memtui_core.readers.formats.conversations import Conversation
from memtui_core.readers.formats.document import content_of

_HEADING: Final = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_BEGINS: Final = "# aider chat started at "
_TIME_LENGTH: Final = len("20261105-091240")
_COMPACT: Final = str.maketrans({"-": None, ":": None, " ": "-"})
_UNDATED: Final = "undated"
"""The part of what is before the first heading."""
_SAID: Final = re.compile(r"(?!> |\s*$)")
"""The beginning of a line that the user or the assistant wrote."""


def sessions_in(path: Path) -> list[Conversation]:
    """The sessions of a file; the entries are their lines, without the heading. Raises SourceUnreadable."""
    text = content_of(path).decode("utf-8", "replace")
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
    if not is_said(session.entries):
        return 0, 0
    text = "\n".join(session.entries)
    mark = zlib.crc32(text.encode("utf-8", "replace")) % 1_000_000_000
    return len(text), max(0, nanoseconds(started_at(session.id))) + mark


def is_said(lines: Iterable[str]) -> bool:
    """Whether the user or the assistant wrote one of the lines: of many runs there is only what Aider printed."""
    return any(_SAID.match(line) for line in lines)


def started_at(part: str) -> datetime | None:
    """When a session began, given its part; None if that is not known."""
    return local_timestamp(part[:_TIME_LENGTH].replace("-", "T"))


def _lines(text: str) -> Iterator[str]:
    """The lines of a file; a heading that is not written completely yet is left out."""
    *lines, last = text.split("\n")
    for line in lines:
        yield line.removesuffix("\r")
    if _HEADING.fullmatch(last) or not last.startswith(_BEGINS[: len(last)]):
        yield last


def _heading(line: str) -> str | None:
    """The time in a heading, as a part; None for any other line."""
    match = _HEADING.fullmatch(line)
    return match[1].translate(_COMPACT) if match else None


def _part(started: str, found: dict[str, list[str]]) -> str:
    """A part that no session before has."""
    part, number = started, 1
    while part in found:
        number += 1
        part = f"{started}-{number}"
    return part
