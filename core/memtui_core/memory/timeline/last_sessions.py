"""The last sessions of a project with their summaries and observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memtui_core.errors import SessionUnknown
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.summaries import SessionSummary, summary_of
from memtui_core.model import Session, Status, session_status
from memtui_core.queries.sessions import find_session, list_sessions
from memtui_core.store.observation import Observation
from memtui_core.store.snapshot.reader import Snapshot


@dataclass(frozen=True, slots=True)
class SessionOverview:
    """A session with its status, summary and observations."""

    session_id: str
    title: str
    root: str
    started_at: datetime | None
    ended_at: datetime | None
    """None unless the session is completed."""
    status: Status
    """By the last write to the transcript."""
    observations: tuple[Observation, ...]
    """Those that are not forgotten, oldest first."""
    summary: SessionSummary | None
    """None for a session without a transcript."""
    machine: str = ""
    """The other machine on which it ran; empty for this one."""


def timeline(
    snapshot: Snapshot | None,
    observations: Observations,
    root: str | None,
    limit: int = 5,
    *,
    now: datetime | None = None,
) -> list[SessionOverview]:
    """The last sessions of a project, or of all projects for None, most recent work first.

    Sessions that have observations but no transcript are included. `snapshot` is None before there is an index.
    """
    at = now or datetime.now(UTC)
    saved = observations_by_session(observations.select())
    indexed = {} if snapshot is None else {session.session_id: session for session in list_sessions(snapshot)}
    rows: list[tuple[datetime | None, str, Session | None]] = [
        (session.ended_at or session.started_at, session_id, session)
        for session_id, session in indexed.items()
        if root is None or session.root == root
    ]
    for session_id, own in saved.items():
        if session_id not in indexed and (root is None or any(item.root == root for item in own)):
            rows.append((own[-1].created_at, session_id, None))
    rows.sort(key=lambda row: (-row[0].timestamp() if row[0] else 0.0, row[1]))
    return [
        session_overview(snapshot, session, session_id, saved.get(session_id, []), at)
        for _, session_id, session in rows[:limit]
    ]


def session_detail(
    snapshot: Snapshot | None, observations: Observations, id_prefix: str, *, now: datetime | None = None
) -> SessionOverview:
    """One session by its id or the beginning of its id. Raises SessionUnknown."""
    at = now or datetime.now(UTC)
    saved = observations_by_session(observations.select())
    session = _indexed_session(snapshot, id_prefix)
    if session is not None:
        return session_overview(snapshot, session, session.session_id, saved.get(session.session_id, []), at)
    matching = [session_id for session_id in saved if id_prefix and session_id.startswith(id_prefix)]
    ids = [id_prefix] if id_prefix in saved else matching
    if len(ids) != 1:
        raise SessionUnknown(
            f"{len(ids)} sessions begin with {id_prefix}." if ids else f"Session {id_prefix} not found."
        )
    return session_overview(snapshot, None, ids[0], saved[ids[0]], at)


def observations_by_session(newest_first: Sequence[Observation]) -> dict[str, list[Observation]]:
    """Observations by session id, oldest first."""
    by_session: dict[str, list[Observation]] = {}
    for item in reversed(newest_first):
        by_session.setdefault(item.session_id, []).append(item)
    return by_session


def _indexed_session(snapshot: Snapshot | None, id_prefix: str) -> Session | None:
    """The session of the index whose id begins so; None if there is none. Raises SessionUnknown for several."""
    if snapshot is None or not id_prefix:
        return None
    sql = "SELECT 1 FROM sessions WHERE starts_with(session_id, ?) AND NOT hidden LIMIT 1"
    return find_session(snapshot, id_prefix) if snapshot.rows(sql, [id_prefix]) else None


def session_overview(
    snapshot: Snapshot | None, session: Session | None, session_id: str, saved: Sequence[Observation], now: datetime
) -> SessionOverview:
    """A session with its observations, oldest first; `session` is None if the index does not have it."""
    if session is None or snapshot is None:
        first, last = saved[0], saved[-1].created_at
        status = session_status(last, now)
        ended = last if status == "completed" else None
        return SessionOverview(session_id, "", first.root, first.created_at, ended, status, tuple(saved), None)
    status = session_status(_last_write(snapshot, session) or session.ended_at, now)
    ended = (session.ended_at or session.started_at) if status == "completed" else None
    decisions = [item.content.title for item in saved if item.content.type == "decision"]
    summary = summary_of(snapshot, session.key, session.session_id, decisions)
    return SessionOverview(
        session_id, session.title, session.root, session.started_at, ended, status, tuple(saved), summary,
        session.machine,
    )  # fmt: skip


def _last_write(snapshot: Snapshot, session: Session) -> datetime | None:
    """The modification time of the session's transcript on the disk, for the index may be older."""
    rows = snapshot.rows("SELECT path FROM sources WHERE session = ? AND gone_at IS NULL ORDER BY path", [session.key])
    times = []
    for (path,) in rows:
        try:
            times.append(Path(path).stat().st_mtime)
        except OSError:
            continue
    return datetime.fromtimestamp(max(times), UTC) if times else None
