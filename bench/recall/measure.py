"""Being reminded at each moment, and counting who was named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

from bench.recall.moments import Moment
from bench.recall.ways import Way

TOP = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way was worth at one moment."""

    way: str
    moment: Moment
    rank: int | None
    """Place, from 1, of the first result that is of a session which edited the file; None when there is none."""
    results: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Row:
    """How good one way is."""

    way: str
    moments: int
    hits: float
    """Share of the moments at which such a session is among the first TOP results, 0 to 1."""
    mrr: float
    """Mean of 1/rank over all results, 0 where there is none."""
    silent: float
    """Share of the moments at which nothing was said."""
    tokens: float
    """Median of an answer's tokens; an answer that says nothing has none."""
    tokens_p95: int


def outcomes(moments: Sequence[Moment], ways: Mapping[str, Way]) -> list[Outcome]:
    """Every way at every moment."""
    return [ask(name, way, moment) for name, way in ways.items() for moment in moments]


def ask(name: str, way: Way, moment: Moment) -> Outcome:
    """Be reminded once."""
    told = way(moment)
    places = [place for place, session in enumerate(told.sessions, 1) if session in moment.answers]
    return Outcome(name, moment, places[0] if places else None, len(told.sessions), told.tokens)


def rows(found: Sequence[Outcome]) -> list[Row]:
    """The figures of each way, in the order in which they were asked."""
    return [_row(name, [one for one in found if one.way == name]) for name in dict.fromkeys(one.way for one in found)]


def _row(name: str, found: Sequence[Outcome]) -> Row:
    ranks = [one.rank for one in found if one.rank is not None]
    tokens, count = sorted(one.tokens for one in found), len(found)
    return Row(
        name,
        count,
        sum(rank <= TOP for rank in ranks) / count,
        sum(1 / rank for rank in ranks) / count,
        sum(not one.results for one in found) / count,
        median(tokens),
        tokens[ceil(0.95 * count) - 1],
    )
