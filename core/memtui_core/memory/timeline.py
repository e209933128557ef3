"""The sessions of a project with what they were about and what was written down in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from memtui_core.errors import SessionUnknown
from memtui_core.memory.book import Observations
from memtui_core.memory.summaries import SessionSummary, summary_of
from memtui_core.memory.values import Observation
from memtui_core.model import Session
from memtui_core.queries import transcripts
from memtui_core.queries.current_project import project_at
from memtui_core.store.reader import CLOCK_TOLERANCE, Snapshot
from memtui_core.system.projects import locate_project

Status = Literal["active", "idle", "completed"]
_ACTIVE = timedelta(minutes=5)
"""A session whose transcript was written so short ago is at work."""
_IDLE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Past:
    """A session of a timeline."""

    session_id: str
    title: str
    root: str
    started_at: datetime | None
    ended_at: datetime | None
    """None while it has not ended."""
    status: Status
    """By when its transcript was last written: active in the last 5 minutes, idle in the last hour, else completed."""
    observations: tuple[Observation, ...]
    """What was written down in it and not forgotten, in order."""
    summary: SessionSummary | None
    """None for a session that no transcript tells of."""


def root_of(snapshot: Snapshot | None, folder: str) -> str:
    """The root of the project that a folder is in, as observations and sessions name it."""
    here = project_at(snapshot, folder) if snapshot is not None else None
    return here.root if here else locate_project(folder).root


def timeline(
    snapshot: Snapshot | None,
    observations: Observations,
    root: str | None,
    limit: int = 5,
    *,
    now: datetime | None = None,
) -> list[Past]:
    """The last sessions of a project, or of all for None, the one last worked in first.

    A session that has observations is one of them even where no transcript tells of it; `snapshot` is None before
    anything was indexed.
    """
    moment = now or datetime.now(UTC)
    written = _by_session(observations.select())
    known = {one.session_id: one for one in _sessions(snapshot)}
    rows: list[tuple[datetime | None, str, Session | None]] = [
        (one.ended_at or one.started_at, name, one) for name, one in known.items() if root is None or one.root == root
    ]
    for name, found in written.items():
        if name not in known and (root is None or any(one.root == root for one in found)):
            rows.append((found[-1].created_at, name, None))
    rows.sort(key=lambda row: (-row[0].timestamp() if row[0] else 0.0, row[1]))
    return [_past(snapshot, session, name, written.get(name, []), moment) for _, name, session in rows[:limit]]


def session_detail(
    snapshot: Snapshot | None, observations: Observations, text: str, *, now: datetime | None = None
) -> Past:
    """One session by its id or the beginning of it. Raises SessionUnknown."""
    moment = now or datetime.now(UTC)
    written = _by_session(observations.select())
    session = _find(snapshot, text)
    if session is not None:
        return _past(snapshot, session, session.session_id, written.get(session.session_id, []), moment)
    begun = [name for name in written if text and name.startswith(text)]
    names = [text] if text in written else begun
    if len(names) != 1:
        raise SessionUnknown(f"{len(names)} sessions begin with {text}." if names else f"Session {text} not found.")
    return _past(snapshot, None, names[0], written[names[0]], moment)


def _find(snapshot: Snapshot | None, text: str) -> Session | None:
    """The session that the index knows; None when it knows none that begins so. Raises SessionUnknown for several."""
    if snapshot is None or not text:
        return None
    known = snapshot.rows("SELECT 1 FROM sessions WHERE starts_with(session_id, ?) AND NOT hidden LIMIT 1", [text])
    return transcripts.find_session(snapshot, text) if known else None


def _sessions(snapshot: Snapshot | None) -> list[Session]:
    return [] if snapshot is None else transcripts.sessions(snapshot)


def _by_session(newest_first: Sequence[Observation]) -> dict[str, list[Observation]]:
    found: dict[str, list[Observation]] = {}
    for one in reversed(newest_first):
        found.setdefault(one.session_id, []).append(one)
    return found


def _past(
    snapshot: Snapshot | None, session: Session | None, name: str, written: Sequence[Observation], now: datetime
) -> Past:
    if session is None or snapshot is None:
        first, last = written[0], written[-1].created_at
        status = _status(last, now)
        ended = last if status == "completed" else None
        return Past(name, "", first.root, first.created_at, ended, status, tuple(written), None)
    status = _status(_last_write(snapshot, session) or session.ended_at, now)
    ended = (session.ended_at or session.started_at) if status == "completed" else None
    decided = [one.content.title for one in written if one.content.type == "decision"]
    summary = summary_of(snapshot, session.key, session.session_id, decided)
    return Past(name, session.title, session.root, session.started_at, ended, status, tuple(written), summary)


def _last_write(snapshot: Snapshot, session: Session) -> datetime | None:
    """When the session's transcript was last written: as it lies there now, for the index may be older."""
    rows = snapshot.rows("SELECT path FROM sources WHERE session = ? AND gone_at IS NULL ORDER BY path", [session.key])
    times = []
    for (path,) in rows:
        try:
            times.append(Path(path).stat().st_mtime)
        except OSError:
            continue
    return datetime.fromtimestamp(max(times), UTC) if times else None


def _status(last: datetime | None, now: datetime) -> Status:
    # A clock that is ahead tells nothing.
    age = now - last if last and last - now <= CLOCK_TOLERANCE else _IDLE
    return "active" if age < _ACTIVE else "idle" if age < _IDLE else "completed"
