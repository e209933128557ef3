"""The events of the timeline: sessions, and the compactions, pull requests and observations in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memtui_core.memory.timeline.model import TimelineEvent, TimelineSession
from memtui_core.queries.compactions import compactions_of_all
from memtui_core.queries.pull_requests import list_pull_requests
from memtui_core.store.snapshot.reader import Snapshot


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
