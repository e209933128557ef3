"""Whether a version of the program answers better than another one, or only happens to.

Both answered the same questions. The sessions that these are about are drawn with replacement, as many as there are,
2,000 times; a session that is drawn twice counts twice, on both sides. The middle 95 % of the differences are the
interval of a difference, which is real if 0 is not in it. Of fewer than six sessions none is: that five
of five change in the same direction is what coins do once in 16 times.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.quality.measure import FIGURES, OVERALL, Answer, of_kind
from bench.quality.questions import KINDS

DRAWS = 2_000
SEED = 1
FEWEST = 6
"""Sessions without which no difference is real."""
_Floats: TypeAlias = NDArray[np.float64]


class Unreadable(Exception):
    """A file does not hold saved answers."""


@dataclass(frozen=True, slots=True)
class Change:
    """The difference of one figure between two versions, for one kind of question."""

    kind: str
    figure: str
    questions: int
    sessions: int
    before: float
    after: float
    low: float
    high: float
    """The ends of the interval of `after - before`."""

    @property
    def is_real(self) -> bool:
        """Whether the difference is more than chance."""
        return self.sessions >= FEWEST and (self.low > 0 or self.high < 0)


def save(path: Path, answers: Sequence[Answer]) -> None:
    """Write answers to a file, one a line."""
    path.write_text("".join(json.dumps(asdict(answer)) + "\n" for answer in answers), encoding="utf-8")


def saved(path: Path) -> list[Answer]:
    """The answers in a file. Raises Unreadable."""
    try:
        return [Answer(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError, TypeError) as error:
        raise Unreadable(f"{path} holds no saved answers: {error}") from error


def in_both(before: Iterable[Answer], after: Iterable[Answer]) -> tuple[list[Answer], list[Answer]]:
    """The answers to the questions that were asked in both runs, in the same order."""
    known = {(answer.kind, answer.text): answer for answer in before}
    kept = [answer for answer in after if (answer.kind, answer.text) in known]
    return [known[answer.kind, answer.text] for answer in kept], kept


def changes(before: Sequence[Answer], after: Sequence[Answer]) -> list[Change]:
    """The differences by kind, then over all, between answers to the same questions in the same order."""
    found: list[Change] = []
    for kind in (*KINDS, OVERALL):
        if new := of_kind(kind, after):
            found += _changes_of(kind, of_kind(kind, before), new)
    return found


def _changes_of(kind: str, before: Sequence[Answer], after: Sequence[Answer]) -> Iterator[Change]:
    sessions = sorted({answer.session for answer in after})
    chance = np.random.default_rng(SEED)
    draws = chance.multinomial(len(sessions), np.full(len(sessions), 1 / len(sessions)), DRAWS)
    places = [sessions.index(answer.session) for answer in after]
    for name, figure in FIGURES.items():
        old, new = (_sums([figure(answer) for answer in side], places, len(sessions)) for side in (before, after))
        differences = _means(draws, new) - _means(draws, old)
        differences = differences[~np.isnan(differences)]
        if len(differences):
            low, high = np.percentile(differences, [2.5, 97.5])
            was, now = (float(values.sum() / counts.sum()) for values, counts in (old, new))
            yield Change(kind, name, len(after), len(sessions), was, now, float(low), float(high))


def _sums(values: Sequence[float | None], places: Sequence[int], sessions: int) -> tuple[_Floats, _Floats]:
    """The sum of the values about each session, and how many count."""
    sums, counts = np.zeros(sessions), np.zeros(sessions)
    for place, value in zip(places, values, strict=True):
        if value is not None:
            sums[place] += value
            counts[place] += 1
    return sums, counts


def _means(draws: NDArray[np.int64], sums: tuple[_Floats, _Floats]) -> _Floats:
    """The mean of each draw; NaN where no value of it counts."""
    values, counts = sums
    with np.errstate(invalid="ignore"):
        means: _Floats = (draws @ values) / (draws @ counts)
    return means
