"""How well the first rows of a review tell what its summary dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bench.review.judged import Judged, digest

FIRST: Final = 10
"""The rows that count: those that a person sees without scrolling."""


@dataclass(frozen=True, slots=True)
class Score:
    """The first rows of one review, or of several."""

    name: str
    dropped: int
    told: int
    """Dropped things that a row conveys."""
    harmful: int
    harmful_told: int
    """The same of those with the highest weight."""
    judged: int
    """Rows that somebody has judged; `useful` and `absent` are of these."""
    useful: int
    absent: int
    unjudged: int


def score(judged: Judged, rows: Sequence[str]) -> Score:
    """The score of the texts of a review's rows, in their order."""
    told: set[int] = set()
    known = []
    for text in rows[:FIRST]:
        row = judged.rows.get(digest(text))
        if row is not None:
            known.append(row)
            told |= row.items
        else:
            told |= {at for at, item in enumerate(judged.dropped) if item.is_in(text)}
    harmful = {at for at, item in enumerate(judged.dropped) if item.weight == 3}
    return Score(
        judged.name, len(judged.dropped), len(told), len(harmful), len(harmful & told), len(known),
        sum(row.useful for row in known), sum(row.absent for row in known), len(rows[:FIRST]) - len(known),
    )  # fmt: skip


def total(name: str, scores: Sequence[Score]) -> Score:
    """The sum of scores."""
    fields = ("dropped", "told", "harmful", "harmful_told", "judged", "useful", "absent", "unjudged")
    return Score(name, *(sum(getattr(one, field) for one in scores) for field in fields))


def table(scores: Sequence[Score]) -> str:
    """The scores as lines with shares."""
    head = (
        f"{'':<16} {'dropped things told':>22} {'harmful ones':>16} {'useful rows':>16} {'truly absent':>16} unjudged"
    )
    lines = [head]
    for one in scores:
        shares = (
            (one.told, one.dropped, 22),
            (one.harmful_told, one.harmful, 16),
            (one.useful, one.judged, 16),
            (one.absent, one.judged, 16),
        )
        cells = (f"{_share(part, whole):>{width}}" for part, whole, width in shares)
        lines.append(f"{one.name:<16} {' '.join(cells)} {one.unjudged or '':>8}".rstrip())
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} {part / whole:.2f}" if whole else "-"
