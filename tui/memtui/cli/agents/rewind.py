"""`memtui rewind`: go on from an earlier turn of a session, in a new session of its agent."""

from __future__ import annotations

import os
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import say, show, show_styled
from memtui.cli.output import write as print_text
from memtui.cli.reading.turn_range import bad_turns, named_turns
from memtui_core.text.controls import one_line
from memtui_core.text.json_text import json_text

if TYPE_CHECKING:
    from memtui_core.memory.rewind.rewound import Rewound


@click.command()
@click.argument("turn", metavar="SESSION:TURN")
@click.option("--before", is_flag=True, help="End before the turn, not after it.")
@click.option("--dry-run", is_flag=True, help="Show the new session without writing it.")
@data_dir_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@reports_errors
def rewind(turn: str, before: bool, dry_run: bool, data_dir: Path | None, as_json: bool) -> None:
    """Write a new session that ends after a turn of another one, and print the command that resumes it.

    The other session is only read. For sessions of Claude Code and Codex.
    """
    named = named_turns(turn)
    if named.first is None or named.first != named.last:
        raise bad_turns("name one turn: SESSION:3.")
    index = open_index(data_dir)
    session = index.sessions.find(named.session)
    if not named.first <= session.turns:
        raise bad_turns(f"{named.session} has {session.turns} turns.")
    made = index.handoffs.rewound(session.key, named.first, os.environ, datetime.now(UTC), before=before)
    if not dry_run:
        made.write()
    command = f"{shlex.join(['cd', made.folder])} && {shlex.join(made.command)}"
    if as_json:
        print_text(json_text(_as_json(made, command, written=not dry_run)))
        return
    show_styled(*_head(made))
    if made.is_archived:
        say("The transcript is gone: this is what the archive has of it, without secrets.")
    show(str(made.file.path))
    show_styled((command, "strong"))
    say("Nothing was written." if dry_run else f"Written. {made.origin.session_id} is as it was.")


def _head(made: Rewound) -> list[tuple[str, str]]:
    from memtui.wording.formatting import agent_full_name, tokens

    place = f"{'before' if made.is_before else 'up to'} turn {made.turn.number} of {made.origin.turns}"
    facts = (place, agent_full_name(made.origin.agent), f"about {tokens(made.tokens)} tokens")
    return [(one_line(made.origin.title, 60), "strong"), ("".join(f" · {fact}" for fact in facts), "muted")]


def _as_json(made: Rewound, command: str, *, written: bool) -> dict[str, Any]:
    return {
        "session_id": made.session_id,
        "agent": made.origin.agent,
        "origin": made.origin.session_id,
        "turn": made.turn.number,
        "before": made.is_before,
        "path": str(made.file.path),
        "folder": made.folder,
        "command": command,
        "tokens": made.tokens,
        "archived": made.is_archived,
        "written": written,
    }
