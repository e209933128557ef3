"""`memtui note`: notes on a session or a turn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.marks.named import BY, named_target
from memtui.cli.opened import open_with_team
from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import say, short_time, show

if TYPE_CHECKING:
    from memtui_core.model import UserNote

SHOWN_ID = 8
"""Characters of the id of a note that are printed; fewer are enough to name it."""


@click.command()
@click.argument("session", metavar="SESSION[:TURN]")
@click.argument("text", nargs=-1)
@click.option("--change", metavar="NOTE", help="Replace this note by the text; the beginning of its id is enough.")
@click.option("--remove", metavar="NOTE", help="Remove this note.")
@data_dir_option
@reports_errors
def note(session: str, text: tuple[str, ...], change: str | None, remove: str | None, data_dir: Path | None) -> None:
    """Write a note on a session or a turn; - reads it from standard input.

    Without a text it prints the notes that there are, with their ids.
    """
    if (change is not None and not text) or (remove is not None and (text or change is not None)):
        raise click.UsageError("Give a text to write or to change a note, and none to remove one.")
    index = open_with_team(data_dir)
    target = named_target(index, session)
    written = sys.stdin.read() if text == ("-",) else " ".join(text)
    if remove is not None:
        index.annotations.remove_note(remove, by=BY)
        target.say("Note removed")
    elif change is not None:
        index.annotations.change_note(change, written, by=BY)
        target.say("Note changed")
    elif text:
        index.annotations.add_note(target.session.key, written, target.turn, by=BY)
        target.say("Noted")
    else:
        notes = index.annotations.of(target.session.key, target.turn).notes
        for one in notes:
            show(note_text(one))
        if not notes:
            say("No notes.")


def note_text(one: UserNote) -> str:
    """A note with its id and time; further lines are indented."""
    first, *rest = one.text.splitlines()
    return "\n".join([f"{one.id[:SHOWN_ID]}  {short_time(one.created_at)}  {first}", *(f"    {line}" for line in rest)])
