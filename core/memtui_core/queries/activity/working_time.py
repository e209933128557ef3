"""When agents worked, and how long: the one rule for a turn, a session and a day.

A turn ends with its last entry, which need not be work: Claude Code writes a recap when the user has been away for
three minutes. And between two entries an agent may wait for the user, or the computer may sleep.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from typing import Final

from memtui_core.store.tables import RowSource, key_condition

Times = tuple[timedelta | None, timedelta | None]
Span = tuple[float, float]
"""From when to when an agent worked, in seconds since 1970: of very many these are read at once."""
PAUSE: Final = timedelta(minutes=10)
"""The longest time between two entries of a turn in which the agent worked: agents limit a command to ten minutes.

In a longer one it waited for the user, or the computer slept."""

_LONG: Final = timedelta(minutes=2)
"""The entries of longer turns are read: there may be a pause, or a recap."""
_SQL_LONG: Final = f"INTERVAL '{_LONG.total_seconds()} seconds'"
_SQL_PAUSE: Final = f"INTERVAL '{PAUSE.total_seconds()} seconds'"
IS_LONG: Final = f"(ended_at - started_at > {_SQL_LONG})"
"""An SQL condition on a turn: its entries say how long the agent worked. In other turns it worked all the time."""


def read_times(source: RowSource, keys: Collection[int]) -> dict[int, Times]:
    """The wall time and the active time of sessions, see `SessionUsage`, by key."""
    own = key_condition("session", keys)
    walls = source.rows(
        f"SELECT session, max(credible(ended_at)) - min(credible(started_at)), bool_or({IS_LONG})"
        f" FROM turns WHERE {own} GROUP BY session"
    )
    has_long = any(is_long for *_, is_long in walls)
    worked: dict[int, int] = dict(
        source.rows(
            "SELECT session, sum(epoch_us(last) - epoch_us(first))::BIGINT"
            f" FROM ({_pieces(own, has_long=has_long)}) GROUP BY session"
        )
    )
    return {
        session: (wall, None if wall is None else timedelta(microseconds=worked.get(session, 0)))
        for session, wall, _ in walls
    }


def active_of_long(source: RowSource, turns: Sequence[int]) -> dict[int, timedelta]:
    """How long the agent worked in turns that are long, by id."""
    if not turns:
        return {}
    rows: list[tuple[int, int]] = source.rows(
        "SELECT turn, sum(epoch_us(last) - epoch_us(first))::BIGINT"
        f" FROM ({_pieces_of_long(key_condition('id', turns))}) GROUP BY turn"
    )
    return dict.fromkeys(turns, timedelta()) | {turn: timedelta(microseconds=active) for turn, active in rows}


def read_spans(source: RowSource, keys: Collection[int] | None = None) -> dict[int, list[Span]]:
    """When the agents of some sessions worked, or of all for None, by key: the first span first.

    A turn is a span, or several with pauses between them; of all sessions, one that took at most PAUSE is one span. The
    work of subagents is their own.
    """
    rows = _ALL_ROWS if keys is None else _pieces(key_condition("session", keys))
    spans: dict[int, list[Span]] = defaultdict(list)
    for session, *span in source.rows(
        f"SELECT session, epoch(first) AS first, epoch(last) FROM ({rows})"
        " WHERE first <= last AND credible(first) IS NOT NULL AND credible(last) IS NOT NULL ORDER BY first"
    ):
        spans[session].append((span[0], span[1]))
    return spans


def joined_spans(spans: Iterable[Span]) -> list[Span]:
    """Spans, the first one first, without those that overlap and without pauses of at most PAUSE between them."""
    joined: list[Span] = []
    longest, start, end = PAUSE.total_seconds(), 0.0, 0.0
    for first, last in spans:
        if first - end > longest:
            if end:
                joined.append((start, end))
            start = first
        if last > end:
            end = last
    return [*joined, (start, end)] if end else joined


def _pieces(condition: str, *, has_long: bool = True) -> str:
    """SQL of the pieces of turns in which an agent worked, as session, first and last.

    Without pauses, and without the time before a recap; `condition` selects the turns.
    """
    short = f"SELECT session, started_at AS first, ended_at AS last FROM turns WHERE {condition} AND NOT {IS_LONG}"
    if not has_long:
        return short
    long = _pieces_of_long(f"{condition} AND {IS_LONG}")
    return f"{short} UNION ALL SELECT session, first, last FROM ({long})"


def _pieces_of_long(condition: str) -> str:
    """The same of turns whose entries are read, as session, turn, first and last."""
    return (
        "SELECT session, turn, min(at_time) AS first, max(at_time) AS last FROM ("
        " SELECT *, sum(is_new::INTEGER) OVER (PARTITION BY turn ORDER BY at_time) AS number FROM ("
        " SELECT session, turn, at_time, coalesce("
        f"at_time - lag(at_time) OVER (PARTITION BY turn ORDER BY at_time) > {_SQL_PAUSE}, FALSE) AS is_new"
        f" FROM blocks JOIN (SELECT id, session FROM turns WHERE {condition})"
        " ON turn = id WHERE at_time IS NOT NULL AND NOT (kind = 'note' AND tool = 'recap')))"
        " GROUP BY session, turn, number"
    )


_SESSIONS: Final = (
    "SELECT session, min(started_at) AS first, max(ended_at) AS last, max(ended_at - started_at) AS longest"
    " FROM turns GROUP BY session"
)
_ALL_ROWS: Final = (
    # Where nothing took long there is no recap.
    f"SELECT session, first, last FROM ({_SESSIONS}) WHERE last - first <= {_SQL_PAUSE} AND longest <= {_SQL_LONG}"
    " UNION ALL "
    + _pieces(
        f"session IN (SELECT session FROM ({_SESSIONS}) WHERE last - first > {_SQL_PAUSE} OR longest > {_SQL_LONG})"
    )
)
"""SQL of the spans of all sessions: of ten thousand, many are short."""
