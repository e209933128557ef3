"""`memtui fix`: how the same error was mended earlier."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import Styled, fields_of, print_json, say, show, show_styled

if TYPE_CHECKING:
    from datetime import datetime

    from memtui_core.index.recall import KnownError, MendingChange

_STYLES: Final = {"+": "added", "-": "removed", "…": "muted"}
_MOST_LINES: Final = 12
"""Lines of a change that are printed."""


@click.command()
@click.argument("error", nargs=-1)
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1, 100), help="Maximum cases.")
@data_dir_option
@json_option
@reports_errors
def fix(error: tuple[str, ...], limit: int, data_dir: Path | None, as_json: bool) -> None:
    """Print the earlier cases of an error, with what was changed until the same command passed.

    ERROR is the error or all of the output; with - or nothing it is read from standard input. Numbers, folders and ids
    in it do not matter. Cases of the project of this folder come first. Without a case of the same error, those of
    similar errors are printed.
    """
    from memtui.system import clock
    from memtui_core.system import locations

    output = " ".join(error) if error and error != ("-",) else _standard_input()
    if not output.strip():
        raise click.UsageError("Give an error, or the output of a command on standard input.")
    index = open_index(data_dir)
    project = index.sessions.project_at(locations.current_folder())
    errors = index.recall.fixes(output, project.root if project is not None else None, limit)
    if as_json:
        print_json([known_error_object(one) for one in errors])
    else:
        for number, one in enumerate(errors):
            if number:
                show()
            for line in _lines(one, clock.now()):
                show_styled(*line)
    if not errors:
        say("This error did not come up in any session, nor a similar one.")


def _standard_input() -> str:
    return "" if sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace")


def _lines(error: KnownError, now: datetime) -> Iterator[list[Styled]]:
    from memtui.render.known_error import facts, reference, verdict

    yield [(error.text, "strong")]
    yield [(reference(error, error.turn), "tool"), ("".join(f" · {fact}" for fact in facts(error, now)), "muted")]
    yield [(verdict(error), "")]
    if error.mended is not None:
        yield from _diff(error, error.mended)


def _diff(error: KnownError, change: MendingChange) -> Iterator[list[Styled]]:
    """The lines that an edit changed; of a long one the beginning, and the command that prints the rest."""
    from memtui.render.known_error import changed_lines, reference

    lines = changed_lines(change)
    yield from ([(f"  {line}", _STYLES.get(line[:1], ""))] for line in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield [(f"  … {len(lines) - _MOST_LINES} more lines: memtui show {reference(error, change.turn)}", "muted")]


def known_error_object(error: KnownError) -> dict[str, Any]:
    """A case of an error as JSON."""
    from memtui_core.index.files import patch_text

    mended = error.mended
    return {
        "session_id": error.session.session_id,
        "agent": error.session.agent,
        "title": error.session.title,
        **fields_of(error.session, "project", "root"),
        **fields_of(error, "turn", "at", "times", "command"),
        "error": error.text,
        "same": error.is_same,
        "end": error.end,
        "mended_turn": mended.turn if mended is not None else None,
        "mended_by": (mended.path or mended.command) if mended is not None else None,
        "diff": patch_text(mended.path, mended.hunks) if mended is not None and mended.hunks else None,
        "files": list(dict.fromkeys(change.path for change in error.changes.made if change.path)),
        "passed_turn": error.passed_turn,
        "passed_as": error.changes.run_as or None,
    }
