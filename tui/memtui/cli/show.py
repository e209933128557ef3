"""`memtui show`: a session or some of its turns."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, json_option, open_index, reports_errors
from memtui.cli.output import print_json, show_paged
from memtui.cli.turn_range import session_and_turns


@click.command()
@click.argument("session", metavar="SESSION[:TURN[-TURN]]")
@data_dir_option
@json_option
@reports_errors
def show(session: str, data_dir: Path | None, as_json: bool) -> None:
    """Print a session, or one turn or a range of turns of it; the beginning of an id is enough."""
    selected, turns = session_and_turns(open_index(data_dir), session)
    if as_json:
        from memtui_core.export.as_json import turn_object

        print_json([turn_object(selected, turn, turn.blocks) for turn in turns])
        return
    from memtui.cli.session_text import session_text

    show_paged(session_text(selected, turns))
