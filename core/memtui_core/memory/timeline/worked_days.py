"""The days on which agents worked in sessions, in the time zone of this machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from memtui_core.queries.statistics.usage import with_subagents
from memtui_core.queries.statistics.working_times import PAUSE, Span, joined_spans, read_spans
from memtui_core.store.snapshot.reader import Snapshot


class WorkedDay(NamedTuple):
    """The work of a session on one day."""

    on: date
    spans: tuple[Span, ...]
    """When its agents worked, in order; pauses of at most `PAUSE` may be in them."""


def worked_days(snapshot: Snapshot) -> Mapping[int, Sequence[WorkedDay]]:
    """The days on which there was work in each session, by its key, in order; what subagents did belongs to it.

    Sessions without times are left out.
    """
    return snapshot.cached("worked days", lambda: _read(snapshot))


def days_of(spans: Iterable[Span]) -> Iterator[tuple[date, Span]]:
    """Spans by their day: one that goes on after midnight is cut there."""
    for first, last in spans:
        on, end, start = first.astimezone().date(), last.astimezone().date(), first
        while on < end:
            following = on + timedelta(1)
            midnight = datetime.combine(following, time()).astimezone()
            yield on, (start, midnight - timedelta.resolution)
            if midnight == last:
                break
            on, start = following, midnight
        else:
            yield on, (start, last)


def _read(snapshot: Snapshot) -> dict[int, Sequence[WorkedDay]]:
    parents = dict(snapshot.rows("SELECT key, parent FROM sessions WHERE parent IS NOT NULL AND NOT hidden"))
    tops = with_subagents(snapshot, set(parents.values()) - parents.keys())
    days: dict[int, Sequence[WorkedDay]] = {}
    several: set[int] = set()
    for key, own in _of_tops(read_spans(snapshot), tops, PAUSE).items():
        # Of nearly all sessions: this takes most of the time.
        on = own[0][0].astimezone().date()
        if own[-1][1].astimezone().date() == on:
            days[key] = (WorkedDay(on, tuple(own)),)
        else:
            several.add(key)
    if several:
        # At midnight a pause must not look like work.
        keys = several | {key for key, top in tops.items() if top in several}
        exact = _of_tops(read_spans(snapshot, keys, gap=timedelta()), tops, timedelta())
        days |= {key: tuple(_by_day(exact[key])) for key in several}
    return days


def _of_tops(spans: dict[int, list[Span]], tops: Mapping[int, int], gap: timedelta) -> dict[int, list[Span]]:
    """The spans of sessions with those of the subagents, which are below the sessions that `tops` tells."""
    joined: dict[int, list[Span]] = defaultdict(list)
    for key, top in tops.items():
        joined[top] += spans.pop(key, [])
    return spans | {top: joined_spans(own, gap) for top, own in joined.items() if own}


def _by_day(spans: Iterable[Span]) -> Iterator[WorkedDay]:
    by_day: dict[date, list[Span]] = {}
    for on, span in days_of(spans):
        by_day.setdefault(on, []).append(span)
    for on, own in by_day.items():
        yield WorkedDay(on, tuple(joined_spans(own)))
