"""How long agents worked: the one rule for the time of a turn and of a session.

A turn ends with its last entry, which need not be work: Claude Code writes a recap when the user has been away for
three minutes. And between two entries an agent may wait for the user, or the computer may sleep.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, Final

from memtui_core.store.tables import RowSource, key_condition

Times = tuple[timedelta | None, timedelta | None]
PAUSE: Final = timedelta(minutes=10)
"""The longest time between two entries of a turn in which the agent worked: agents limit a command to ten minutes.

In a longer one it waited for the user, or the computer slept."""

_LONG: Final = timedelta(minutes=2)
"""The entries of longer turns are read: there may be a pause, or a recap."""
IS_LONG: Final = f"(ended_at - started_at > INTERVAL {_LONG.total_seconds():.0f} SECOND)"
"""An SQL condition on a turn: its entries say how long the agent worked. In other turns it worked all the time."""


def read_times(source: RowSource, keys: Collection[int]) -> dict[int, Times]:
    """The wall time and the active time of sessions, see `SessionUsage`, by key."""
    rows = source.rows(
        "SELECT session, max(credible(ended_at)) - min(credible(started_at)),"
        " sum(epoch_us(ended_at) - epoch_us(started_at)) FILTER (NOT is_long)::BIGINT, list(id) FILTER (is_long)"
        f" FROM (SELECT *, {IS_LONG} AS is_long FROM turns WHERE {key_condition('session', keys)})"
        " GROUP BY session"
    )
    active = active_of_long(source, [turn for *_, long in rows for turn in long or ()])
    times: dict[int, Times] = {}
    for session, wall, short, long in rows:
        total = sum((active[turn] for turn in long or ()), timedelta(microseconds=short or 0))
        times[session] = wall, None if wall is None else total
    return times


def active_of_long(source: RowSource, turns: Sequence[int]) -> dict[int, timedelta]:
    """The active time of turns that are long, by id: between the entries, without pauses and that before a recap."""
    if not turns:
        return {}
    rows: list[tuple[Any, ...]] = source.rows(
        "SELECT turn, sum(epoch_us(gap))::BIGINT FROM (SELECT turn, at_time - lag(at_time) OVER (PARTITION BY turn"
        f" ORDER BY at_time) AS gap FROM blocks WHERE {key_condition('turn', turns)} AND at_time IS NOT NULL"
        " AND NOT (kind = 'note' AND tool = 'recap'))"
        " WHERE gap <= $1 GROUP BY turn",
        [PAUSE],
    )
    return dict.fromkeys(turns, timedelta()) | {turn: timedelta(microseconds=active) for turn, active in rows}
