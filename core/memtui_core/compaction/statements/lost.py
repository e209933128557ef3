"""Which statements a summary lacks, and which it has, the most important first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappush, heappushpop
from itertools import chain
from operator import itemgetter
from typing import Final

from memtui_core.compaction.coverage import ABSENT_BELOW, KEPT_FROM, LOST_BELOW, Coverage, TextVectors, expected_score
from memtui_core.compaction.statements.extraction import USER_ORIGINS, Statement
from memtui_core.compaction.statements.open_work import OpenWork
from memtui_core.model import Turn

MOST_LISTED: Final = 16
"""The most statements that a review lists as lost, and as kept."""
_LEAST_LOST, _LEAST_KEPT = 0.25, 0.2
"""The least weights of statements that are listed."""
_MOST_COMPARED: Final = 160
"""The most statements whose meaning is compared: the heaviest ones when only words were compared."""
_SURELY_SAID_SHARE: Final = 0.8
"""A summary that has this share of a statement's words says it; its meaning is not compared."""
_SAME_MEANING: Final = 0.70
"""The cosine from which on two statements say the same,"""
_SAME_WORDS: Final = 0.6
"""and the share of common words, of those of the shorter statement."""
_FEWEST_WORDS: Final = 3
"""A statement with fewer words is the same only as one with exactly these words: `Commit it` is not the same as every
other statement on commits."""
_REPEAT_BONUS, _MOST_REPEATS = 0.06, 5
"""A statement weighs by this factor more for each other reviewed text that says it too, up to so many,"""
_NAME_BONUS, _MOST_NAMES = 0.06, 3
"""and for each name in it that the summary does not contain."""
_FURTHER_FACTOR: Final = 0.9
"""Factor for each further statement of the same reviewed text, so that one long text does not fill the list."""
_FURTHER_REQUEST_FACTOR: Final = 0.85
"""Factor for each further request that sets no rule: most requests are done by then."""
_OWN_PROMPT_FACTOR, _EARLIER_PROMPT_FACTOR = 1.0, 1.2
"""Factors for prompts of the replaced segment, which summaries quote, and of earlier ones, which they forget."""
_EARLIER_TASK_FACTOR: Final = 0.5
"""Factor for a task, a plan or a specification that is older than the previous compaction.

Of 17 such rows none was useful to a reader (bench/review).
"""
_OLDEST_FACTOR: Final = 0.75
"""Factor for statements of the first turn of the session; it rises evenly to 1 for the last turn."""
_NO_CONTEXT_FACTOR: Final = 0.8
"""Factor for a sentence that begins with a word for what was said before it: `That breaks the till`."""
_REFERS_BACK = re.compile(
    r"\W*(?:(?:and|but|so|also|note)\s+)?(?:its|that|that['’]s|this|both|they|these|those|it|it['’]s|he|she)\b", re.I
)
_NAME = re.compile(r"`([^`\n]{3,60})`|(#\d+)")


@dataclass(frozen=True, slots=True)
class WeighedStatement:
    """A statement with its weight in the comparison, and the share of its words that the summary has, 0 to 1."""

    statement: Statement
    weight: float
    share: float


def lost_and_kept(
    statements: Sequence[Statement],
    turns: Sequence[Turn],
    segment: int,
    coverage: Coverage,
    open_work: OpenWork,
    text_vectors: TextVectors | None,
) -> tuple[list[WeighedStatement], list[WeighedStatement]]:
    """The statements that a summary lacks, and those that it has; `segment` is the segment that the summary begins."""
    lost, kept = _by_words(statements, turns, segment, coverage, open_work)
    lost, also_kept = _by_meaning(lost[:_MOST_COMPARED], coverage)
    texts = {item.statement.text for item in lost}
    kept = [
        item for item in sorted([*kept, *also_kept], key=lambda item: -item.weight) if item.statement.text not in texts
    ]
    return _distinct(lost, text_vectors, _LEAST_LOST), _distinct(kept, None, _LEAST_KEPT)


def _by_words(
    statements: Sequence[Statement], turns: Sequence[Turn], segment: int, coverage: Coverage, open_work: OpenWork
) -> tuple[list[WeighedStatement], list[WeighedStatement]]:
    """Compare words only: the statements that the summary lacks, the heaviest first, and those that it has, in order.

    Statements that are too light to be compared by meaning, or to be listed as kept, are left out: to compare their
    words would take time for nothing.
    """
    age = {turn.id: _OLDEST_FACTOR + (1 - _OLDEST_FACTOR) * at / len(turns) for at, turn in enumerate(turns, 1)}
    weights = [_weight(statement, age[statement.reviewed_text.turn.id], segment, open_work) for statement in statements]
    lost: list[tuple[float, int, WeighedStatement]] = []
    kept: list[tuple[int, WeighedStatement]] = []
    heaviest: list[float] = []
    for at in sorted(range(len(statements)), key=lambda at: -weights[at]):
        weight, statement = weights[at], statements[at]
        is_full = len(heaviest) == _MOST_COMPARED and heaviest[0] > weight * (1 + _NAME_BONUS * _MOST_NAMES)
        if is_full and weight < _LEAST_KEPT:
            break
        share = coverage.share(statement.text, statement.words)
        if share >= _SURELY_SAID_SHARE:
            kept.append((at, WeighedStatement(statement, weight, share)))
        elif not is_full:
            unnamed = sum(not coverage.contains(a or b) for a, b in _NAME.findall(statement.text))
            item = WeighedStatement(statement, weight * (1 + _NAME_BONUS * min(_MOST_NAMES, unnamed)), share)
            value = _discounted(item.weight, expected_score(share))
            lost.append((-value, at, item))
            (heappush if len(heaviest) < _MOST_COMPARED else heappushpop)(heaviest, value)
    lost.sort(key=itemgetter(0, 1))
    kept.sort(key=itemgetter(0))
    return [item for _, _, item in lost], [item for _, item in kept]


