"""The pages of the timeline: sessions, what came out of them, and observations."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memtui_core.memory.observations.store import Observations
from memtui_core.memory.timeline.days import diary_days
from memtui_core.memory.timeline.last_sessions import observations_by_session
from memtui_core.memory.timeline.model import (
    CURRENT_PROJECT,
    FORGOTTEN,
    ObservationOrigin,
    SessionOutcome,
    TimelineEvent,
    TimelinePage,
    TimelineQuery,
    TimelineSession,
)
from memtui_core.memory.timeline.outcomes import read_outcomes, turns_by_slot
from memtui_core.memory.timeline.worked_days import WorkedDay, worked_days
from memtui_core.model import OBSERVATION_TYPES, Compaction, Session
from memtui_core.queries.compactions import compactions_of_all
from memtui_core.queries.current_project import project_root
from memtui_core.queries.pull_requests import PrRow, list_pull_requests
from memtui_core.queries.sessions import list_sessions, session_by_id
from memtui_core.queries.turns import read_turns, turn_at
from memtui_core.store.observation import Observation
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import stored
from memtui_core.text.names import shown_names


def timeline_events(snapshot: Snapshot | None, sessions: Sequence[TimelineSession]) -> tuple[TimelineEvent, ...]:
    """The events of rows that have a time, oldest first.

    `sessions` are the rows, the newest first. What happened in a subagent is left out.
    """
    events: list[TimelineEvent] = []
    for row in sessions:
        if row.at is not None:
            events.append(_session_event(row, row.at))
        events += _noted(row, row.observations)
    if snapshot is not None:
        compactions, requests = compactions_of_all(snapshot), list_pull_requests(snapshot)
        keys = {item.session for item in compactions} | {one.session for one in requests}
        by_key: dict[int, list[TimelineSession]] = {}
        for row in reversed(sessions):
            if row.session is not None and row.session.key in keys:
                by_key.setdefault(row.session.key, []).append(row)
        events += _compactions(compactions, by_key)
        events += _pull_requests(requests, by_key)
    return _in_order(events)


def observation_events(
    observations: Sequence[Observation], sessions: Sequence[TimelineSession]
) -> tuple[TimelineEvent, ...]:
    """The events of some observations and of the rows to which they belong, oldest first."""
    by_id: dict[str, list[TimelineSession]] = {}
    for row in reversed(sessions):
        by_id.setdefault(row.session_id, []).append(row)
    rows: dict[str, TimelineSession] = {}
    events: list[TimelineEvent] = []
    for one in observations:
        own = by_id.get(one.session_id)
        row = _row_at(own, one.created_at) if own else _row_of(one)
        rows.setdefault(row.row_id, row)
        events += _noted(row, [one])
    return _in_order([*events, *(_session_event(row, row.at) for row in rows.values() if row.at is not None)])


def _in_order(events: Sequence[TimelineEvent]) -> tuple[TimelineEvent, ...]:
    return tuple(sorted(events, key=lambda event: (event.first, event.key)))


def _session_event(row: TimelineSession, at: datetime) -> TimelineEvent:
    """The event of a row whose last work was at a time."""
    first = row.began
    if first is None:
        first = row.session.started_at if row.session is not None else row.observations[0].created_at
    return TimelineEvent("session", min(first or at, at), at, row)


def _noted(row: TimelineSession, observations: Sequence[Observation]) -> list[TimelineEvent]:
    return [TimelineEvent("observation", one.created_at, one.created_at, row, observation=one) for one in observations]


def _compactions(compactions: Sequence[Compaction], rows: Mapping[int, _Rows]) -> Iterator[TimelineEvent]:
    for item in compactions:
        if item.session in rows and item.at is not None:
            tokens = f"{item.tokens_before:,} tokens" if item.tokens_before else ""
            label = ", ".join(filter(None, (item.trigger, tokens)))
            yield TimelineEvent("compaction", item.at, item.at, _row_at(rows[item.session], item.at), item.turn, label)


def _pull_requests(requests: Sequence[PrRow], rows: Mapping[int, _Rows]) -> Iterator[TimelineEvent]:
    for one in requests:
        if one.session in rows and one.at is not None:
            label = f"#{one.number} {one.repository}"
            yield TimelineEvent("pull request", one.at, one.at, _row_at(rows[one.session], one.at), one.turn, label)


def _row_at(rows: _Rows, at: datetime) -> TimelineSession:
    """The row of the day of a time, or of the last day before it, else the first one."""
    if len(rows) == 1:
        return rows[0]
    on = at.astimezone().date()
    return next((row for row in reversed(rows) if row.day is not None and row.day <= on), rows[0])


_PAGE_INTERVAL: Final = 0.25
"""Seconds between the first two versions of a page while outcomes are being read."""
_AT_ONCE: Final = 60
"""Sessions whose outcomes are read by the same queries."""
_Rows = Sequence[TimelineSession]
"""The rows of one session, the first day first."""


class Timeline:
    """Lists sessions and observations, and caches the outcomes of sessions; thread-safe."""

    def __init__(self, observations: Observations, folder: str) -> None:
        self._observations = observations
        self._folder = folder
        self._outcomes: dict[str, tuple[Hashable, Sequence[SessionOutcome]]] = {}
        """By session id those of its days, with the state of the session from which they were read."""

    def pages(
        self, snapshot: Snapshot | None, query: TimelineQuery, is_cancelled: Callable[[], bool]
    ) -> Iterator[TimelinePage]:
        """The page of a query; of many sessions first with the outcomes that are known, then again as others are read.

        `snapshot` is None before there is an index.
        """
        saved = self._observations.select()
        sessions = _sessions(snapshot, saved)
        roots = {session.root for session in sessions} | {item.root for item in saved}
        root = self._root(snapshot, query.root, roots)
        sessions = [session for session in sessions if root in (None, session.root) and _is_in_range(session, query)]
        saved = [item for item in saved if root in (None, item.root)]
        forgotten = self._observations.select(root=root, forgotten=True)
        kinds = _kinds(saved, forgotten)
        activity = turns_by_slot(snapshot, root) if snapshot is not None else {}
        if query.kind:
            if query.kind == FORGOTTEN:
                observations = sorted(forgotten, key=forgotten_at, reverse=True)
            else:
                observations = [item for item in saved if item.content.type == query.kind]
            events = observation_events(observations, sessions)
            listed = tuple(observations[: query.limit])
            ids = {item.session_id for item in listed}
            their_sessions = tuple(session for session in sessions if session.session_id in ids)
            yield TimelinePage(query, root, their_sessions, listed, len(observations), kinds, events, activity)
            return
        listed_range = _whole_days(sessions, query.first, query.limit)
        events = timeline_events(snapshot, sessions)
        count = len({session.session_id for session in sessions})
        for shown in self._with_outcomes(snapshot, sessions[listed_range]):
            if is_cancelled():
                return
            days = tuple(diary_days(shown))
            yield TimelinePage(
                query, root, shown, (), len(sessions), kinds, events, activity, listed_range.start, days, count
            )

    def _with_outcomes(
        self, snapshot: Snapshot | None, sessions: Sequence[TimelineSession]
    ) -> Iterator[tuple[TimelineSession, ...]]:
        """The rows with their outcomes; while many are read, also with those that are known meanwhile."""
        if snapshot is None:
            yield tuple(sessions)
            return
        rows = [self._with_cached_outcome(session, snapshot) for session in sessions]
        missing = [place for place, row in enumerate(rows) if row.outcome is None and row.session is not None]
        started = last_yield = time.monotonic()
        for first in range(0, len(missing), _AT_ONCE):
            # Each version is drawn: of very many sessions there are ever fewer.
            if (now := time.monotonic()) - last_yield > max(_PAGE_INTERVAL, last_yield - started):
                yield tuple(rows)
                last_yield = now
            places = missing[first : first + _AT_ONCE]
            unread = {row.session.key: row for place in places if (row := rows[place]).session is not None}
            outcomes = read_outcomes(snapshot, {key: row.days for key, row in unread.items()})
            for key, row in unread.items():
                self._outcomes[row.session_id] = _state(row, snapshot), outcomes[key]
            for place in places:
                rows[place] = self._with_cached_outcome(rows[place], snapshot)
        yield tuple(rows)

    def _with_cached_outcome(self, row: TimelineSession, snapshot: Snapshot) -> TimelineSession:
        """The row with its cached outcome, if that was read from the same turns."""
        made_from, outcomes = self._outcomes.get(row.session_id, (None, ()))
        return replace(row, outcome=outcomes[row.place]) if made_from == _state(row, snapshot) else row

    def _root(self, snapshot: Snapshot | None, root: str | None, roots: set[str]) -> str | None:
        if root != CURRENT_PROJECT:
            return root
        current = project_root(snapshot, self._folder)
        return current if current and current in roots else None


def origin_of(snapshot: Snapshot | None, observation: Observation) -> ObservationOrigin:
    """The session and the turn in which an observation was saved; None for what the index does not have."""
    session = session_by_id(snapshot, observation.session_id) if snapshot is not None else None
    if snapshot is None or session is None:
        return ObservationOrigin(observation, None, None)
    return ObservationOrigin(observation, session, turn_at(read_turns(snapshot, session.key), observation.created_at))


def forgotten_at(observation: Observation) -> datetime:
    """When a forgotten observation was forgotten."""
    assert observation.forgotten_at is not None
    return observation.forgotten_at


def _sessions(snapshot: Snapshot | None, saved: Sequence[Observation]) -> list[TimelineSession]:
    """The sessions of the index and all others that have observations, a row for each of their days, newest first."""
    observations = observations_by_session(saved)
    indexed = dict(_indexed(snapshot)) if snapshot is not None else {}
    for session_id in observations.keys() - indexed.keys():
        if snapshot is not None and (session := session_by_id(snapshot, session_id)) is not None:
            indexed[session_id] = session
    others = {session_id: own[-1] for session_id, own in observations.items() if session_id not in indexed}
    # Some projects are known by their observations only.
    names = shown_names(
        [(session.root, stored(session.project)) for session in indexed.values()]
        + [(last.root, last.project) for last in others.values()]
    )
    worked = worked_days(snapshot) if snapshot is not None else {}
    rows: list[TimelineSession] = []
    for session_id, session in indexed.items():
        place = session_id, session.root, names[session.root, stored(session.project)]
        rows += _rows(place, session, worked.get(session.key, ()), observations.get(session_id, ()))
    rows += [
        replace(_row_of(last), project=names[last.root, last.project], observations=tuple(observations[session_id]))
        for session_id, last in others.items()
    ]
    return sorted(rows, key=lambda row: (-row.at.timestamp() if row.at else 0.0, row.session_id))


def _row_of(observation: Observation) -> TimelineSession:
    """The row of an observation whose session the index does not have."""
    return TimelineSession(
        observation.session_id, observation.root, observation.project, observation.created_at, None, (observation,)
    )


def _rows(
    place: tuple[str, str, str], session: Session, worked: Sequence[WorkedDay], observations: Sequence[Observation]
) -> list[TimelineSession]:
    """The rows of a session, the first day first; `place` are its id, and the root and the name of its project."""
    if not worked:
        at = session.ended_at or session.started_at
        return [TimelineSession(*place, at, session, tuple(observations))]
    if len(worked) == 1:
        [(on, first, last, spans)] = worked
        return [TimelineSession(*place, last, session, tuple(observations), None, first, spans, (on,))]
    days = tuple(day.on for day in worked)
    noted: list[list[Observation]] = [[] for _ in days]
    for one in observations:
        noted[max(0, bisect_right(days, one.created_at.astimezone().date()) - 1)].append(one)
    return [
        TimelineSession(*place, day.last, session, tuple(own), None, day.first, day.spans, days)
        for day, own in zip(worked, noted, strict=True)
    ]


def _is_in_range(row: TimelineSession, query: TimelineQuery) -> bool:
    """Whether the times of a query allow a row; one without a time only if there are none."""
    since, before = query.since, query.before
    if row.at is None:
        return since is None and before is None
    return (since is None or row.at >= since) and (before is None or row.at < before)


def _indexed(snapshot: Snapshot) -> Mapping[str, Session]:
    """The sessions of the index by their ids; of ten thousand they take a third of a second."""
    return snapshot.cached(
        f"timeline sessions {snapshot.annotations.stamp}",
        lambda: {session.session_id: session for session in list_sessions(snapshot)},
    )


def _state(row: TimelineSession, snapshot: Snapshot) -> Hashable:
    """A value that is equal for two snapshots only if the turns of a session are; one with subagents may lag behind.

    In another base, stored texts may have been redacted again or made less.
    """
    session = row.session
    number = snapshot.number if session is not None and session.children else 0
    return session, row.days, snapshot.manifest.base, number


def _whole_days(sessions: Sequence[TimelineSession], first: int, limit: int) -> slice:
    """The indexes of so many rows, the newest first, and of the others of the first and the last day among them."""
    start, end = min(first, len(sessions)), min(first + limit, len(sessions))
    while 0 < start < len(sessions) and sessions[start].day == sessions[start - 1].day:
        start -= 1
    while 0 < end < len(sessions) and sessions[end].day == sessions[end - 1].day:
        end += 1
    return slice(start, end)


def _kinds(saved: Sequence[Observation], forgotten: Sequence[Observation]) -> tuple[tuple[str, int], ...]:
    counts = Counter(item.content.type for item in saved)
    kinds = tuple((kind, counts[kind]) for kind in OBSERVATION_TYPES if counts[kind])
    return (*kinds, (FORGOTTEN, len(forgotten))) if forgotten else kinds
