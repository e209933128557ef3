"""Asking the questions, and the figures of what came back among the first ten hits, with their standard errors.

A standard error is that of the mean of all questions of a kind, clustered by session, for the questions about one
session share what makes them easy or hard: with the residuals r of n questions summed up for each of G sessions, it is
sqrt(G / (G - 1) * sum of squares of those sums) / n. One session alone has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from bench.quality.questions import KINDS, Place, Question
from memtui_core.index.index import Index
from memtui_core.model import Hit
from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon import Matcher
from memtui_core.store.lexicon.fields import searched_text, source_of
from memtui_core.store.lexicon.matcher import Match
from memtui_core.store.lexicon.query import read_clauses

TOP = 10
FUSED = "fused"
OVERALL = "overall"
ENGINES: Mapping[str, Collection[str]] = {
    "lexicon": ("lexicon",),
    "meaning": ("meaning",),
    "paths": ("paths",),
    FUSED: ("lexicon", "meaning", "paths"),
}
"""What is measured: each engine alone, and all of them."""
_SAID = frozenset({"user", "assistant", "thinking"})
_PLACE = 240
"""Characters within which words stand in one place: as many as a snippet has."""
_ALL = 1 << 30


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one question."""

    kind: str
    text: str
    session: str
    """The id of the session that the question is about."""
    turn_rank: int | None = None
    """The place of the first turn that answers; None when there was none among the first ten."""
    session_rank: int | None = None
    """The place of the first turn of a session that answers; None when there was none among the first ten."""
    shown: bool = False
    """The first passage of the turn that answers shows why: see `shows_answer`."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error; None where there is nothing to make it of."""

    mean: float | None
    error: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """How well one engine answered the questions of one kind."""

    kind: str
    """One of KINDS, or `overall`, where every question counts the same."""
    engine: str
    questions: int
    sessions: int
    figures: Mapping[str, Estimate]
    """By the names in FIGURES."""


def _within(rank: int | None, most: int) -> float:
    return float(rank is not None and rank <= most)


def _reciprocal(rank: int | None) -> float:
    return 1 / rank if rank else 0.0


FIGURES: Mapping[str, Callable[[Answer], float | None]] = {
    "turn hit@1": lambda answer: _within(answer.turn_rank, 1),
    "turn hit@5": lambda answer: _within(answer.turn_rank, 5),
    "turn MRR@10": lambda answer: _reciprocal(answer.turn_rank),
    "turn hit@10": lambda answer: _within(answer.turn_rank, TOP),
    "session hit@1": lambda answer: _within(answer.session_rank, 1),
    "session hit@5": lambda answer: _within(answer.session_rank, 5),
    "session MRR@10": lambda answer: _reciprocal(answer.session_rank),
    "passage": lambda answer: float(answer.shown) if answer.turn_rank else None,
}
"""What an answer counts in each figure, 0 to 1; None if it does not count: a passage, where no right turn was found."""


def ranks(question: Question, hits: Sequence[Place]) -> tuple[int | None, int | None]:
    """The places, from 1, of the first turn that answers and of the first turn of its session, among the first ten."""
    counted = [hit for hit in hits if hit not in question.aside][:TOP]
    sessions = {session for session, _ in question.answers}
    turn = next((number for number, hit in enumerate(counted, 1) if hit in question.answers), None)
    return turn, next((number for number, hit in enumerate(counted, 1) if hit[0] in sessions), None)


def ask(index: Index, question: Question, engines: Collection[str]) -> Answer:
    """Search for a question, rank what comes and look at the first passage of the right turn."""
    return ask_by(index, question, lambda text, limit: index.search(text, limit, engines=engines).hits)


def ask_by(index: Index, question: Question, search: Callable[[str, int], Sequence[Hit]]) -> Answer:
    """The same with another search, whose sessions can be read by the index."""
    hits = search(question.text, TOP + len(question.aside))
    turn, session = ranks(question, [(hit.session_id, hit.line) for hit in hits])
    right = next((hit for hit in hits if (hit.session_id, hit.line) in question.answers), None)
    shown = turn is not None and right is not None and shows_answer(index, right, question.text)
    return Answer(question.kind, question.text, question.session, turn, session, shown)


def shows_answer(index: Index, hit: Hit, query: str) -> bool:
    """Whether the first passage was said, and holds half as many of the query's content words as any place that was."""
    if not hit.passages or hit.passages[0].source not in _SAID:
        return False
    matcher = Matcher(read_clauses(parse(query)).clauses)
    blocks = index.sessions.blocks(hit.session, hit.turn, hit.turn)[hit.turn]
    said = [block for block in blocks if source_of(block.kind, block.tool) in _SAID]
    most = max((_together(matcher, searched_text(one.kind, one.tool, one.text)) for one in said), default=0)
    return 2 * len(matcher.clauses_in(hit.passages[0].text)) >= most


def _together(matcher: Matcher, text: str) -> int:
    """The most content words that stand in one place of a text."""
    matches: Sequence[Match] = [match for _, some in matcher.scan(text, _ALL) for match in some]
    inside: Counter[int] = Counter()
    most = last = 0
    for match in matches:
        while last < len(matches) and matches[last].end - match.start <= _PLACE:
            inside[matches[last].clause] += 1
            last += 1
        most = max(most, sum(count > 0 for count in inside.values()))
        inside[match.clause] -= 1
    return most


def estimate(values: Iterable[tuple[str, float | None]]) -> Estimate:
    """The mean of values, each with the session it is about, and its standard error; values of None do not count."""
    counted = [(session, value) for session, value in values if value is not None]
    if not counted:
        return Estimate(None, None)
    mean = sum(value for _, value in counted) / len(counted)
    sums: dict[str, float] = {}
    for session, value in counted:
        sums[session] = sums.get(session, 0.0) + value - mean
    if len(sums) == 1:
        return Estimate(mean, None)
    squares = sum(residual * residual for residual in sums.values())
    return Estimate(mean, sqrt(len(sums) / (len(sums) - 1) * squares) / len(counted))


def row(kind: str, engine: str, answers: Sequence[Answer]) -> Row:
    """The figures of some answers."""
    figures = {
        name: estimate((answer.session, figure(answer)) for answer in answers) for name, figure in FIGURES.items()
    }
    return Row(kind, engine, len(answers), len({answer.session for answer in answers}), figures)


def rows(answers: Mapping[str, Sequence[Answer]]) -> list[Row]:
    """The figures of every kind that has questions, then over all, from the answers of each engine."""
    return [
        row(kind, engine, mine)
        for kind in (*KINDS, OVERALL)
        for engine, given in answers.items()
        if (mine := of_kind(kind, given))
    ]


def of_kind(kind: str, answers: Iterable[Answer]) -> list[Answer]:
    """The answers to the questions of a kind, or all."""
    return [answer for answer in answers if kind in (answer.kind, OVERALL)]
