"""Which statements a summary lacks and which it has, each the most important first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappush, heappushpop
from itertools import chain
from operator import itemgetter
from typing import Final

from memtui_core.compaction.coverage import KEPT, PARTLY_SAID, SAID, Coverage, Meanings, expected_said
from memtui_core.compaction.open_work import OpenWork
from memtui_core.compaction.statements import SPOKEN, Statement
from memtui_core.model import Turn

MOST: Final = 16
"""Statements of a review that were lost, and as many that were kept."""
_LEAST, _LEAST_KEPT = 0.25, 0.2
"""Weights from which on a statement is listed."""
_COMPARED: Final = 160
"""Statements whose meaning is compared: those of the highest weights by their words."""
_SURELY_SAID: Final = 0.8
"""The share of a statement's words from which on its meaning is not compared."""
_SAME_MEANING: Final = 0.70
_SAME_WORDS: Final = 0.6
"""Cosine, and share of the words of the shorter one, from which on two statements are the same."""
_FEWEST_SAME: Final = 3
"""Words below which two statements must have all of them: `Commit it` is not all that is said of commits."""
_REPEATED, _MOST_REPEATED = 0.06, 5
"""A statement weighs more for each other passage that says it too, up to so many."""
_NAMED, _MOST_NAMED = 0.06, 3
"""And for each name that the summary does not contain."""
_EACH_FURTHER: Final = 0.9
"""Factor for each further statement of the same passage, so that one long text does not fill the list."""
_EACH_REQUEST: Final = 0.85
"""Factor for each further request that sets no rule: most of them are done."""
_OWN_PROMPT, _EARLIER_PROMPT = 1.0, 1.2
"""Factors for prompts: summaries quote those of their own segment, and forget those before."""
_EARLIER_TASK: Final = 0.5
"""Factor for a task, a plan or a specification of before the previous compaction.

Of 17 such rows none was useful to a reader (bench/review).
"""
_OLDEST: Final = 0.75
"""Factor for the first turn of the session; 1 for the last."""
_WITHOUT_CONTEXT: Final = 0.8
"""Factor for a sentence that begins with a word for something that was said before it."""
_REFERS = re.compile(
    r"\W*(?:(?:and|but|so|also|note)\s+)?(?:its|that|that['’]s|this|both|they|these|those|it|it['’]s|he|she)\b", re.I
)
_NAME = re.compile(r"`([^`\n]{3,60})`|(#\d+)")


@dataclass(frozen=True, slots=True)
class WeighedStatement:
    """A statement with its weight in the comparison, and how much of it the summary says, 0 to 1."""

    statement: Statement
    weight: float
    share: float


def lost_and_kept(
    said: Sequence[Statement],
    turns: Sequence[Turn],
    segment: int,
    coverage: Coverage,
    open_work: OpenWork,
    meanings: Meanings | None,
) -> tuple[list[WeighedStatement], list[WeighedStatement]]:
    """The statements of turns that a summary lacks, and those that it has; `segment` is the one that it begins."""
    lost, kept = _by_words(said, turns, segment, coverage, open_work)
    lost, also_kept = _by_meaning(lost[:_COMPARED], coverage)
    texts = {item.statement.text for item in lost}
    kept = [
        item for item in sorted([*kept, *also_kept], key=lambda item: -item.weight) if item.statement.text not in texts
    ]
    return _distinct(lost, meanings, _LEAST), _distinct(kept, None, _LEAST_KEPT)


def _by_words(
    said: Sequence[Statement], turns: Sequence[Turn], segment: int, coverage: Coverage, open_work: OpenWork
) -> tuple[list[WeighedStatement], list[WeighedStatement]]:
    """The statements that the summary does not have in its words, the heaviest first, and those that it has, in order.

    Statements too light to be among `_COMPARED` lost ones or to be listed as kept are left out: their words need not be
    compared with the summary.
    """
    age = {turn.id: _OLDEST + (1 - _OLDEST) * at / len(turns) for at, turn in enumerate(turns, 1)}
    weights = [_weight(statement, age[statement.passage.turn.id], segment, open_work) for statement in said]
    lost: list[tuple[float, int, WeighedStatement]] = []
    kept: list[tuple[int, WeighedStatement]] = []
    heaviest: list[float] = []
    for at in sorted(range(len(said)), key=lambda at: -weights[at]):
        weight, statement = weights[at], said[at]
        is_full = len(heaviest) == _COMPARED and heaviest[0] > weight * (1 + _NAMED * _MOST_NAMED)
        if is_full and weight < _LEAST_KEPT:
            break
        share = coverage.share(statement.text, statement.words)
        if share >= _SURELY_SAID:
            kept.append((at, WeighedStatement(statement, weight, share)))
        elif not is_full:
            unnamed = sum(not coverage.names(a or b) for a, b in _NAME.findall(statement.text))
            item = WeighedStatement(statement, weight * (1 + _NAMED * min(_MOST_NAMED, unnamed)), share)
            value = _discounted(item.weight, expected_said(share))
            lost.append((-value, at, item))
            (heappush if len(heaviest) < _COMPARED else heappushpop)(heaviest, value)
    lost.sort(key=itemgetter(0, 1))
    kept.sort(key=itemgetter(0))
    return [item for _, _, item in lost], [item for _, item in kept]


