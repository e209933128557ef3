"""`memtui blame`: the turn that wrote each line of a file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.origin.lines_of_file import file_lines, line_object, say_elsewhere, turn_name
from memtui.cli.output import print_json, say, show_styled

if TYPE_CHECKING:
    from memtui_core.memory.blame.values import BlamedLine


@click.command()
@click.argument("file", metavar="FILE[:LINE[-LINE]]")
@data_dir_option
@json_option
@reports_errors
def blame(file: str, data_dir: Path | None, as_json: bool) -> None:
    """Print a file with the turn that wrote each line, as far as the edits of sessions prove it.

    A line is claimed for a turn that wrote it: the new text of one of its edits has the line, and no later edit took it
    out; or that committed it: git names a commit of the turn for the line, or one that did what an edit of it did. All
    others are unknown: what you typed, and what is older than the first edit. Time is never a proof.
    """
    named = file_lines(file)
    index = open_index(data_dir)
    blamed = index.files.blame(named.path)
    lines = named.of(blamed)
    if as_json:
        print_json([line_object(line) for line in lines])
        return
    _print(lines)
    claimed = sum(line.writer is not None for line in lines)
    say(f"{claimed} of {len(lines)} lines are claimed.{'' if claimed == len(lines) else ' Nothing proves the others.'}")
    say_elsewhere(index, named.path, blamed)


def _print(lines: list[BlamedLine]) -> None:
    """Print lines with their turns; of lines in a row from the same turn only the first names it."""
    gutters = [_gutter(line, datetime.now(UTC)) for line in lines]
    widths = [max(map(len, column)) for column in zip(*gutters, strict=True)]
    digits = len(str(lines[-1].number)) if lines else 0
    before: tuple[str, str, str] | None = None
    for line, gutter in zip(lines, gutters, strict=True):
        turn, age, agent = gutter if gutter != before else ("", "", "")
        before = gutter
        show_styled(
            (f"{turn:<{widths[0]}}  ", "tool"),
            (f"{age:>{widths[1]}}  {agent:<{widths[2]}}  {line.number:>{digits}}  ", "muted"),
            (line.text, ""),
        )


def _gutter(line: BlamedLine, now: datetime) -> tuple[str, str, str]:
    from memtui.wording.formatting import age, agent_name

    writer = line.writer
    if writer is None:
        return "", "", "unknown"
    committed = ", committed" if line.evidence == "committed" else ""
    return turn_name(writer), age(writer.at, now), f"{agent_name(writer.agent)}{committed}"
