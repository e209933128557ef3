"""`memtui export`: sessions as documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, no_thinking_option, no_tools_option, reports_errors
from memtui.cli.output import show
from memtui.cli.output import write as print_text
from memtui.cli.turn_range import session_and_turns

if TYPE_CHECKING:
    from memtui_core.export import Format

_BY_SUFFIX: dict[str, Format] = {".md": "markdown", ".html": "html", ".htm": "html", ".json": "json"}


@click.command()
@click.argument("session", metavar="SESSION[:TURN[-TURN]]")
@click.option(
    "--format",
    "as_format",
    type=click.Choice(["markdown", "html", "json"]),
    help="The format (default: by the suffix of --output, otherwise markdown).",
)
@click.option("--output", metavar="PATH", help="A new file, or a folder; - is stdout (default: a file in this folder).")
@no_tools_option
@no_thinking_option
@data_dir_option
@reports_errors
def export(
    session: str, as_format: Format | None, output: str | None, no_tools: bool, no_thinking: bool, data_dir: Path | None
) -> None:
    """Write a session, or some of its turns, to a new file and print its path; no file is overwritten."""
    selected, turns = session_and_turns(open_index(data_dir), session)
    from memtui_core.export import file_name, render, write

    path = Path(output or ".")
    as_format = as_format or _BY_SUFFIX.get(path.suffix.lower(), "markdown")
    text = render(selected, turns, as_format, thinking=not no_thinking, tools=not no_tools)
    if output == "-":
        print_text(text)
        return
    if path.is_dir():
        path /= file_name(selected, turns, as_format)
    show(str(write(path, text)))
