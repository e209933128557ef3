"""The pages of the timeline: sessions, their summaries as they are made, and observations."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memtui_core.memory.observations.store import Observations
from memtui_core.memory.summaries import SessionSummary, summary_of
from memtui_core.memory.timeline.last_sessions import observations_by_session
from memtui_core.memory.timeline.model import (
    CURRENT_PROJECT,
    FORGOTTEN,
    ObservationOrigin,
    TimelineEvent,
    TimelinePage,
    TimelineQuery,
    TimelineSession,
)
from memtui_core.model import OBSERVATION_TYPES, Session
from memtui_core.queries.compactions import compactions_of_all
from memtui_core.queries.current_project import project_root
from memtui_core.queries.pull_requests import list_pull_requests
from memtui_core.queries.sessions import list_sessions, session_by_id
from memtui_core.queries.turns import read_turns, turn_at
from memtui_core.store.observation import Observation
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import stored
from memtui_core.text.names import shown_names


def timeline_events(
    snapshot: Snapshot | None, sessions: Sequence[TimelineSession], kind: str = ""
) -> tuple[TimelineEvent, ...]:
    """The events of sessions that have a time, oldest first; observations of one `kind`, or of all.

    What happened in a subagent is left out.
    """
    events = [*_own_events(sessions, kind)]
    if snapshot is not None:
        by_key = {row.session.key: row for row in sessions if row.session is not None}
        events += _compactions(snapshot, by_key)
        events += _pull_requests(snapshot, by_key)
    return tuple(sorted(events, key=lambda event: (event.first, event.key)))


def _own_events(sessions: Sequence[TimelineSession], kind: str) -> Iterator[TimelineEvent]:
    for row in sessions:
        first = row.observations[0].created_at if row.observations else None
        if row.session is not None:
            first = row.session.started_at or row.at
        if first is not None:
            yield TimelineEvent("session", first, max(first, row.at or first), row)
        for item in row.observations:
            if kind in ("", item.content.type):
                yield TimelineEvent("observation", item.created_at, item.created_at, row, observation=item)


def _compactions(snapshot: Snapshot, sessions: Mapping[int, TimelineSession]) -> Iterator[TimelineEvent]:
    for item in compactions_of_all(snapshot):
        if item.session in sessions and item.at is not None:
            tokens = f"{item.tokens_before:,} tokens" if item.tokens_before else ""
            label = ", ".join(filter(None, (item.trigger, tokens)))
            yield TimelineEvent("compaction", item.at, item.at, sessions[item.session], item.turn, label)


def _pull_requests(snapshot: Snapshot, sessions: Mapping[int, TimelineSession]) -> Iterator[TimelineEvent]:
    for row in list_pull_requests(snapshot):
        if row.session in sessions and row.at is not None:
            label = f"#{row.number} {row.repository}"
            yield TimelineEvent("pull request", row.at, row.at, sessions[row.session], row.turn, label)


_PAGE_INTERVAL: Final = 0.25
"""Seconds between two versions of a page while summaries are being made."""
_SummaryInput = tuple[Session, tuple[str, ...], object]
"""What a summary is made from: the session, the titles of its saved decisions, and the base, which is another one when
stored texts were redacted again or made less."""


class Timeline:
    """Lists sessions and observations, and caches the summaries of sessions; thread-safe."""

    def __init__(self, observations: Observations, folder: str) -> None:
        self._observations = observations
        self._folder = folder
        self._summaries: dict[str, tuple[_SummaryInput, SessionSummary | None]] = {}
        """By session id."""

    def pages(
        self, snapshot: Snapshot | None, query: TimelineQuery, is_cancelled: Callable[[], bool]
    ) -> Iterator[TimelinePage]:
        """The page of a query: first with the cached summaries, then again as the missing ones are made.

        `snapshot` is None before there is an index.
        """
        saved = self._observations.select()
        sessions = _sessions(snapshot, saved)
        roots = {session.root for session in sessions} | {item.root for item in saved}
        root = self._root(snapshot, query.root, roots)
        sessions = [session for session in sessions if root in (None, session.root)]
        saved = [item for item in saved if root in (None, item.root)]
        forgotten = self._observations.select(root=root, forgotten=True)
        kinds = _kinds(saved, forgotten)
        events = timeline_events(snapshot, sessions, query.kind)
        if query.kind:
            if query.kind == FORGOTTEN:
                observations = sorted(forgotten, key=forgotten_at, reverse=True)
            else:
                observations = [item for item in saved if item.content.type == query.kind]
            listed = tuple(observations[: query.limit])
            ids = {item.session_id for item in listed}
            their_sessions = tuple(session for session in sessions if session.session_id in ids)
            yield TimelinePage(query, root, their_sessions, listed, len(observations), kinds, events)
            return
        for summarized in self._summarized(snapshot, sessions[: query.limit]):
            if is_cancelled():
                return
            yield TimelinePage(query, root, summarized, (), len(sessions), kinds, events)

    def _summarized(
        self, snapshot: Snapshot | None, sessions: Sequence[TimelineSession]
    ) -> Iterator[tuple[TimelineSession, ...]]:
        """The sessions with their summaries, again each time that more summaries have been made."""
        base = snapshot.manifest.base if snapshot is not None else None
        summarized = [self._with_cached_summary(session, base) for session in sessions]
        yield tuple(summarized)
        last_yield = time.monotonic()
        missing = [place for place, session in enumerate(summarized) if not session.summary_is_known]
        for place in missing:
            row = summarized[place]
            assert snapshot is not None
            assert row.session is not None
            decisions = _decisions(row)
            summary = summary_of(snapshot, row.session.key, row.session_id, decisions)
            self._summaries[row.session_id] = (row.session, decisions, base), summary
            summarized[place] = replace(row, summary=summary, summary_is_known=True)
            if time.monotonic() - last_yield > _PAGE_INTERVAL:
                yield tuple(summarized)
                last_yield = time.monotonic()
        if missing:
            yield tuple(summarized)

    def _with_cached_summary(self, row: TimelineSession, base: object) -> TimelineSession:
        """The session with its cached summary, if that was made from the same session, decisions and base."""
        if row.session is None:
            return replace(row, summary_is_known=True)
        made_from, summary = self._summaries.get(row.session_id, (None, None))
        if made_from != (row.session, _decisions(row), base):
            return row
        return replace(row, summary=summary, summary_is_known=True)

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
    """The sessions of the index and all others that have observations, newest first."""
    observations = observations_by_session(saved)
    indexed = {session.session_id: session for session in list_sessions(snapshot)} if snapshot is not None else {}
    for session_id in observations.keys() - indexed.keys():
        if snapshot is not None and (session := session_by_id(snapshot, session_id)) is not None:
            indexed[session_id] = session
    others = {session_id: own[-1] for session_id, own in observations.items() if session_id not in indexed}
    # Some projects are known by their observations only.
    names = shown_names(
        [(session.root, stored(session.project)) for session in indexed.values()]
        + [(last.root, last.project) for last in others.values()]
    )
    rows = [
        TimelineSession(
            session_id, session.root, names[session.root, stored(session.project)],
            session.ended_at or session.started_at, session, tuple(observations.get(session_id, ())),
        )
        for session_id, session in indexed.items()
    ]  # fmt: skip
    rows += [
        TimelineSession(
            session_id, last.root, names[last.root, last.project], last.created_at, None,
            tuple(observations[session_id]),
        )
        for session_id, last in others.items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row.at.timestamp() if row.at else 0.0, row.session_id))


def _decisions(row: TimelineSession) -> tuple[str, ...]:
    """Titles of the saved decisions of a session: its summary lists them among the key decisions."""
    return tuple(item.content.title for item in row.observations if item.content.type == "decision")


def _kinds(saved: Sequence[Observation], forgotten: Sequence[Observation]) -> tuple[tuple[str, int], ...]:
    counts = Counter(item.content.type for item in saved)
    kinds = tuple((kind, counts[kind]) for kind in OBSERVATION_TYPES if counts[kind])
    return (*kinds, (FORGOTTEN, len(forgotten))) if forgotten else kinds
