"""`memtui sessions`: the sessions with their state, what they cost and how long they took."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import open_index, project_named
from memtui.cli.options import agent_option, data_dir_option, json_option, reports_errors, time_option
from memtui.cli.output import fields_of, print_json, print_table, say
from memtui.cli.shell.line_format import ID, LineFormat, format_option, print_lines

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.index.statistics import Prices, SessionUsage
    from memtui_core.model import Session
    from memtui_core.readers.base import Reader

_ID: Final = 8
"""Characters of an id in the table, unless two in it begin alike."""

FIELDS: Final = (
    *("session_id", "agent", "machine", "project", "root", "title", "agent_title", "branch", "worktree", "models"),
    *("started_at", "ended_at", "state", "end", "turns", "tool_calls", "compactions", "subagents", "input_tokens"),
    *("output_tokens", "cache_read_tokens", "cache_write_tokens", "dollars", "cost_note", "prices_as_of"),
    *("wall_seconds", "active_seconds", "files", "gone", "only_prompts", "forked_from", "pinned", "tags"),
)
"""The fields of a session as JSON."""


@click.command()
@click.option(
    "--project", "name", metavar="NAME", help="Only this project: its name, the beginning of it, or its folder."
)
@click.option("--agent", callback=agent_option, help="Only this agent.")
@click.option(
    "--since",
    metavar="TIME",
    callback=time_option,
    help="Only those that wrote from then on: 3d, yesterday, 2026-11-20.",
)
@click.option("--state", type=click.Choice(("running", "waiting", "failed")), help="Only those at this state.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 100_000), help="Maximum sessions.")
@format_option(FIELDS)
@data_dir_option
@json_option
@reports_errors
def sessions(
    name: str | None,
    agent: Reader | None,
    since: datetime | None,
    state: str | None,
    limit: int,
    line_format: LineFormat | None,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    """List sessions, the last used first: state, turns, tokens, cost and time.

    A session runs if its agent wrote less than 5 minutes ago and has something left to do; it waits if the agent asked
    something less than 3 days ago; it failed if an error ended it. Tokens and costs are those of its subagents, too.
    """
    if line_format is not None and as_json:
        raise click.UsageError("--format and --json exclude each other.")
    now = datetime.now(UTC)
    index = open_index(data_dir)
    project = project_named(index.snapshot, name) if name is not None else None
    found = index.sessions.all(project)
    if agent is not None:
        found = [session for session in found if session.agent == agent.agent]
    if since is not None:
        found = [session for session in found if session.ended_at is not None and session.ended_at >= since]
    if state is not None:
        at_state = {key for key, end in index.sessions.unfinished(now).items() if end.state(now) == state}
        found = [session for session in found if session.key in at_state]
    listed = _newest(found, limit)
    if as_json:
        print_json(list(_objects(index, listed, now)))
    elif line_format is not None and listed:
        print_lines(line_format, ({**row, ID: row["session_id"]} for row in _objects(index, listed, now)))
    elif listed:
        _print(index, listed, now, len(found) - len(listed))
    else:
        say("There are no such sessions.")


def _newest(found: Collection[Session], limit: int) -> list[Session]:
    """The sessions that wrote last, the last one first; `Sessions.all` has the pinned ones first."""
    start = datetime.min.replace(tzinfo=UTC)
    return sorted(found, key=lambda session: session.ended_at or start, reverse=True)[:limit]


def _prices() -> Prices:
    from memtui_core.queries.statistics.prices import load_prices
    from memtui_core.system import locations

    return load_prices(locations.prices_file())


def _objects(index: Index, listed: Sequence[Session], now: datetime) -> Iterator[dict[str, Any]]:
    keys, prices = [session.key for session in listed], _prices()
    if prices.problem:
        say(prices.problem)
    usages, ends = index.statistics.of_sessions(keys), index.sessions.ends(keys)
    transcripts = index.sessions.transcripts(keys)
    for session in listed:
        end = ends.get(session.key)
        names = ("session_id", "agent", "machine", "project", "root", "title", "agent_title", "branch", "worktree")
        yield {
            **fields_of(session, *names, "models", "started_at", "ended_at"),
            "state": "ended" if end is None else end.state(now),
            "end": None if end is None else fields_of(end, "kind", "turn", "line", "quote"),
            **fields_of(session, "turns", "tool_calls", "compactions"),
            **usage_object(usages[session.key], prices),
            "files": transcripts.get(session.key, ()),
            **fields_of(session, "gone", "only_prompts", "forked_from", "pinned", "tags"),
        }


def usage_object(usage: SessionUsage, prices: Prices) -> dict[str, Any]:
    """What a session used, as JSON.

    `dollars` is null if the cost is unknown; `cost_note` says why it is, or what is left out.
    """
    from memtui.wording.usage_text import cost_facts

    cost = usage.cost(prices)
    note = prices.problem or "; ".join(cost_facts(cost)[1:]) or ("no models" if cost.dollars is None else "")
    return {
        **fields_of(usage, "subagents", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
        "dollars": None if cost.dollars is None else round(cost.dollars, 6),
        "cost_note": note or None,
        "prices_as_of": cost.days[0] if cost.days else None,
        "wall_seconds": None if usage.wall is None else usage.wall.total_seconds(),
        "active_seconds": None if usage.active is None else usage.active.total_seconds(),
    }


def _print(index: Index, listed: Sequence[Session], now: datetime, left_out: int) -> None:
    from memtui.wording.formatting import age, machine_mark, number, plural, tokens
    from memtui.wording.usage_text import price_days, spending

    keys, prices = [session.key for session in listed], _prices()
    usages, ends = index.statistics.of_sessions(keys), index.sessions.ends(keys)
    rows, costs = [], []
    ids = {session.session_id for session in listed}
    shown = next(length for length in count(_ID) if len({one[:length] for one in ids}) == len(ids))
    for session in listed:
        usage, end = usages[session.key], ends.get(session.key)
        costs.append(usage.cost(prices))
        spent = spending(usage, prices)
        state = "ended" if end is None else end.state(now)
        rows.append(
            (
                age(session.ended_at, now),
                "" if state == "ended" else state,
                session.session_id[:shown],
                " ".join(filter(None, (session.project, machine_mark(session.machine)))),
                session.title,
                number(session.turns),
                tokens(usage.new_tokens) if usage.new_tokens else "",
                tokens(usage.output_tokens) if usage.output_tokens else "",
                spent.cost,
                spent.time,
            )
        )
    head = ("age", "state", "session", "project", "title", "turns", "in", "out", "cost", "active")
    print_table(
        [head, *rows], (0, 5, 6, 7, 8, 9), ("muted", "you", "muted", "", "strong"),
        head=True, shrinks={4: "end", 3: "end"}, drops=(6, 7, 9, 5),
    )  # fmt: skip
    if left_out:
        say(f"{plural(left_out, 'more session')}; --limit lists more.")
    days = tuple(sorted({day for cost in costs for day in cost.days}))
    say(prices.problem or (f"Costs are estimates: {price_days(days)}." if days else "The cost of no session is known."))
