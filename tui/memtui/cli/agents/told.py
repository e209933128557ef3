"""`memtui told`: what the agent of a session got to read from the hooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import Styled, print_json, say, show_paged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memtui_core.index.recall import Reminder


@click.command()
@click.argument("session")
@data_dir_option
@json_option
@reports_errors
def told(session: str, data_dir: Path | None, as_json: bool) -> None:
    """Print what memtui has told the agent of a session, and its subagents, by its hooks.

    SESSION is an id or the beginning of one. Each text is printed with when and why the agent got it, without the
    general notice at its beginning.
    """
    index = open_index(data_dir)
    found = index.recall.reminders(index.sessions.find(session).session_id)
    if as_json:
        print_json([_object(reminder) for reminder in found])
    elif not found:
        say("memtui has told this session nothing. memtui enable --list shows which agents have its hooks.")
    else:
        show_paged(_lines(reminder) for reminder in found)


def _lines(reminder: Reminder) -> Iterator[Sequence[Styled]]:
    from memtui.agents.hooks.reminder_words import NOT_KEPT, lines_of_reminder, occasion
    from memtui.cli.output import short_time

    yield [(occasion(reminder.event, reminder.agent), "strong"), (f" · {short_time(reminder.at)}", "muted")]
    for line in lines_of_reminder(reminder.text) if reminder.text else [NOT_KEPT]:
        yield [(f"  {line}" if line else "", "")]
    yield []


def _object(reminder: Reminder) -> dict[str, Any]:
    """A reminder as JSON."""
    return {
        "at": reminder.at,
        "event": reminder.event,
        "agent_id": reminder.agent,
        "cited": [{"session_id": one.session_id, "turn": one.turn, "about": one.about} for one in reminder.cited],
        "text": reminder.text,
    }
