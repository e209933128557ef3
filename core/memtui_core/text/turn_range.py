"""Turn ranges as users and agents write them: `SESSION`, `SESSION:TURN` or `SESSION:FIRST-LAST`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TURN_RANGE = re.compile(r"([^\s:]+)(?::(\d{1,9})(?:-(\d{1,9}))?)?")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MAX_SHOWN = 60
"""Characters of a text that a message quotes."""


@dataclass(frozen=True, slots=True)
class TurnRange:
    """Some turns of a session, or all of them without `first` and `last`."""

    session: str
    """The id of the session, or the beginning of it."""
    first: int | None = None
    last: int | None = None


def parse_turn_range(text: str) -> TurnRange:
    """Parse a turn range. Raises ValueError with a message for the user."""
    match = _TURN_RANGE.fullmatch(text.strip())
    shown = repr(text) if len(repr(text)) <= _MAX_SHOWN else f"{repr(text)[:_MAX_SHOWN]}…"
    if match is None:
        raise ValueError(f"{shown} names no turns; write SESSION:3 or SESSION:3-7.")
    first = int(match[2]) if match[2] else None
    last = int(match[3]) if match[3] else first
    if first is not None and last is not None and not 1 <= first <= last:
        raise ValueError(f"{shown} names no turns; they count from 1, the first one first.")
    return TurnRange(match[1], first, last)


def short_session(session_id: str) -> str:
    """As much of the id of a session as names it: of a UUID the first 8 characters."""
    return session_id[:8] if _UUID.fullmatch(session_id) else session_id


def short_turn(session_id: str, turn: int | None) -> str:
    """`SESSION:TURN` with the short session; without a turn only the session."""
    return short_session(session_id) + (f":{turn}" if turn is not None else "")
