"""A project at a glance: what is open, what was done last, where, and what it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Final, Generic, NamedTuple, TypeVar

from memtui_core.memory.decisions.made import MadeDecision, read_decisions
from memtui_core.model import Project, Session, SessionEnd
from memtui_core.queries.activity.endings import read_ends
from memtui_core.queries.columns import utc
from memtui_core.queries.compactions import CompactionRow, list_compactions
from memtui_core.queries.files import FileRow, most_edited_files
from memtui_core.queries.pull_requests import PullRequest, pull_requests
from memtui_core.queries.sessions import in_project, read_sessions
from memtui_core.queries.statistics.counts import DayCount, ModelUse, work_by_day
from memtui_core.queries.statistics.usage import SessionUsage, read_usage, summed
from memtui_core.store.snapshot.reader import Snapshot

SHOWN_WEEKS: Final = 26
"""Weeks of the activity: as many days as a wide terminal has cells for."""
HOT_WEEKS: Final = 12
"""Weeks before the last turn of a project whose edits put its files in order."""
ENDS_OF: Final = 60
"""The newest sessions of which it is said how they ended: who has not come back to older ones will not."""
_OPEN: Final = frozenset({"question", "unanswered", "interrupted", "stopped", "error"})
"""The kinds of ends at which something is left to do."""
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class FirstRows(Generic[Row]):
    """The first rows of a list, and how many it has."""

    rows: tuple[Row, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """A session that ended with something left to do."""

    session: Session
    end: SessionEnd


@dataclass(frozen=True, slots=True)
class ProjectOverview:
    """What a snapshot has of a project; archived sessions count, but are not listed."""

    project: Project
    agents: tuple[tuple[str, int], ...]
    """The agents by id with the number of their sessions without subagents, most first."""
    sessions: int
    """Without subagents."""
    subagents: int
    archived: int
    """How many of the sessions are archived."""
    turns: int
    """Turns, those of subagents included."""
    first: datetime | None
    """When the first turn began."""
    last: datetime | None
    """When the last turn ended."""
    models: tuple[ModelUse, ...]
    """The models with their tokens, those of subagents included, by turns, most first."""
    active: timedelta | None
    """The time in which agents worked, without that of subagents; None if no transcript has times."""
    activity: tuple[DayCount, ...]
    """The days of SHOWN_WEEKS weeks, up to today; of a project that has rested for longer, up to its last turn."""
    ends_of: int
    """Of so many of the newest sessions it is said how they ended: at most ENDS_OF."""
    open_ends: FirstRows[OpenEnd]
    """Those of them that do not run and ended with something left to do, and that no other session continues, the
    newest first."""
    recent: FirstRows[Session]
    """The newest first, pinned or not."""
    decisions: FirstRows[MadeDecision]
    """The newest first."""
    usage: Mapping[int, SessionUsage]
    """What each of the recent sessions used, by `Session.key`."""
    files: FirstRows[FileRow]
    """The files that were edited, those first that most turns edited in the last HOT_WEEKS weeks before `last`."""
    pull_requests: FirstRows[PullRequest]
    """Those that were worked on last first."""
    compactions: FirstRows[CompactionRow]
    """The newest first."""


class _Counted(NamedTuple):
    """A session with turns."""

    key: int
    agent: str
    is_subagent: bool
    turns: int
    first: datetime | None
    last: datetime | None


def project_overview(
    snapshot: Snapshot, project: Project, limit: int, now: datetime, zone: tzinfo | None = None
) -> ProjectOverview:
    """Return what a snapshot has of a project, or of what one agent or machine did there.

    Lists have `limit` rows at most; days start at midnight in `zone`, by default the time zone of this machine.
    """
    where, parameters = in_project(project)
    sessions = _sessions(snapshot, where, parameters)
    listed = [one for one in sessions if not one.is_subagent]
    first = min((one.first for one in sessions if one.first is not None), default=None)
    last = max((one.last for one in sessions if one.last is not None), default=None)
    archived = snapshot.annotations.current.archived
    recent = [one.key for one in listed if one.key not in archived]
    ends = read_ends(snapshot, recent[:ENDS_OF])
    continued = _continued(snapshot)
    is_open = [key for key in recent[:ENDS_OF] if key in ends and key not in continued and _is_open(ends[key], now)]
    rows = {one.key: one for one in read_sessions(snapshot, list(dict.fromkeys(recent[:limit] + is_open[:limit])))}
    usage = read_usage(snapshot, [one.key for one in listed])
    active = [used.active for used in usage.values() if used.active is not None]
    files, edited = most_edited_files(snapshot, project, last and last - timedelta(weeks=HOT_WEEKS), limit)
    requested = pull_requests(snapshot, project)
    compactions = list_compactions(snapshot, project=project)
    decisions = read_decisions(snapshot, project)
    start, end = shown_days(last, now, zone)
    return ProjectOverview(
        project,
        tuple(Counter(one.agent for one in listed).most_common()),
        len(listed),
        len(sessions) - len(listed),
        len(listed) - len(recent),
        sum(one.turns for one in sessions),
        first,
        last,
        summed(use for used in usage.values() for use in (*used.models, *used.subagent_models)),
        sum(active, timedelta()) if active else None,
        work_by_day(snapshot, where, parameters, start, end, zone),
        len(recent[:ENDS_OF]),
        FirstRows(tuple(OpenEnd(rows[key], ends[key]) for key in is_open[:limit]), len(is_open)),
        FirstRows(tuple(rows[key] for key in recent[:limit]), len(recent)),
        FirstRows(tuple(decisions[:limit]), len(decisions)),
        {key: usage[key] for key in recent[:limit]},
        FirstRows(tuple(files), edited),
        FirstRows(tuple(requested[:limit]), len(requested)),
        FirstRows(tuple(compactions[:limit]), len(compactions)),
    )


def _sessions(snapshot: Snapshot, where: str, parameters: Sequence[str]) -> list[_Counted]:
    """The sessions of a project that have turns, the newest first."""
    rows = snapshot.rows(
        "SELECT s.key, s.agent, s.parent IS NOT NULL, count(*), min(credible(t.started_at)), max(credible(t.ended_at))"
        f" AS last FROM turns t JOIN sessions s ON s.key = t.session WHERE NOT s.hidden AND {where}"
        " GROUP BY s.key, s.agent, s.parent ORDER BY last DESC NULLS LAST, s.key",
        parameters,
    )
    return [
        _Counted(key, agent, is_subagent, turns, utc(first), utc(last))
        for key, agent, is_subagent, turns, first, last in rows
    ]


def _continued(snapshot: Snapshot) -> set[int]:
    """The sessions from which others were forked: what was left open there went on elsewhere."""
    return {
        key
        for (key,) in snapshot.rows(
            "SELECT s.key FROM sessions s JOIN sessions f ON f.forked_from = s.session_id AND f.agent = s.agent"
        )
    }


def _is_open(end: SessionEnd, now: datetime) -> bool:
    return end.kind in _OPEN and end.state(now) != "running"


def shown_days(last: datetime | None, now: datetime, zone: tzinfo | None = None) -> tuple[date, date]:
    """The first and the last day of the activity of a project whose last turn ended at a time."""
    today = now.astimezone(zone).date()
    end = last.astimezone(zone).date() if last is not None else today
    end = today if end > today - timedelta(weeks=HOT_WEEKS) else end
    return end - timedelta(weeks=SHOWN_WEEKS, days=-1), end
