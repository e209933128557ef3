"""`memtui timeline`: the last sessions of a project by day, with what came out of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import open_index, project_named
from memtui.cli.options import data_dir_option, json_option, reports_errors, time_option
from memtui.cli.output import fields_of, print_json, say, show, show_styled, stdout_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memtui_core.index.observations import DiaryDay, TimelineSession
    from memtui_core.memory.observations.store import Observations
    from memtui_core.memory.timeline.last_sessions import SessionOverview
    from memtui_core.memory.timeline.model import TimelineQuery
    from memtui_core.store.observation import Observation
    from memtui_core.store.snapshot.reader import Snapshot

_SHARE: Final = (
    "turns",
    "first_turn",
    "files",
    "added",
    "removed",
    "commits",
    "commit_ids",
    "pull_requests",
    "compactions",
)
"""The fields of an outcome that are printed."""


@click.command()
@click.argument("session", required=False)
@click.option(
    "--project", "name", metavar="NAME", help="Only this project: its name, the beginning of it, or its folder."
)
@click.option("--everywhere", is_flag=True, help="Sessions of every project, not only of that of this folder.")
@click.option(
    "--since", metavar="TIME", callback=time_option, help="Only rows with work from then on: 3d, yesterday, 2026-11-20."
)
@click.option(
    "--before",
    metavar="TIME",
    callback=time_option,
    help="Only rows whose work was done before: 90d, 2026, 2026-03-01.",
)
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Maximum rows: sessions on a day, similar ones of which count once.",
)
@data_dir_option
@json_option
@reports_errors
def timeline(
    session: str | None,
    name: str | None,
    everywhere: bool,
    since: datetime | None,
    before: datetime | None,
    limit: int,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    """Print the last sessions of this project by day, or everything known about one SESSION.

    The beginning of a session's id is enough. A session stands on each day on which it worked, with what came out
    of it on that day.
    """
    from memtui_core.memory.formats import NO_SESSIONS, detail_text
    from memtui_core.memory.observations.store import Observations
    from memtui_core.memory.timeline.last_sessions import session_detail
    from memtui_core.memory.timeline.model import TimelineQuery
    from memtui_core.queries.current_project import project_root
    from memtui_core.system import locations

    folder = locations.data_dir(data_dir)
    snapshot, observations = _snapshot(folder), Observations(folder)
    if session is not None:
        detail = session_detail(snapshot, observations, session)
        if as_json:
            print_json([session_object(detail)])
        else:
            show(detail_text(detail))
        return
    if name is not None and everywhere:
        raise click.UsageError("--project and --everywhere exclude each other.")
    if name is not None:
        root: str | None = project_named(snapshot or open_index(folder).snapshot, name).root
    else:
        root = None if everywhere else project_root(snapshot, locations.current_folder())
    days = _days(snapshot, observations, TimelineQuery(root, limit=limit, since=since, before=before))
    if as_json:
        print_json(list(_row_objects(snapshot, observations, days, limit)))
    elif days:
        _show_diary(days, limit, everywhere=root is None)
    elif name is None and not everywhere and since is None and before is None:
        say(f"{NO_SESSIONS} --everywhere lists those of all.")
    else:
        say("No past sessions found.")


def _days(snapshot: Snapshot | None, observations: Observations, query: TimelineQuery) -> Sequence[DiaryDay]:
    """The days of a query with all of their sessions."""
    from memtui_core.memory.timeline.pages import Timeline

    *_, page = Timeline(observations, "").pages(snapshot, query, lambda: False)
    return page.days


def _show_diary(days: Sequence[DiaryDay], limit: int, *, everywhere: bool) -> None:
    """Print the last sessions by day. The heading of a day counts all of its sessions."""
    from memtui.system import clock
    from memtui.wording.diary import day_line, entry_lines, more_line, note_lines
    from memtui_core.index.observations import sessions_of

    now, width, left = clock.now(), stdout_width(), limit
    for day in days:
        show_styled(*day_line(day, width, now.astimezone().date()))
        for entry in day.entries[:left]:
            room = width and width - 1
            lines = entry_lines(entry, room, now, everywhere=everywhere, lists_observations=True, with_id=True)
            for line in (*lines, *note_lines(entry, room)):
                show_styled((" ", ""), *line)
        if hidden := sum(len(sessions_of(entry)) for entry in day.entries[left:]):
            show_styled((" ", ""), *more_line(hidden))
        left = max(0, left - len(day.entries))


def _row_objects(
    snapshot: Snapshot | None, observations: Observations, days: Sequence[DiaryDay], limit: int
) -> Iterator[dict[str, Any]]:
    """The sessions of so many rows, each on each of its days."""
    from memtui.system import clock
    from memtui_core.index.observations import sessions_of
    from memtui_core.memory.timeline.last_sessions import observations_by_session, session_overview

    saved, now = observations_by_session(observations.select()), clock.now()
    overviews: dict[str, SessionOverview] = {}
    for entry in [entry for day in days for entry in day.entries][:limit]:
        similar = [session.session_id for session in sessions_of(entry)]
        for row in sessions_of(entry):
            own = row.session_id
            if own not in overviews:
                overviews[own] = session_overview(snapshot, row.session, own, saved.get(own, ()), now)
            yield row_object(overviews[own], row, [other for other in similar if other != own])


def row_object(overview: SessionOverview, row: TimelineSession, similar: Sequence[str]) -> dict[str, Any]:
    """A session on one day as JSON: the session with the observations of the day, and what came out of it on that day.

    `similar` are the ids of the other sessions that are one row with it. Of a session without a transcript the fields
    of what came out of it are null.
    """
    outcome, noted = row.outcome, [observation_object(observation) for observation in row.observations]
    return {
        **session_object(overview),
        "observations": noted,
        "day": row.day and row.day.isoformat(),
        "days": [day.isoformat() for day in row.days or filter(None, (row.day,))],
        **(dict.fromkeys(_SHARE) if outcome is None else fields_of(outcome, *_SHARE)),
        "active_seconds": outcome and outcome.active.total_seconds(),
        "similar": list(similar),
    }


def session_object(overview: SessionOverview) -> dict[str, Any]:
    """A session as JSON; `summary` is null if there is none."""
    summary = overview.summary
    return {
        **fields_of(overview, "session_id", "title", "machine", "root", "started_at", "ended_at", "status"),
        "summary": summary and {"kind": summary.kind, "text": summary.text},
        "key_decisions": list(summary.key_decisions) if summary else [],
        "observations": [observation_object(observation) for observation in overview.observations],
    }


def observation_object(observation: Observation) -> dict[str, Any]:
    """An observation as JSON."""
    names = ("id", "session_id", "root", "created_at", "edited_at", "revision")
    texts = ("type", "title", "subtitle", "narrative")
    lists = ("facts", "concepts", "files_modified", "files_read")
    return {
        **fields_of(observation, *names, "tool_name", "raw_tool_output", "token_count"),
        **fields_of(observation.content, *texts, *lists),
    }


def _snapshot(folder: Path) -> Snapshot | None:
    """The newest snapshot; None before anything was indexed: observations can be shown without an index."""
    from memtui_core.errors import IndexMissing
    from memtui_core.store.data_folder import DataDir
    from memtui_core.store.snapshot.reader import Snapshot

    try:
        return Snapshot(DataDir(folder))
    except IndexMissing:
        return None
