"""`memtui why`: what led to a line of a file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.origin.lines_of_file import file_lines, line_object, turn_name
from memtui.cli.output import Styled, print_json, say, show_styled

if TYPE_CHECKING:
    from memtui_core.memory.blame.file_blame import BlamedLine, LineWriter
    from memtui_core.memory.blame.reasons import LineReason

_STYLES = {"+": "added", "-": "removed", "@": "muted"}


@click.command()
@click.argument("file", metavar="FILE:LINE")
@data_dir_option
@json_option
@reports_errors
def why(file: str, data_dir: Path | None, as_json: bool) -> None:
    """Print why a line is there: the request, what the agent thought before the edit, the edit, and what tests said.

    Only what is proved is printed, see memtui blame.
    """
    named = file_lines(file)
    if named.first is None or named.first != named.last:
        raise click.BadParameter("name one line: FILE:12.", param_hint="FILE")
    index = open_index(data_dir)
    [line] = named.of(index.files.blame(named.path))
    reason = index.files.why(line.writer) if line.writer is not None else None
    if as_json:
        print_json([line_object(line) | _reason_object(line, reason)])
        return
    show_styled((f"{named.path}:{line.number}", "strong"), (f"  {line.text.strip()}", ""))
    if line.writer is None or reason is None:
        say("Nothing proves who wrote this line.")
        return
    for text in (_head(line.writer), *_body(reason)):
        show_styled(*text)


def _head(writer: LineWriter) -> list[Styled]:
    from memtui.wording.formatting import age, agent_full_name

    facts = (agent_full_name(writer.agent), age(writer.at, datetime.now(UTC)), writer.title)
    return [(turn_name(writer), "tool"), ("".join(f" · {fact}" for fact in facts if fact), "muted")]


def _body(reason: LineReason) -> Iterator[list[Styled]]:
    yield from _part("Request", reason.request)
    yield from _part("Before the edit", reason.reasoning)
    diff = _diff(reason)
    if diff:
        yield from _heading("Edit")
        for text in diff.splitlines():
            yield [(f"  {text}", _STYLES.get(text[:1], "") if not text.startswith(("---", "+++")) else "muted")]
    if reason.checks:
        yield from _heading("Checks after it")
    for check in reason.checks:
        line = f" · {check.outcome_line}" if check.outcome_line else ""
        yield [
            (f"  {check.outcome}", "error" if check.outcome == "failed" else "strong"),
            (f"  {check.command}{line}", ""),
        ]


def _heading(text: str) -> Iterator[list[Styled]]:
    yield []
    yield [(text, "heading")]


def _part(title: str, text: str) -> Iterator[list[Styled]]:
    if text.strip():
        yield from _heading(title)
        yield from ([(f"  {line}".rstrip(), "")] for line in text.strip().splitlines())


def _diff(reason: LineReason) -> str:
    from memtui_core.queries.file_history import patch_text

    return patch_text(reason.path, reason.hunks)


def _reason_object(line: BlamedLine, reason: LineReason | None) -> dict[str, Any]:
    """What led to a line as JSON; nulls if nothing is proved."""
    checks = [
        {"command": check.command, "outcome": check.outcome, "line": check.outcome_line, "turn": check.turn.number}
        for check in (reason.checks if reason is not None else ())
    ]
    return {
        "agent": line.writer.agent if line.writer is not None else None,
        "title": line.writer.title if line.writer is not None else None,
        "request": reason.request if reason is not None else None,
        "reasoning": reason.reasoning if reason is not None else None,
        "diff": _diff(reason) if reason is not None else None,
        "checks": checks,
    }