def _weight(statement: Statement, age: float, segment: int, open_work: OpenWork) -> float:
    """The weight of a statement before it is compared with the summary of the compaction that begins a segment."""
    passage = statement.passage
    weight = statement.weight * age * open_work.factor(statement.words)
    if passage.origin in SPOKEN:
        return weight * (_EARLIER_PROMPT if passage.turn.segment < segment - 1 else _OWN_PROMPT)
    if passage.origin in {"task", "plan", "spec"} and passage.turn.segment < segment - 1:
        weight *= _EARLIER_TASK
    return weight * _WITHOUT_CONTEXT if _REFERS.match(statement.text) else weight


def _by_meaning(
    lost: Sequence[WeighedStatement], coverage: Coverage
) -> tuple[list[WeighedStatement], list[WeighedStatement]]:
    """The statements that the summary does not say in other words either, and those that it does."""
    still_lost, kept = [], []
    times = _repetitions(lost)
    parts = coverage.said([item.statement.text for item in lost], [item.share for item in lost])
    for item, count, said in zip(lost, times, parts, strict=True):
        if said >= KEPT:
            kept.append(item)
        elif said < SAID:
            weight = item.weight * (1 + _REPEATED * min(_MOST_REPEATED, count))
            still_lost.append(replace(item, weight=_discounted(weight, said)))
    return sorted(still_lost, key=lambda item: -item.weight), kept


def _discounted(weight: float, said: float) -> float:
    """The weight of a statement of which the summary says a part."""
    return weight * min(1.0, max(0.0, (SAID - said) / (SAID - PARTLY_SAID)))


def _repetitions(items: Sequence[WeighedStatement]) -> list[int]:
    """In how many other passages each statement is said too, see `_same_words`."""
    with_word: dict[str, list[int]] = {}
    with_words: dict[frozenset[str], list[int]] = {}
    for at, item in enumerate(items):
        with_words.setdefault(item.statement.words, []).append(at)
        for word in item.statement.words:
            with_word.setdefault(word, []).append(at)
    counts = []
    for item in items:
        own = item.statement.words
        if len(own) < _FEWEST_SAME:
            same = with_words[own]
        else:
            # One common word is never enough; it is what most statements have.
            common = Counter(chain.from_iterable(with_word[word] for word in own))
            same = [
                at
                for at, shared in common.items()
                if shared > 1 and _is_same(shared, len(own), len(items[at].statement.words))
            ]
        counts.append(len({id(items[at].statement.passage) for at in same} - {id(item.statement.passage)}))
    return counts


def _same_words(one: WeighedStatement, other: WeighedStatement) -> bool:
    own, others = one.statement.words, other.statement.words
    if min(len(own), len(others)) < _FEWEST_SAME:
        return own == others
    return _is_same(len(own & others), len(own), len(others))


def _is_same(common: int, *lengths: int) -> bool:
    """Whether two statements of so many words have enough of them in common."""
    return min(lengths) >= _FEWEST_SAME and common >= _SAME_WORDS * min(lengths)


def _distinct(items: Sequence[WeighedStatement], meanings: Meanings | None, least: float) -> list[WeighedStatement]:
    """The heaviest statements, each once, and not all of one passage."""
    chosen: list[WeighedStatement] = []
    per_passage: Counter[int] = Counter()
    requests = 0

    def weight(item: WeighedStatement) -> float:
        further = _EACH_FURTHER ** per_passage[id(item.statement.passage)]
        return item.weight * further * (_EACH_REQUEST**requests if item.statement.kind == "request" else 1.0)

    left = list(items)
    while left and len(chosen) < MOST:
        best = max(left, key=weight)
        if weight(best) < least:
            break
        chosen.append(replace(best, weight=weight(best)))
        per_passage[id(best.statement.passage)] += 1
        requests += best.statement.kind == "request"
        left = _without_same(best, left, meanings)
    return chosen


def _without_same(
    chosen: WeighedStatement, items: Sequence[WeighedStatement], meanings: Meanings | None
) -> list[WeighedStatement]:
    others = [item for item in items if item is not chosen and not _same_words(chosen, item)]
    if meanings is None or not others:
        return others
    likeness = meanings.matrix([item.statement.text for item in others]) @ meanings.matrix([chosen.statement.text])[0]
    return [item for item, value in zip(others, likeness, strict=True) if value < _SAME_MEANING]
