"""`memtui export`: sessions as documents."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.opened import open_with_team
from memtui.cli.options import data_dir_option, no_thinking_option, no_tools_option, reports_errors
from memtui.cli.output import show, write
from memtui.cli.reading.turn_range import session_and_turns
from memtui_core.export.formats import FORMATS, file_name, format_named, format_of
from memtui_core.export.formats import write as write_file


@click.command()
@click.argument("session", metavar="SESSION[:TURN[-TURN]]")
@click.option(
    "--format",
    "format_name",
    type=click.Choice([each.name for each in FORMATS]),
    help=f"The format (default: by the suffix of --output, otherwise {FORMATS[0].name}).",
)
@click.option("--output", metavar="PATH", help="A new file, or a folder; - is stdout (default: a file in this folder).")
@no_tools_option
@no_thinking_option
@data_dir_option
@reports_errors
def export(
    session: str, format_name: str | None, output: str | None, no_tools: bool, no_thinking: bool, data_dir: Path | None
) -> None:
    """Write a session, or some of its turns, to a new file and print its path; no file is overwritten."""
    selected, turns = session_and_turns(open_with_team(data_dir), session)
    path = Path(output or ".")
    as_format = format_named(format_name) if format_name else format_of(path)
    text = as_format.document(selected, turns, thinking=not no_thinking, tools=not no_tools)
    if output == "-":
        write(text)
        return
    if path.is_dir():
        path /= file_name(selected, turns, as_format)
    show(str(write_file(path, text)))
