"""`memtui friction`: what costs sessions time again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from memtui.cli.opened import open_index, project_named
from memtui.cli.options import data_dir_option, json_option, reports_errors, time_option
from memtui.cli.output import Styled, fields_of, print_json, say, short_session, short_turn, show_styled

if TYPE_CHECKING:
    from memtui_core.index.recall import Friction

_TITLES: Final = {
    "error": "Errors that come back",
    "command": "Commands that fail at first",
    "file": "Files edited again and again after failures",
    "denied": "Always rejected",
}
_MOST_SESSIONS: Final = 3
"""Sessions that are named in a row."""


@click.command()
@click.option(
    "--project", "name", metavar="NAME", help="Only this project: its name, the beginning of it, or its folder."
)
@click.option("--since", metavar="TIME", callback=time_option, help="Only what happened from then on: 30d, 2026-11-20.")
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1, 1000), help="Maximum rows of each list.")
@data_dir_option
@json_option
@reports_errors
def friction(name: str | None, since: datetime | None, limit: int, data_dir: Path | None, as_json: bool) -> None:
    """Print what costs the sessions of each project time again and again.

    Errors in at least 2 sessions or 3 times; commands whose first run failed in most sessions; files that a session
    edited at least 3 times after a failure since the edit before; tools and commands that were rejected each time.
    Where it follows what to do, a line for CLAUDE.md or AGENTS.md is printed.
    """
    index = open_index(data_dir)
    project = project_named(index.snapshot, name) if name is not None else None
    found = index.recall.friction(project.root if project is not None else None, since)
    rows = [row for _, own in groupby(found, lambda one: (one.root, one.kind)) for row in list(own)[:limit]]
    if as_json:
        print_json([fields_of(row, *_FIELDS) | {"sessions": list(row.sessions)} for row in rows])
        return
    for line in _lines(rows):
        show_styled(*line)
    if not rows:
        say("Nothing came back often enough.")


_FIELDS: Final = ("kind", "project", "root", "name", "text", "times", "turn", "of_sessions", "advice")


def _lines(rows: Sequence[Friction]) -> Iterator[list[Styled]]:
    from memtui_core.text.controls import one_line

    is_first = True
    for (root, project), of_project in groupby(rows, lambda row: (row.root, row.project)):
        if not is_first:
            yield []
        is_first = False
        yield [(project or "without a project", "strong"), (f"  {one_line(root)}", "muted")]
        for kind, own in groupby(of_project, lambda row: row.kind):
            yield [(f"  {_TITLES[kind]}", "heading")]
            for row in own:
                yield from _row(row)


def _row(row: Friction) -> Iterator[list[Styled]]:
    from memtui.wording.formatting import plural
    from memtui_core.text.controls import one_line

    name = one_line(row.name.removeprefix(f"{row.root}/"))
    what = one_line(row.text) if row.kind == "error" else name
    yield [(f"    {_count(row):>12}  ", "muted"), (what, "")]
    facts = [name] if row.kind == "error" else [one_line(row.text)] if row.text else []
    more = len(row.sessions) - _MOST_SESSIONS
    places = [short_turn(row.sessions[0], row.turn), *map(short_session, row.sessions[1:_MOST_SESSIONS])]
    cited = ", ".join(places) + (f" and {plural(more, 'more session')}" if more > 0 else "")
    yield [(f"{'':18}{cited}", "tool"), ("".join(f" · {fact}" for fact in facts), "muted")]
    if row.advice:
        yield [(f"{'':18}{one_line(row.advice)}", "added")]


def _count(row: Friction) -> str:
    from memtui.wording.formatting import plural

    return f"{row.times} of {row.of_sessions}" if row.kind == "command" else plural(row.times, "time")
