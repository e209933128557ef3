"""`memtui timeline`: the last sessions of a project and what was written down in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import print_json, say, show

if TYPE_CHECKING:
    from memtui_core.memory.timeline import Past
    from memtui_core.memory.values import Observation
    from memtui_core.store.reader import Snapshot


@click.command()
@click.argument("session", required=False)
@click.option("--everywhere", is_flag=True, help="Sessions of every project, not of that of this folder only.")
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1, 1000), help="Most sessions to print.")
@data_dir_option
@json_option
@reports_errors
def timeline(session: str | None, everywhere: bool, limit: int, data_dir: Path | None, as_json: bool) -> None:
    """Print the last sessions of this project with their summaries, or all that is known of one SESSION.

    The beginning of a session's id is enough.
    """
    from memtui_core.memory import timeline as past_work
    from memtui_core.memory.book import Observations
    from memtui_core.memory.text import detail_text, timeline_text
    from memtui_core.system import locations

    folder = locations.data_dir(data_dir)
    snapshot, written = _snapshot(folder), Observations(folder)
    if session:
        found = [past_work.session_detail(snapshot, written, session)]
    else:
        root = None if everywhere else past_work.root_of(snapshot, locations.current_folder())
        found = past_work.timeline(snapshot, written, root, limit)
    if as_json:
        print_json([past_object(past) for past in found])
    elif session:
        show(detail_text(found[0]))
    elif found:
        show(timeline_text(found).rstrip("\n"))
    elif everywhere:
        say("No past sessions found.")
    else:
        say(timeline_text(found))


def past_object(past: Past) -> dict[str, Any]:
    """A session of a timeline as JSON; `summary` is null where there is none."""
    summary = past.summary
    return {
        "session_id": past.session_id,
        "title": past.title,
        "root": past.root,
        "started_at": past.started_at,
        "ended_at": past.ended_at,
        "status": past.status,
        "summary": summary and {"kind": summary.kind, "text": summary.text},
        "key_decisions": list(summary.key_decisions) if summary else [],
        "observations": [observation_object(one) for one in past.observations],
    }


def observation_object(observation: Observation) -> dict[str, Any]:
    """An observation as JSON."""
    content = observation.content
    lists = ("facts", "concepts", "files_modified", "files_read")
    return {
        "id": observation.id,
        "session_id": observation.session_id,
        "root": observation.root,
        "created_at": observation.created_at,
        "edited_at": observation.edited_at,
        "revision": observation.revision,
        "tool_name": observation.tool_name,
        "raw_tool_output": observation.raw_tool_output,
        "token_count": observation.token_count,
        **{name: getattr(content, name) for name in ("type", "title", "subtitle", "narrative")},
        **{name: list(getattr(content, name)) for name in lists},
    }


def _snapshot(folder: Path) -> Snapshot | None:
    """The index; None before anything was indexed: what was written down is told all the same."""
    from memtui_core.errors import IndexMissing
    from memtui_core.store.files import DataDir
    from memtui_core.store.reader import Snapshot

    try:
        return Snapshot(DataDir(folder))
    except IndexMissing:
        return None
