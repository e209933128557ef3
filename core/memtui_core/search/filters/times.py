"""The filters by time: `after:3d`, `before:2026-11-20`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import UTC, datetime

from memtui_core.search.filters.completions import fixed_values
from memtui_core.search.filters.filter import Condition, Filter, FilterContext, FilterNotApplied, ObservationTest
from memtui_core.text.dates import parse_time


def _time_filter(
    name: str, leaves: str, example: str, sign: str, compare: Callable[[datetime, datetime], bool]
) -> Filter:
    """A filter that compares a time with its value: by a sign of SQL, and by the same operator of Python."""

    def limit(value: str, context: FilterContext) -> datetime:
        time = parse_time(value, context.now)
        if time is None:
            raise FilterNotApplied(f"{name}:{value} is not a valid time, such as 3d, yesterday or 2026-11-20")
        return time

    def turns(value: str, context: FilterContext) -> Condition:
        return Condition(f"t.started_at {sign} ?", [limit(value, context).astimezone(UTC).replace(tzinfo=None)])

    def observations(value: str, context: FilterContext) -> ObservationTest:
        time = limit(value, context)
        return lambda one: compare(one.created_at, time)

    return Filter(
        name=name,
        leaves=leaves,
        examples=(example,),
        turns=turns,
        observations=observations,
        completions=fixed_values("today", "yesterday", "3d", "7d", "1m"),
        conjunctive=True,
    )


AFTER = _time_filter(
    "after",
    "turns from then on: h, d, w, m(onths) or y ago; `today`, `yesterday`, a weekday; a year, month, day or time",
    "3d",
    ">=",
    operator.ge,
)
BEFORE = _time_filter("before", "turns before such a time", "2026-11-20", "<", operator.lt)
