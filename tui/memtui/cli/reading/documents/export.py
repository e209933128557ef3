"""`memtui export`: sessions as documents, or everything as files that can be read without memtui."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.opened import open_index, open_with_team
from memtui.cli.options import data_dir_option, no_thinking_option, no_tools_option, reports_errors
from memtui.cli.output import percent_reporter, say, show, write
from memtui.cli.reading.turn_range import session_and_turns
from memtui_core.export.contents import Contents
from memtui_core.export.formats import FORMATS, file_name, format_named, format_of
from memtui_core.export.formats import write as write_file


@click.command()
@click.argument("session", metavar="[SESSION[:TURN[-TURN]]]", required=False)
@click.option(
    "--all",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write everything that memtui keeps into a new folder, which memtui import reads.",
)
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
    session: str | None,
    folder: Path | None,
    format_name: str | None,
    output: str | None,
    no_tools: bool,
    no_thinking: bool,
    data_dir: Path | None,
) -> None:
    """Write a session, or some of its turns, to a new file and print its path; no file is overwritten.

    With --all, everything is written as JSON lines and transcripts into a new folder, which can be read without memtui.
    """
    if folder is not None:
        if session or format_name or output or no_tools or no_thinking:
            raise click.UsageError("--all writes everything; leave out the other arguments.")
        _export_all(folder, data_dir)
        return
    if session is None:
        raise click.UsageError("Give a session, or --all with a folder.")
    selected, turns = session_and_turns(open_with_team(data_dir), session)
    path = Path(output or ".")
    as_format = format_named(format_name) if format_name else format_of(path)
    text = as_format.document(selected, turns, Contents(thinking=not no_thinking, tools=not no_tools))
    if output == "-":
        write(text)
        return
    if path.is_dir():
        path /= file_name(selected, turns, as_format)
    show(str(write_file(path, text)))


def _export_all(folder: Path, data_dir: Path | None) -> None:
    from importlib.metadata import version

    from memtui.wording.formatting import plural, size
    from memtui_core.export.everything import export_all

    index = open_index(data_dir)
    with percent_reporter("Writing") as report:
        counts = export_all(index.snapshot, index.data, folder.absolute(), version("memtui"), report)
    say(
        f"{plural(counts.sessions, 'session')} with {plural(counts.turns, 'turn')} and"
        f" {plural(counts.transcripts, 'transcript')} written, {size(counts.bytes)}."
    )
    if counts.damaged:
        say(f"{plural(counts.damaged, 'archived transcript')} could not be read: memtui doctor")
    show(str(folder))
