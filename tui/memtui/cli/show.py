"""`memtui show`: a session or some of its turns."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.show_output import print_session


@click.command()
@click.argument("session", metavar="SESSION[:TURN[-TURN]]")
@data_dir_option
@json_option
@reports_errors
def show(session: str, data_dir: Path | None, as_json: bool) -> None:
    """Print a session, or one turn or a range of turns of it; the beginning of an id is enough."""
    print_session(session, data_dir, as_json)
