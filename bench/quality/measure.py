"""Asking the questions and counting what came back among the first ten."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bench.quality.answering import shows_answer
from bench.quality.questions import KINDS, Place, Question
from memtui_core.index import Index

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


@dataclass(frozen=True, slots=True)
class Row:
    """How well one engine answered the questions of one kind."""

    kind: str
    """One of KINDS, or `overall`, where every question counts the same."""
    engine: str
    questions: int
    mrr: float
    """Mean of 1/rank of the first right turn, 0 for a question without one among the first ten."""
    recall: float
    """Share of the questions with a right turn among the first ten, 0 to 1."""
    passage: float
    """Share of those whose first passage answers, 0 to 1: see `shows_answer`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one question."""

    rank: int | None
    """The place of the first right turn; None when there was none among the first ten."""
    shown: bool = False
    """The first passage of that turn answers."""


def rank(question: Question, hits: Sequence[Place]) -> int | None:
    """The place, from 1, of the first turn that answers among the first ten; None when there is none."""
    counted = [hit for hit in hits if hit not in question.aside][:TOP]
    return next((number for number, hit in enumerate(counted, 1) if hit in question.answers), None)


def ask(index: Index, question: Question, engines: Collection[str]) -> Answer:
    """Search for a question, rank what comes and look at the first passage of the right turn."""
    hits = index.search(question.text, TOP + len(question.aside), engines=engines).hits
    number = rank(question, [(hit.session_id, hit.line) for hit in hits])
    right = next((hit for hit in hits if (hit.session_id, hit.line) in question.answers), None)
    return Answer(number, number is not None and right is not None and shows_answer(index, right, question.text))


def score(kind: str, engine: str, answers: Sequence[Answer]) -> Row:
    """The figures of some answers."""
    ranks = [answer.rank for answer in answers if answer.rank is not None]
    count = max(len(answers), 1)
    shown = sum(answer.shown for answer in answers) / max(len(ranks), 1)
    return Row(kind, engine, len(answers), sum(1 / number for number in ranks) / count, len(ranks) / count, shown)


def rows(index: Index, questions: Sequence[Question], engines: Collection[str] = tuple(ENGINES)) -> list[Row]:
    """The figures of every kind that has questions, then over all, for some of ENGINES."""
    answers = {engine: [ask(index, question, ENGINES[engine]) for question in questions] for engine in engines}
    found = []
    for kind in (*KINDS, OVERALL):
        places = [number for number, question in enumerate(questions) if kind in (question.kind, OVERALL)]
        if places:
            found += [score(kind, engine, [answers[engine][place] for place in places]) for engine in engines]
    return found
