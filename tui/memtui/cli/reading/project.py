"""`memtui project`: a project at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import open_index, project_named
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.origin.decisions import decision_object
from memtui.cli.output import Styled, fields_of, print_json, say, short_turn, show_styled, stdout_width
from memtui.cli.reading.files import file_object
from memtui.cli.reading.sessions import usage_object
from memtui.cli.reading.stats import cost_object

if TYPE_CHECKING:
    from memtui.views.sessions.project.cells import Cells
    from memtui.views.sessions.project.sections import SectionRow
    from memtui_core.index.index import Index
    from memtui_core.index.sessions import ProjectOverview
    from memtui_core.index.statistics import Prices
    from memtui_core.model import Project, Session
    from memtui_core.queries.compactions import CompactionRow

_WIDTH: Final = 120
"""Columns of the output if that is no terminal; more where a title needs them."""
_READ: Final = 50
"""Rows of each list that are read at least."""


@click.command()
@click.argument("name", required=False)
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1, 1000), help="Maximum rows of each list.")
@data_dir_option
@json_option
@reports_errors
def project(name: str | None, limit: int, data_dir: Path | None, as_json: bool) -> None:
    """Print what a project is and took, what is open there, and what was done last.

    NAME is the project's name, the beginning of it, or its folder; without it, the project of the current folder.
    """
    from memtui.system import clock
    from memtui_core.index.statistics import load_prices
    from memtui_core.system import locations

    index = open_index(data_dir)
    # Sessions of one title are printed as one row.
    overview = index.sessions.overview(_project(index, name), limit if as_json else max(limit, _READ), clock.now())
    prices = load_prices(locations.prices_file())
    if prices.problem:
        say(prices.problem)
    if as_json:
        print_json([overview_object(overview, prices, index)])
        return
    for line in _lines(index, overview, prices, limit, stdout_width()):
        show_styled(*line)


def _project(index: Index, name: str | None) -> Project:
    """The project that is meant. Raises click.BadParameter, and click.UsageError outside of any project."""
    from memtui_core.system import locations

    if name is not None:
        return project_named(index.snapshot, name, "NAME")
    current = index.sessions.project_at(locations.current_folder())
    here = next((one for one in index.sessions.projects() if current is not None and one.root == current.root), None)
    if here is None:
        raise click.UsageError("No session worked in this folder. Name a project: memtui project NAME")
    return here


def _lines(
    index: Index, overview: ProjectOverview, prices: Prices, limit: int, columns: int | None
) -> Iterator[Sequence[Styled]]:
    from memtui.system import clock
    from memtui.views.sessions.project.cells import laid_out, whole_width
    from memtui.views.sessions.project.facts import activity_lines, head_lines
    from memtui.views.sessions.project.sections import sections

    now, width = clock.now(), columns or _WIDTH
    yield [(overview.project.name, "strong")]
    for line in head_lines(overview, prices, now, width):
        yield [(line, "muted")]
    days, months = activity_lines(overview.activity, width)
    yield [(days, "added")]
    yield [(months, "muted")]
    listed = [(section.heading, _named(index, section.rows[:limit])) for section in sections(overview, prices)]
    if columns is None:
        width = max([width, *(_indent(rows) + whole_width([one for _, one in rows]) for _, rows in listed)])
    for heading, rows in listed:
        yield []
        yield heading
        indent = _indent(rows)
        lines = laid_out([one for _, one in rows], width - indent, now)
        for (name, _), (margin, *cells) in zip(rows, lines, strict=True):
            yield [margin, (f"{name:<{indent}}", "tool"), *cells]


def _named(index: Index, rows: Sequence[SectionRow]) -> list[tuple[str, Cells]]:
    """What each row says without its turn, and where it leads, as other commands take it; empty for a file."""
    from memtui.views.sessions.project.cells import turn_count
    from memtui.views.sessions.project.sections import place_of

    places = [place_of(row.link) for row in rows]
    ids = index.sessions.ids({place[0] for place in places if place is not None})
    named: list[tuple[str, Cells]] = []
    for row, place in zip(rows, places, strict=True):
        session, turn = place or (None, None)
        count = turn_count(turn) if turn is not None else ""
        counts = tuple(text for text in row.cells.counts if not count or text != count)
        name = short_turn(ids[session], turn) if session in ids else ""
        named.append((name, row.cells._replace(counts=counts)))
    return named


def _indent(rows: Sequence[tuple[str, Cells]]) -> int:
    """The cells of the longest name and the gap behind it; 0 if none has a name."""
    return max((len(name) + 2 for name, _ in rows if name), default=0)


def overview_object(overview: ProjectOverview, prices: Prices, index: Index) -> dict[str, Any]:
    """An overview as JSON; `totals` says how many rows each list has without the limit."""
    linked = {row.last.session for row in overview.pull_requests.rows}
    ids = index.sessions.ids(linked | {row.session for row in overview.compactions.rows})
    lists = ("open_ends", "recent", "decisions", "files", "pull_requests", "compactions")
    return {
        "project": overview.project.name,
        "root": overview.project.root,
        **fields_of(overview, "sessions", "subagents", "archived", "turns", "first", "last"),
        "agents": dict(overview.agents),
        "models": overview.models,
        "activity": [day for day in overview.activity if day.turns],
        "cost": cost_object(overview.models, prices),
        "active_seconds": None if overview.active is None else round(overview.active.total_seconds(), 3),
        "totals": {name: getattr(overview, name).total for name in lists},
        "ends_of": overview.ends_of,
        "open_ends": [
            {**_session(one.session), **fields_of(one.end, "kind", "turn", "line", "at", "quote")}
            for one in overview.open_ends.rows
        ],
        "recent": [
            {**_session(one), **_work(one), **usage_object(overview.usage[one.key], prices)}
            for one in overview.recent.rows
        ],
        "decisions": list(map(decision_object, overview.decisions.rows)),
        "files": [file_object(file) for file in overview.files.rows],
        "pull_requests": [
            {
                **fields_of(row, "number", "url", "repository"),
                "pr_title": row.story.title,
                "state": row.story.state,
                "session_id": ids.get(row.last.session),
                **fields_of(row.last, "turn", "title", "branch", "at"),
            }
            for row in overview.pull_requests.rows
        ],
        "compactions": [_compaction(row, ids) for row in overview.compactions.rows],
    }


def _session(session: Session) -> dict[str, Any]:
    return fields_of(session, "session_id", "agent", "title", "machine")


def _work(session: Session) -> dict[str, Any]:
    return fields_of(session, "branch", "models", "started_at", "ended_at", "turns", "tool_calls")


def _compaction(row: CompactionRow, ids: Mapping[int, str]) -> dict[str, Any]:
    """A compaction; `lost` is null if it was not reviewed."""
    facts = fields_of(row, "turn", "title", "at", "trigger", "tokens_before", "first_turn", "last_turn")
    lost = [fields_of(item, "kind", "text") for item in row.lost] if row.is_reviewed else None
    return {"session_id": ids.get(row.session), **facts, "lost": lost}
