"""The sessions that the agents have deleted, and those that they are about to delete."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from memtui_core.queries.sessions import OF_SOURCES
from memtui_core.readers.base import Retention
from memtui_core.readers.locations import Location, retention
from memtui_core.store.snapshot.reader import Snapshot

SOON: Final = timedelta(days=3)
"""How long before an agent deletes a session the user hears of it."""
_LISTED: Final = "NOT s.hidden AND s.parent IS NULL"
_LIVE: Final = "f.gone_at IS NULL AND f.state <> 'superseded'"
"""The sources that are on the disk, but for prompts of sessions whose turns another source has."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Sessions that an agent is about to delete."""

    retention: Retention
    sessions: int
    days: int
    """Within how many days."""


def count_saved(snapshot: Snapshot, root: str | None = None) -> int:
    """The sessions of a project, or of all, that nothing on the disk contains any more; subagents are not counted."""
    [(count,)] = snapshot.rows(
        f"SELECT count(*) FROM sessions s JOIN ({OF_SOURCES}) g ON g.session = s.key"
        f" WHERE g.gone AND {_LISTED} AND ($1 IS NULL OR s.root = $1) AND s.key IN (SELECT session FROM turns)"
        # Some of its turns may stand in the transcript of another session.
        f" AND s.key NOT IN (SELECT t.session FROM turns t JOIN sources f ON f.id = t.source WHERE {_LIVE})",
        [root],
    )
    return int(count)


def coming_sweeps(
    snapshot: Snapshot, locations: Iterable[Location], now: datetime, within: timedelta = SOON
) -> list[Sweep]:
    """What the agents will delete in some locations within a time, one value for each agent that deletes anything.

    An agent deletes transcripts by the time at which they were changed last, some when it is started.
    """
    sweeps = []
    for location in locations:
        kept = retention(location)
        if kept is not None and (sessions := len(_due(snapshot, location.path, kept, now + within))):
            sweeps.append(Sweep(kept, sessions, within.days))
    return sweeps


def _due(snapshot: Snapshot, location: Path, kept: Retention, until: datetime) -> list[int]:
    """The sessions whose transcripts an agent deletes until some time."""
    latest = int((until - timedelta(days=kept.days)).timestamp() * 1_000_000_000)
    rows = snapshot.rows(
        f"SELECT f.session FROM sources f JOIN sessions s ON s.key = f.session WHERE {_LISTED} AND {_LIVE}"
        " AND starts_with(f.path, $1) AND s.key IN (SELECT session FROM turns)"
        " GROUP BY f.session HAVING max(f.mtime) < $2 AND max(f.mtime) > 0",
        [f"{location}{os.sep}", latest],
    )
    return [key for (key,) in rows]
