"""The reminders that hooks gave the agents of a session, with the turns that they cite."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import NamedTuple

from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import label
from memtui_core.text.markdown.plain import plain_line

_LONGEST = 300
"""Characters of what a cited turn is called."""


class CitedTurn(NamedTuple):
    """A turn of which an agent was reminded."""

    session_id: str
    turn: int
    session: int | None = None
    """`Session.key`; None for a session that the index does not have any more."""
    about: str = ""
    """The prompt of the turn on one line; the title of the session if it has none."""


class Reminder(NamedTuple):
    """A text that a hook gave an agent to read."""

    at: datetime
    event: str
    """The event of the hook."""
    agent: str
    """The id of the subagent that got it; empty for the agent of the session."""
    cited: tuple[CitedTurn, ...]
    text: str
    """As the agent got it; empty if it is not kept any more."""


def read_reminders(snapshot: Snapshot, log: ReminderLog, session_id: str) -> list[Reminder]:
    """What a session, by its whole id, and its subagents got, the oldest first."""
    found = log.reminders(session_id)
    turns = _turns(snapshot, {reference for one in found for reference in one.references})
    return [
        Reminder(
            datetime.fromtimestamp(one.at, UTC),
            label(one.event),
            one.agent,
            tuple(turns[reference] for reference in one.references if reference in turns),
            one.text,
        )
        for one in found
    ]


def _turns(snapshot: Snapshot, references: Collection[str]) -> dict[str, CitedTurn]:
    """The turns of references, by these; what is no reference is left out."""
    found: dict[str, CitedTurn] = {}
    for reference in references:
        session_id, _, number = reference.rpartition(":")
        if session_id and number.isdecimal():
            found[reference] = CitedTurn(session_id, int(number))
    if not found:
        return {}
    rows = snapshot.rows(
        f"SELECT s.session_id, t.number, s.key, left(t.user_text, {_LONGEST}), s.title FROM sessions s"
        " JOIN turns t ON t.session = s.key WHERE NOT s.hidden AND list_contains(?, s.session_id)",
        [sorted({one.session_id for one in found.values()})],
    )
    for session_id, number, key, prompt, title in rows:
        reference = f"{session_id}:{number}"
        if reference in found:
            about = plain_line(prompt or "", _LONGEST) or plain_line(title, _LONGEST)
            found[reference] = CitedTurn(session_id, number, key, about)
    return found