def _weight(statement: Statement, age: float, segment: int, open_work: OpenWork) -> float:
    """The weight of a statement before it is compared; `segment` is the one that the summary begins."""
    reviewed = statement.reviewed_text
    weight = statement.weight * age * open_work.factor(statement.words)
    if reviewed.origin in USER_ORIGINS:
        return weight * (_EARLIER_PROMPT_FACTOR if reviewed.turn.segment < segment - 1 else _OWN_PROMPT_FACTOR)
    if reviewed.origin in {"task", "plan", "spec"} and reviewed.turn.segment < segment - 1:
        weight *= _EARLIER_TASK_FACTOR
    return weight * _NO_CONTEXT_FACTOR if _REFERS_BACK.match(statement.text) else weight


def _by_meaning(
    lost: Sequence[WeighedStatement], coverage: Coverage
) -> tuple[list[WeighedStatement], list[WeighedStatement]]:
    """Of statements whose words a summary lacks: those that it does not say in other words either, and the others."""
    still_lost, kept = [], []
    times = _repetitions(lost)
    scores = coverage.scores([item.statement.text for item in lost], [item.share for item in lost])
    for item, count, score in zip(lost, times, scores, strict=True):
        if score >= KEPT_FROM:
            kept.append(item)
        elif score < LOST_BELOW:
            weight = item.weight * (1 + _REPEAT_BONUS * min(_MOST_REPEATS, count))
            still_lost.append(replace(item, weight=_discounted(weight, score)))
    return sorted(still_lost, key=lambda item: -item.weight), kept


def _discounted(weight: float, score: float) -> float:
    """The weight of a statement, which is less if the summary says a part of it; 0 from `LOST_BELOW` on."""
    return weight * min(1.0, max(0.0, (LOST_BELOW - score) / (LOST_BELOW - ABSENT_BELOW)))


def _repetitions(items: Sequence[WeighedStatement]) -> list[int]:
    """In how many other reviewed texts each statement is said too, see `_have_same_words`."""
    with_word: dict[str, list[int]] = {}
    with_words: dict[frozenset[str], list[int]] = {}
    for at, item in enumerate(items):
        with_words.setdefault(item.statement.words, []).append(at)
        for word in item.statement.words:
            with_word.setdefault(word, []).append(at)
    counts = []
    for item in items:
        own = item.statement.words
        if len(own) < _FEWEST_WORDS:
            same = with_words[own]
        else:
            # One common word is never enough, and most statements have one.
            common = Counter(chain.from_iterable(with_word[word] for word in own))
            same = [
                at
                for at, shared in common.items()
                if shared > 1 and _have_enough_in_common(shared, len(own), len(items[at].statement.words))
            ]
        counts.append(len({id(items[at].statement.reviewed_text) for at in same} - {id(item.statement.reviewed_text)}))
    return counts


def _have_same_words(one: WeighedStatement, other: WeighedStatement) -> bool:
    own, others = one.statement.words, other.statement.words
    if min(len(own), len(others)) < _FEWEST_WORDS:
        return own == others
    return _have_enough_in_common(len(own & others), len(own), len(others))


def _have_enough_in_common(common: int, *lengths: int) -> bool:
    """Whether two statements with so many words (`lengths`) say the same, by the number of common words."""
    return min(lengths) >= _FEWEST_WORDS and common >= _SAME_WORDS * min(lengths)


def _distinct(
    items: Sequence[WeighedStatement], text_vectors: TextVectors | None, least_weight: float
) -> list[WeighedStatement]:
    """The heaviest statements, each once, and not all of the same reviewed text."""
    chosen: list[WeighedStatement] = []
    per_text: Counter[int] = Counter()
    requests = 0

    def weight(item: WeighedStatement) -> float:
        further = _FURTHER_FACTOR ** per_text[id(item.statement.reviewed_text)]
        return item.weight * further * (_FURTHER_REQUEST_FACTOR**requests if item.statement.kind == "request" else 1.0)

    left = list(items)
    while left and len(chosen) < MOST_LISTED:
        best = max(left, key=weight)
        if weight(best) < least_weight:
            break
        chosen.append(replace(best, weight=weight(best)))
        per_text[id(best.statement.reviewed_text)] += 1
        requests += best.statement.kind == "request"
        left = _without_same(best, left, text_vectors)
    return chosen


def _without_same(
    chosen: WeighedStatement, items: Sequence[WeighedStatement], text_vectors: TextVectors | None
) -> list[WeighedStatement]:
    others = [item for item in items if item is not chosen and not _have_same_words(chosen, item)]
    if text_vectors is None or not others:
        return others
    likeness = (
        text_vectors.matrix([item.statement.text for item in others]) @ text_vectors.matrix([chosen.statement.text])[0]
    )
    return [item for item, value in zip(others, likeness, strict=True) if value < _SAME_MEANING]
