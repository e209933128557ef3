"""`memtui show`: a session or some of its turns."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, json_option, no_thinking_option, no_tools_option, reports_errors
from memtui.cli.show_output import print_session


@click.command()
@click.argument("session", metavar="SESSION[:TURN[-TURN]]")
@no_tools_option
@no_thinking_option
@data_dir_option
@json_option
@reports_errors
def show(session: str, no_tools: bool, no_thinking: bool, data_dir: Path | None, as_json: bool) -> None:
    """Print a session, or one turn or a range of turns of it; the beginning of an id is enough.

    A terminal gets it in a pager, wrapped and in colours (unless NO_COLOR is set); a pipe or a file as plain text.
    """
    print_session(session, no_tools, no_thinking, data_dir, as_json)
