"""How well the rows of a review tell what its summary dropped, and whether they and the kept ones are true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Final

from bench.review.judged import Judged, JudgedRow, digest
from memtui_core.compaction import STATEMENT_KINDS, Review, ReviewItem

FIRST: Final = 10
"""The rows that count: those that a person sees without scrolling."""


@dataclass(frozen=True, slots=True)
class Score:
    """The rows of one review, or of several."""

    name: str
    dropped: int
    told: int
    """Dropped things that one of the first rows conveys, those that only may matter included."""
    harmful: int
    harmful_told: int
    """The same of those with the highest weight."""
    shown: int
    """Of the first rows those that matter as the review says; the next ones are of these."""
    judged: int
    matter: int
    """That matter to a reader, or convey a dropped thing that does."""
    useful: int
    """That are at least somewhat useful, or convey any dropped thing."""
    absent: int
    """That the summary does not say, or only partly."""
    kept: int
    """Rows of the kept ones that somebody has judged."""
    false_kept: int
    """Of these, those that the summary does not say."""
    contradictions: int
    right: int
    """Contradictions, and those that are right."""


def score(judged: Judged, review: Review) -> Score:
    """The score of a review."""
    said = [item for item in review.lost if item.kind in STATEMENT_KINDS][:FIRST]
    shown = review.main[:FIRST]
    told = {at for item in said for at in _conveyed(judged, item)}
    harmful = {at for at, thing in enumerate(judged.dropped) if thing.weight == 3}
    rows = [(item, row) for item in shown if (row := judged.rows.get(digest(item.text))) is not None]
    kept = [row for item in review.kept if (row := judged.rows.get(digest(item.text))) is not None]
    wrong = [row for item, row in rows if item.kind == "contradiction"]
    return Score(
        judged.name, len(judged.dropped), len(told), len(harmful), len(harmful & told), len(shown), len(rows),
        sum(_matters(judged, item, row, least=2) for item, row in rows),
        sum(_matters(judged, item, row, least=1) for item, row in rows),
        sum(row.absent != "no" for _, row in rows),
        len(kept), sum(row.absent == "yes" for row in kept), len(wrong), sum(row.right for row in wrong),
    )  # fmt: skip


def _conveyed(judged: Judged, item: ReviewItem) -> frozenset[int]:
    """The dropped things that a row conveys, by its verdict or by its words."""
    row = judged.rows.get(digest(item.text))
    by_words = {at for at, thing in enumerate(judged.dropped) if thing.is_in(item.text)}
    return frozenset(by_words) | (row.items if row is not None else frozenset())


def _matters(judged: Judged, item: ReviewItem, row: JudgedRow, least: int) -> bool:
    conveyed = max((judged.dropped[at].weight for at in _conveyed(judged, item)), default=0)
    return row.absent != "no" and (row.matter >= least or conveyed >= least)


def total(name: str, scores: Sequence[Score]) -> Score:
    """The sum of scores."""
    numbers = (field.name for field in fields(Score) if field.name != "name")
    return Score(name, *(sum(getattr(one, number) for one in scores) for number in numbers))


_COLUMNS: Final[tuple[tuple[str, Callable[[Score], tuple[int, int]]], ...]] = (
    ("dropped, told", lambda one: (one.told, one.dropped)),
    ("harmful, told", lambda one: (one.harmful_told, one.harmful)),
    ("rows: matter", lambda one: (one.matter, one.judged)),
    ("useful", lambda one: (one.useful, one.judged)),
    ("truly absent", lambda one: (one.absent, one.judged)),
    ("kept: false", lambda one: (one.false_kept, one.kept)),
    ("wrong: right", lambda one: (one.right, one.contradictions)),
)
_WIDTH: Final = 14


def table(scores: Sequence[Score]) -> str:
    """The scores as lines with shares."""
    lines = ["".join([f"{'':<14}", *(f"{title:>{_WIDTH}}" for title, _ in _COLUMNS), "  unjudged"])]
    for one in scores:
        cells = (f"{_share(*counted(one)):>{_WIDTH}}" for _, counted in _COLUMNS)
        unjudged = one.shown - one.judged
        lines.append(f"{one.name:<14}{''.join(cells)}{unjudged or '':>10}".rstrip())
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} {part / whole:.2f}" if whole else "-"
