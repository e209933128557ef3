"""The timeline of past work, page by page: sessions, their summaries as they are made, and observations."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memtui_core.memory.book import Observations
from memtui_core.memory.summaries import SessionSummary, summary_of
from memtui_core.memory.timeline import root_of
from memtui_core.memory.timeline_model import (
    CURRENT_PROJECT,
    FORGOTTEN,
    Origin,
    TimelinePage,
    TimelineQuery,
    TimelineSession,
)
from memtui_core.memory.values import TYPES, Observation
from memtui_core.model import Session
from memtui_core.queries.sessions import list_sessions, session_by_id
from memtui_core.queries.turns import read_turns
from memtui_core.store.reader import Snapshot

_BATCH_SECONDS: Final = 0.25
"""Seconds after which the summaries made so far are passed on, though others are still to be made."""
_SummaryInput = tuple[Session, tuple[str, ...]]
"""What a summary is made of: the session, and the decisions that were written down in it."""


class Timeline:
    """Lists sessions and observations; keeps the summaries that it has made. Every thread may use it."""

    def __init__(self, observations: Observations, folder: str) -> None:
        self._observations = observations
        self._folder = folder
        self._summaries: dict[str, tuple[_SummaryInput, SessionSummary | None]] = {}
        """By the id of the session."""

    def pages(
        self, snapshot: Snapshot | None, query: TimelineQuery, is_cancelled: Callable[[], bool]
    ) -> Iterator[TimelinePage]:
        """The page of a query: at once with the summaries that are known, then again as others are made.

        `snapshot` is None before there is an index.
        """
        saved = self._observations.select()
        sessions = _sessions(snapshot, saved)
        roots = {one.root for one in sessions} | {one.root for one in saved}
        root = self._root(snapshot, query.root, roots)
        sessions = [one for one in sessions if root in (None, one.root)]
        saved = [one for one in saved if root in (None, one.root)]
        forgotten = self._observations.select(root=root, forgotten=True)
        kinds = _kinds(saved, forgotten)
        if query.kind:
            if query.kind == FORGOTTEN:
                rows = sorted(forgotten, key=forgotten_at, reverse=True)
            else:
                rows = [one for one in saved if one.content.type == query.kind]
            listed = tuple(rows[: query.limit])
            ids = {one.session_id for one in listed}
            shown = tuple(one for one in sessions if one.session_id in ids)
            yield TimelinePage(query, root, shown, listed, len(rows), kinds)
            return
        for shown in self._with_summaries(snapshot, sessions[: query.limit]):
            if is_cancelled():
                return
            yield TimelinePage(query, root, shown, (), len(sessions), kinds)

    def _with_summaries(
        self, snapshot: Snapshot | None, sessions: Sequence[TimelineSession]
    ) -> Iterator[tuple[TimelineSession, ...]]:
        shown = [self._with_known_summary(one) for one in sessions]
        yield tuple(shown)
        passed_on = time.monotonic()
        missing = [place for place, one in enumerate(shown) if not one.summary_is_known]
        for place in missing:
            one = shown[place]
            assert snapshot is not None
            assert one.session is not None
            decided = _decisions(one)
            summary = summary_of(snapshot, one.session.key, one.session_id, decided)
            self._summaries[one.session_id] = (one.session, decided), summary
            shown[place] = replace(one, summary=summary, summary_is_known=True)
            if time.monotonic() - passed_on > _BATCH_SECONDS:
                yield tuple(shown)
                passed_on = time.monotonic()
        if missing:
            yield tuple(shown)

    def _with_known_summary(self, one: TimelineSession) -> TimelineSession:
        """With its summary, if that was made of the same session and decisions."""
        if one.session is None:
            return replace(one, summary_is_known=True)
        made_of, summary = self._summaries.get(one.session_id, (None, None))
        if made_of != (one.session, _decisions(one)):
            return one
        return replace(one, summary=summary, summary_is_known=True)

    def _root(self, snapshot: Snapshot | None, root: str | None, roots: set[str]) -> str | None:
        if root != CURRENT_PROJECT:
            return root
        current = root_of(snapshot, self._folder)
        return current if current and current in roots else None


def origin_of(snapshot: Snapshot | None, observation: Observation) -> Origin:
    """The session and the turn in which an observation was written; None for what the index does not know."""
    session = session_by_id(snapshot, observation.session_id) if snapshot is not None else None
    if snapshot is None or session is None:
        return Origin(observation, None, None)
    turns = read_turns(snapshot, session.key)
    begun = [one.number for one in turns if one.started_at and one.started_at <= observation.created_at]
    return Origin(observation, session, begun[-1] if begun else None)


def forgotten_at(one: Observation) -> datetime:
    """When a forgotten observation was forgotten."""
    assert one.forgotten_at is not None
    return one.forgotten_at


def _sessions(snapshot: Snapshot | None, saved: Sequence[Observation]) -> list[TimelineSession]:
    """Every session of the index, and every other one that has observations; newest first."""
    by_session: dict[str, list[Observation]] = {}
    for one in reversed(saved):
        by_session.setdefault(one.session_id, []).append(one)
    known = {one.session_id: one for one in list_sessions(snapshot)} if snapshot is not None else {}
    for name in by_session.keys() - known.keys():
        if snapshot is not None and (session := session_by_id(snapshot, name)) is not None:
            known[name] = session
    rows = [
        TimelineSession(name, one.root, one.ended_at or one.started_at, one, tuple(by_session.get(name, ())))
        for name, one in known.items()
    ]
    for name in by_session.keys() - known.keys():
        last = by_session[name][-1]
        rows.append(TimelineSession(name, last.root, last.created_at, None, tuple(by_session[name])))
    return sorted(rows, key=lambda one: (-one.at.timestamp() if one.at else 0.0, one.session_id))


def _decisions(one: TimelineSession) -> tuple[str, ...]:
    """Titles of the decisions that were written down: they are among the key decisions of its summary."""
    return tuple(each.content.title for each in one.observations if each.content.type == "decision")


def _kinds(saved: Sequence[Observation], forgotten: Sequence[Observation]) -> tuple[tuple[str, int], ...]:
    counts = Counter(one.content.type for one in saved)
    kinds = tuple((kind, counts[kind]) for kind in TYPES if counts[kind])
    return (*kinds, (FORGOTTEN, len(forgotten))) if forgotten else kinds
