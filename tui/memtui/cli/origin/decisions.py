"""`memtui decisions`: what the user decided, quoted, with its turn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.opened import open_index, project_named
from memtui.cli.options import data_dir_option, json_option, reports_errors, time_option
from memtui.cli.output import fields_of, print_json, say, short_turn, show_styled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memtui_core.index.sessions import LaterDecision, MadeDecision


@click.command()
@click.argument("query", required=False, default="")
@click.option(
    "--project", "name", metavar="NAME", help="Only this project: its name, the beginning of it, or its folder."
)
@click.option(
    "--since", metavar="TIME", callback=time_option, help="Only those made from then on: 3d, yesterday, 2026-11-20."
)
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Maximum decisions.")
@data_dir_option
@json_option
@reports_errors
def decisions(
    query: str, name: str | None, since: datetime | None, limit: int, data_dir: Path | None, as_json: bool
) -> None:
    """List what you have decided, newest first: in prompts, answers, refused calls, and plans.

    With QUERY, only what contains all of its words.
    """
    index = open_index(data_dir)
    project = project_named(index.snapshot, name) if name is not None else None
    found = index.sessions.decisions(project, query, since)
    if as_json:
        print_json(list(map(decision_object, found[:limit])))
        return
    _show(found[:limit])
    if not found:
        say("No decisions found.")
    elif len(found) > limit:
        say(f"{len(found) - limit} more: --limit {len(found)} lists all.")


def _show(found: Sequence[MadeDecision]) -> None:
    """Print each below its project, with its age and turn, and what belongs to it on a second line."""
    from memtui.system import clock
    from memtui.views.sessions.project.decisions import decision_mark, decision_note, quoted
    from memtui.wording.formatting import age

    now = clock.now()
    turns = list(map(_turn_name, found))
    width = max(map(len, turns), default=0)
    for project in dict.fromkeys(one.project for one in found):
        show_styled((project, "heading"))
        for one, turn in zip(found, turns, strict=True):
            if one.project != project:
                continue
            head = f"{age(one.at, now):>7}  "
            show_styled(
                (head, "muted"),
                (f"{turn:<{width}}  ", "tool"),
                (decision_mark(one), "removed" if one.excludes else "added"),
                (quoted(one), ""),
            )
            if note := decision_note(one, _turn_name(one.later) if one.later is not None else ""):
                show_styled((" " * (len(head) + width + 4) + note, "muted"))


def _turn_name(one: MadeDecision | LaterDecision) -> str:
    """The turn as other commands take it: `1a2b3c4d:12`."""
    return short_turn(one.session_id, one.turn)


def decision_object(one: MadeDecision) -> dict[str, Any]:
    """A decision as JSON."""
    names = ("session_id", "agent", "project", "title", "turn", "at", "way", "excludes", "quote", "about", "others")
    later = fields_of(one.later, "session_id", "turn", "quote") if one.later is not None else None
    return {**fields_of(one, *names), "later": later}
