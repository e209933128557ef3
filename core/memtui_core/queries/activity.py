"""Whether a session is being written, and how far a turn has come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

from memtui_core.model import CLOCK_TOLERANCE, Block, Turn

Status = Literal["active", "idle", "completed"]
TurnState = Literal["running", "unanswered", "interrupted"]
ACTIVE: Final = timedelta(minutes=5)
"""A session is active for this long after the last write to its transcript."""
_IDLE: Final = timedelta(hours=1)


def status(last_write: datetime | None, now: datetime) -> Status:
    """Active for 5 minutes after the last write, idle for an hour, then completed."""
    # A time in the future, from a wrong clock, says nothing about the age.
    age = now - last_write if last_write and last_write - now <= CLOCK_TOLERANCE else _IDLE
    return "active" if age < ACTIVE else "idle" if age < _IDLE else "completed"


def turn_state(turn: Turn, blocks: Sequence[Block], now: datetime) -> TurnState | None:
    """How far a turn has come; None if it ended with an answer, and if the transcript does not say.

    interrupted: the last entry tells that the user stopped the agent. running: it is the last turn, the agent has
    something left to do, and wrote less than 5 minutes ago. unanswered: it is the last turn, and its prompt was
    followed by nothing.
    """
    last = next((block for block in reversed(blocks) if block.kind != "note" or block.tool == "interrupt"), None)
    if last is None:
        return None
    if last.kind == "note":
        return "interrupted"
    if not turn.provisional or last.kind == "text":
        return None
    if status(turn.ended_at or turn.started_at, now) == "active":
        return "running"
    is_only_asked = all(block.kind in {"user", "image", "note"} for block in blocks)
    return "unanswered" if turn.kind == "human" and is_only_asked else None
