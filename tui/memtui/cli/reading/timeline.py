"""`memtui timeline`: the last sessions of a project by day, with what came out of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import fields_of, print_json, say, show, show_styled, stdout_width

if TYPE_CHECKING:
    from memtui_core.memory.timeline.last_sessions import SessionOverview
    from memtui_core.memory.timeline.pages import Timeline
    from memtui_core.store.observation import Observation
    from memtui_core.store.snapshot.reader import Snapshot


@click.command()
@click.argument("session", required=False)
@click.option("--everywhere", is_flag=True, help="Sessions of every project, not only of that of this folder.")
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Maximum sessions; similar ones of a day count once.",
)
@data_dir_option
@json_option
@reports_errors
def timeline(session: str | None, everywhere: bool, limit: int, data_dir: Path | None, as_json: bool) -> None:
    """Print the last sessions of this project by day, or everything known about one SESSION.

    The beginning of a session's id is enough.
    """
    from memtui_core.memory.formats import NO_SESSIONS, detail_text
    from memtui_core.memory.observations.store import Observations
    from memtui_core.memory.timeline.last_sessions import session_detail
    from memtui_core.memory.timeline.last_sessions import timeline as last_sessions
    from memtui_core.memory.timeline.pages import Timeline
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
    root = None if everywhere else project_root(snapshot, locations.current_folder())
    if as_json:
        sessions = last_sessions(snapshot, observations, root, limit)
        print_json([session_object(overview) for overview in sessions])
    elif not _show_diary(snapshot, Timeline(observations, ""), root, limit):
        say("No past sessions found." if everywhere else f"{NO_SESSIONS} --everywhere lists those of all.")


def _show_diary(snapshot: Snapshot | None, past: Timeline, root: str | None, limit: int) -> bool:
    """Print the last sessions by day; False if there are none. The heading of a day counts all of its sessions."""
    from memtui.system import clock
    from memtui.wording.diary import day_line, entry_lines, more_line, note_lines
    from memtui_core.index.observations import TimelineQuery, sessions_of

    *_, page = past.pages(snapshot, TimelineQuery(root, limit=limit), lambda: False)
    now, width, left = clock.now(), stdout_width(), limit
    for day in page.days:
        show_styled(*day_line(day, width, now.astimezone().date()))
        hidden = 0
        for entry in day.entries:
            if not left:
                hidden += len(sessions_of(entry))
                continue
            left -= 1
            room = width and width - 1
            lines = entry_lines(entry, room, now, everywhere=root is None, lists_observations=True, with_id=True)
            for line in (*lines, *note_lines(entry, room)):
                show_styled((" ", ""), *line)
        if hidden:
            show_styled((" ", ""), *more_line(hidden))
    return bool(page.sessions)


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
