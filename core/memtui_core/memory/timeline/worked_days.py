"""The days on which agents worked in sessions, in the time zone of this machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple

from memtui_core.queries.activity.working_time import Span, joined_spans, read_spans
from memtui_core.queries.statistics.usage import with_subagents
from memtui_core.store.snapshot.reader import Snapshot

_MICROSECOND: Final = 1e-6


class WorkedDay(NamedTuple):
    """The work of a session on one day."""

    on: date
    first: datetime
    last: datetime
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
        on, end, start = date.fromtimestamp(first), date.fromtimestamp(last), first
        while on < end:
            on, before = on + timedelta(1), on
            midnight = datetime.combine(on, time()).timestamp()
            yield before, (start, midnight - _MICROSECOND)
            start = midnight
        yield on, (start, last)


def _read(snapshot: Snapshot) -> dict[int, Sequence[WorkedDay]]:
    spans = read_spans(snapshot)
    parents = dict(snapshot.rows("SELECT key, parent FROM sessions WHERE parent IS NOT NULL AND NOT hidden"))
    with_others: dict[int, list[Span]] = defaultdict(list)
    for key, top in with_subagents(snapshot, set(parents.values()) - parents.keys()).items():
        with_others[top] += spans.pop(key, [])
    spans |= {top: sorted(own) for top, own in with_others.items() if own}
    days = {key: _days(own) for key, own in spans.items()}
    # A pause at midnight is no work, also in a short session.
    over_night = [key for key, own in spans.items() if len(own) == 1 and len(days[key]) > 1]
    if over_night:
        days |= {key: _days(own) for key, own in read_spans(snapshot, over_night).items()}
    return days


def _days(spans: Sequence[Span]) -> Sequence[WorkedDay]:
    joined = joined_spans(spans)
    on = date.fromtimestamp(joined[0][0])
    if date.fromtimestamp(joined[-1][1]) == on:
        return (_day(on, joined),)
    by_day: dict[date, list[Span]] = defaultdict(list)
    # Joined by day, so that nothing joins them over midnight.
    for day, span in days_of(spans):
        by_day[day].append(span)
    return tuple(_day(day, joined_spans(by_day[day])) for day in sorted(by_day))


def _day(on: date, spans: Sequence[Span]) -> WorkedDay:
    first, last = datetime.fromtimestamp(spans[0][0], UTC), datetime.fromtimestamp(spans[-1][1], UTC)
    return WorkedDay(on, first, last, tuple(spans))
