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

    The beginning of an id is enough. The exit code is 1 if there is no such session or turn.
    """
    from memtui.cli.launch import start_app
    from memtui.cli.opened import open_index
    from memtui.widgets.requests.target import AppStart, Target
    from memtui_core.errors import MemtuiError
    from memtui_core.text.turn_range import parse_turn_range

    name = unquote(session.removeprefix(LINK).rstrip("/")) if session.startswith(LINK) else session
    try:
        named = parse_turn_range(name)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="SESSION") from error
    index = open_index(data_dir)
    found = index.sessions.find(named.session)
    if named.first is not None and index.sessions.turn(found.key, named.first) is None:
        raise MemtuiError(f"{named.session} has {found.turns} turns.")
    index.close()
    start_app(data_dir, AppStart(target=Target(found.key, named.first, title=found.title)))
