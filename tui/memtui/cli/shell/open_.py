"""`memtui open`: the app at a turn, as a link names it."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import unquote

import click

from memtui.cli.options import data_dir_option, reports_errors

LINK: Final = "memtui://"
"""Begins a link to a session or a turn."""


@click.command(name="open")
@click.argument("session", metavar="[memtui://]SESSION[:TURN]")
@data_dir_option
@reports_errors
def open_(session: str, data_dir: Path | None) -> None:
    """Open the app at a session or a turn: memtui://SESSION:TURN, or as Y copies it.

    The beginning of an id is enough.
    """
    from memtui.cli.launch import start_app
    from memtui.cli.opened import open_index
    from memtui.cli.reading.turn_range import bad_turns, named_turns
    from memtui.widgets.requests.target import AppStart, Target

    named = named_turns(unquote(session.removeprefix(LINK).rstrip("/")) if session.startswith(LINK) else session)
    index = open_index(data_dir)
    found = index.sessions.with_turns(named.session)
    if named.first is not None and index.sessions.turn(found.key, named.first) is None:
        raise bad_turns(f"{named.session} has {found.turns} turns.")
    index.close()
    start_app(data_dir, AppStart(target=Target(found.key, named.first, title=found.title)))
