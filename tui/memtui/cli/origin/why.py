"""`memtui why`: what led to a line of a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.origin.lines_of_file import file_lines, line_object, say_elsewhere, turn_name
from memtui.cli.output import Styled, print_json, say, show_styled

if TYPE_CHECKING:
    from memtui_core.memory.blame.values import BlamedLine, LineReason, LineWriter

_STYLES: Final = {"+": "added", "-": "removed", "@": "muted"}
_SHORT: Final = 10
"""Characters of the id of a commit that are printed."""
_FILES: Final = ("---", "+++")
"""How the lines that name a file begin."""
_MOST_LINES: Final = 15
"""Lines of a text that are printed."""


@click.command()
@click.argument("file", metavar="FILE:LINE")
@data_dir_option
@json_option
@reports_errors
def why(file: str, data_dir: Path | None, as_json: bool) -> None:
    """Print why a line is there: the request, what the agent said or thought before it, the edit, and what tests said.

    Only what is proved is printed, see memtui blame.
    """
    named = file_lines(file)
    if named.first is None or named.first != named.last:
        raise click.BadParameter("name one line: FILE:12.", param_hint="FILE")
    index = open_index(data_dir)
    blamed = index.files.blame(named.path)
    [line] = named.of(blamed)
    reason = index.files.why(line.writer) if line.writer is not None else None
    if as_json:
        print_json([line_object(line) | _reason_object(named.path, line, reason)])
        return
    show_styled((f"{named.path}:{line.number}", "strong"), (f"  {line.text.strip()}", ""))
    if line.writer is None or reason is None:
        from memtui.render.origin import WHAT_IS_UNKNOWN

        say(f"Nothing proves who wrote this line. {WHAT_IS_UNKNOWN}")
        say_elsewhere(index, named.path, blamed)
        return
    for text in (_head(line, line.writer), *_body(named.path, line, line.writer, reason)):
        show_styled(*text)


def _head(line: BlamedLine, writer: LineWriter) -> list[Styled]:
    from memtui.wording.formatting import age, agent_full_name

    commit = f"in commit {line.commit[:_SHORT]}" if line.commit else ""
    facts = (commit, agent_full_name(writer.agent), age(writer.at, datetime.now(UTC)), writer.title)
    return [(turn_name(writer), "tool"), ("".join(f" · {fact}" for fact in facts if fact), "muted")]


def _body(path: Path, line: BlamedLine, writer: LineWriter, reason: LineReason) -> Iterator[list[Styled]]:
    from memtui.render.tools.line_reason import lines_around

    yield from _part("Request", reason.request, turn_name(replace(writer, turn=reason.request_turn)))
    yield from _part("Before the edit", reason.reasoning, turn_name(writer))
    if diff := _diff(path, reason):
        yield from _heading("Edit")
        yield from (
            [(f"  {text}", _STYLES.get(text[:1], "") if not text.startswith(_FILES) else "muted")]
            for text in lines_around(diff.splitlines(), line.text)
        )
    if reason.checks:
        yield from _heading("Checks after it")
    for check in reason.checks:
        outcome = f" · {check.outcome_line}" if check.outcome_line else ""
        yield [
            (f"  {check.outcome}", "error" if check.outcome == "failed" else "strong"),
            (f"  {check.command}{outcome}", ""),
        ]


def _heading(text: str) -> Iterator[list[Styled]]:
    yield []
    yield [(text, "heading")]


def _part(title: str, text: str, turn: str) -> Iterator[list[Styled]]:
    """A text under its title; of a long one the beginning, and the command that prints the rest."""
    lines = text.strip().splitlines()
    if not lines:
        return
    yield from _heading(title)
    yield from ([(f"  {line}".rstrip(), "")] for line in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield [(f"  … {len(lines) - _MOST_LINES} more lines: memtui show {turn}", "muted")]


def _diff(path: Path, reason: LineReason) -> str:
    from memtui_core.queries.file_history import patch_text

    return patch_text(path.as_posix(), reason.hunks)


def _reason_object(path: Path, line: BlamedLine, reason: LineReason | None) -> dict[str, Any]:
    """What led to a line as JSON; nulls if nothing is proved."""
    checks = [
        {"command": check.command, "outcome": check.outcome, "line": check.outcome_line, "turn": check.turn.number}
        for check in (reason.checks if reason is not None else ())
    ]
    return {
        "commit": line.commit or None,
        "agent": line.writer.agent if line.writer is not None else None,
        "title": line.writer.title if line.writer is not None else None,
        "request": reason.request if reason is not None else None,
        "request_turn": reason.request_turn if reason is not None else None,
        "reasoning": reason.reasoning if reason is not None else None,
        "diff": _diff(path, reason) if reason is not None else None,
        "checks": checks,
    }
