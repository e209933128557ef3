"""How the state of a session is written: whether it runs, waits for the user, or has failed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memtui_core.model import SessionState

MARKS: Final[dict[SessionState, str]] = {"waiting": "? ", "running": "◉ ", "failed": "✗ ", "ended": "● "}
"""The mark before the title of a session; the state that needs the user most comes first."""
COLOURS: Final[dict[SessionState, str]] = {
    "waiting": "bold $text-accent",
    "running": "$text-accent",
    "failed": "$text-error",
    "ended": "",
}


def most_urgent(states: Iterable[SessionState]) -> SessionState:
    """The state of several sessions as one: that which needs the user most."""
    found = set(states)
    return next((state for state in MARKS if state in found), "ended")
