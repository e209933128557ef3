"""`memtui search`: turns by words, meaning and file paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.mistyped import QueryCommand
from memtui.cli.opened import load_model, open_index, team_of
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import fields_of, matches_in, print_json, say, short_time, show_styled
from memtui.cli.shell.line_format import ID, LineFormat, format_option, print_lines

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.model import Hit, SearchResult

_REFERENCES = 10
"""Other hits of a group that are named."""
_ADDED = 160
"""Cells of tags and notes below a hit."""

FIELDS: Final = (
    *("session_id", "agent", "member", "machine", "project", "title", "agent_title", "turn", "line", "role"),
    *("started_at", "snippet", "why", "passages", "score", "path", "pinned", "archived", "tags", "notes"),
)
"""The fields of a hit as JSON."""


@click.command(cls=QueryCommand, context_settings={"ignore_unknown_options": True})
@click.argument("query", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Maximum sessions, each with its best hit; with --json or --format, maximum hits.",
)
@click.option("--team", "with_team", is_flag=True, help="Search what colleagues share, too.")
@format_option(FIELDS)
@data_dir_option
@json_option
@reports_errors
def search(
    query: tuple[str, ...],
    limit: int,
    with_team: bool,
    line_format: LineFormat | None,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    """Find turns by words, "exact phrases", meaning and file paths."""
    from memtui_core.index.vectors import WORDS_AND_PATHS, uses_vectors
    from memtui_core.system import locations

    if line_format is not None and as_json:
        raise click.UsageError("--format and --json exclude each other.")
    index = open_index(data_dir)
    text = " ".join(query)
    if uses_vectors(text):
        load_model(index)
    folder = locations.current_folder()
    run = _team_search(index) if with_team else index.search
    result = run(text, limit, live=True, grouped=not (as_json or line_format), current_folder=folder)
    if as_json:
        print_json([hit_object(hit) for hit in result.hits])
    elif line_format is not None:
        print_lines(line_format, ({**hit_object(hit), ID: f"{hit.session_id}:{hit.turn}"} for hit in result.hits))
    else:
        _print_hits(result.hits)
    if result.note:
        say(result.note)
    if gap := index.vectors.gap(text):
        say(f"{gap.message(WORDS_AND_PATHS)}.")
    if not result.hits:
        say("Nothing matched.")


def _team_search(index: Index) -> Callable[..., SearchResult]:
    """The search of the team. Raises MemtuiError if none was joined."""
    from memtui_core.errors import MemtuiError

    team = team_of(index)
    if team is None:
        raise MemtuiError("No team was joined. Join one first: memtui team join URL")
    return team.search


def _print_hits(hits: Sequence[Hit]) -> None:
    """Print the best hit of each session, and the turns of its other hits."""
    from memtui.wording.annotated import added_text, signs
    from memtui.wording.owner import owner
    from memtui_core.readers.registry import short_name
    from memtui_core.search.hits import group_hits

    shows_agent = len({hit.agent for hit in hits}) > 1
    for group in group_hits(hits):
        hit = group.best
        agent = short_name(hit.agent) if shows_agent else ""
        facts = filter(None, (hit.project, owner(hit), agent, short_time(hit.started_at)))
        mark = ((signs(hit), "you"),) if hit.pinned or hit.archived else ()
        title = ((hit.title, "strong"), (" · ", "muted")) if hit.title else ()
        show_styled((f"{hit.session_id}:{hit.turn}  ", "muted"), *mark, *title, (" · ".join(facts), "muted"))
        show_styled(("    ", ""), *matches_in(hit.snippet, hit.spans))
        if hit.notable:
            show_styled((f"    {' · '.join(hit.notable)}", "muted"))
        if added := added_text(hit, _ADDED):
            show_styled((f"    {added}", "you"))
        if group.others:
            show_styled((f"    {_others(group.others, hit)}", "muted"))


def hit_object(hit: Hit) -> dict[str, Any]:
    """A hit as JSON."""
    session = ("session_id", "agent", "member", "machine", "project", "title", "agent_title")
    turn = ("turn", "line", "role", "started_at", "snippet", "why")
    return {
        **fields_of(hit, *session, *turn),
        "passages": [fields_of(passage, "block", "first", "last", "source") for passage in hit.passages],
        "score": round(hit.score, 6),
        "path": hit.path,
        **fields_of(hit, "pinned", "archived", "tags", "notes"),
    }


def _others(others: Sequence[Hit], best: Hit) -> str:
    """How many other hits a group has, and the turns of the best ones."""
    references = [_reference(other, best) for other in others[:_REFERENCES]]
    return f"+{len(others)} more: {' '.join(references)}{' …' if len(others) > _REFERENCES else ''}"


def _reference(hit: Hit, best: Hit) -> str:
    """The session and turn of another hit of a group; only the turn if the session is that of the best hit."""
    return f":{hit.turn}" if hit.session_id == best.session_id else f"{hit.session_id}:{hit.turn}"
