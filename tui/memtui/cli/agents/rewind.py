"""`memtui rewind`: go on from an earlier turn of a session, in a new session of its agent."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import ask, fields_of, print_table, say, show, show_styled
from memtui.cli.output import write as print_text
from memtui.cli.reading.turn_range import bad_turns, named_turns
from memtui_core.text.controls import one_line
from memtui_core.text.json_text import json_text

if TYPE_CHECKING:
    from memtui_core.index.handoffs import FileSince, Rewound

_STYLES: Final = {"+": "added", "-": "removed", "@": "muted"}


@click.command()
@click.argument("turn", metavar="SESSION:TURN")
@click.option("--before", is_flag=True, help="End before the turn, not after it.")
@click.option("--dry-run", is_flag=True, help="Show the new session without writing it.")
@click.option("--yes", is_flag=True, help="Write it without asking.")
@click.option("--diff", is_flag=True, help="Show how files have changed since.")
@data_dir_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@reports_errors
def rewind(turn: str, before: bool, dry_run: bool, yes: bool, diff: bool, data_dir: Path | None, as_json: bool) -> None:
    """Write a new session that ends after a turn of another one, and print the command that resumes it.

    The other session is only read. For sessions of Claude Code and Codex. Files stay as they are: those that have
    changed since the turn are listed.
    """
    named = named_turns(turn)
    if named.first is None or named.first != named.last:
        raise bad_turns("name one turn: SESSION:3.")
    from memtui.screens.outgoing.rewind.since_text import missing_folder

    index = open_index(data_dir)
    session = index.sessions.with_turns(named.session)
    if not named.first <= session.turns:
        raise bad_turns(f"{named.session} has {session.turns} turns.")
    made = index.handoffs.rewound(session.key, named.first, os.environ, datetime.now(UTC), before=before)
    files = index.handoffs.files_since(session.key, made.last.number)
    if not as_json:
        _show(made, files, with_diffs=diff)
    if missing := missing_folder(made):
        say(missing)
    if not dry_run:
        if not yes:
            ask("Write this session?", "Nothing was written.")
        made.write()
    if as_json:
        print_text(json_text(_as_json(made, files, written=not dry_run)))
    else:
        say("Nothing was written." if dry_run else f"Written. {made.origin.session_id} is as it was.")


def _show(made: Rewound, files: Sequence[FileSince], *, with_diffs: bool) -> None:
    """Print what the new session has, what has changed since, where it is written, and what resumes it."""
    show_styled(*_head(made))
    if made.is_archived:
        say("The transcript is gone: this is what the archive has of it, without secrets.")
        say(f"memtui restore {made.origin.session_id} brings it back.")
    _show_files(files, with_diffs=with_diffs)
    show()
    show(str(made.file.path))
    show_styled((made.shown, "strong"))


def _show_files(files: Sequence[FileSince], *, with_diffs: bool) -> None:
    """Print the files that are not as they were, each with its lines, or with the reason why that is not known."""
    from memtui.screens.outgoing.rewind.since_text import changes, facts, unchanged

    shown = [file for file in files if file.state != "unchanged"]
    if shown:
        show()
        rows = [(file.state, file.path, changes(file), facts(file)) for file in shown]
        print_table(rows, styles=("tool", "strong", "", "muted"), shrinks={1: "start", 3: "end"})
    if text := unchanged(files):
        show_styled((text, "muted"))
    for file in shown if with_diffs else ():
        if file.diff:
            show()
            for line in file.diff.splitlines():
                show_styled((line, _STYLES.get(line[:1], "") if not line.startswith(("---", "+++")) else "muted"))


def _head(made: Rewound) -> list[tuple[str, str]]:
    from memtui.wording.formatting import agent_full_name, tokens

    place = f"{'before' if made.is_before else 'up to'} turn {made.turn.number} of {made.origin.turns}"
    facts = (place, agent_full_name(made.origin.agent), f"about {tokens(made.tokens)} tokens")
    return [(one_line(made.origin.title, 60), "strong"), ("".join(f" · {fact}" for fact in facts), "muted")]


def _as_json(made: Rewound, files: Sequence[FileSince], *, written: bool) -> dict[str, Any]:
    return {
        "session_id": made.session_id,
        "agent": made.origin.agent,
        "origin": made.origin.session_id,
        "turn": made.turn.number,
        "before": made.is_before,
        "path": str(made.file.path),
        "folder": made.folder,
        "command": made.shown,
        "tokens": made.tokens,
        "archived": made.is_archived,
        "written": written,
        "files": [
            fields_of(file, "path", "state", "added", "removed", "reason", "later_turns", "diff") for file in files
        ],
    }
