"""Compare what was said before a compaction with its summary: what the summary lacks, and what it has."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from memtui_core.compaction.checks.findings import check_items
from memtui_core.compaction.coverage import Coverage, TextVectors, rarity
from memtui_core.compaction.model import ComparedItem, place_of_kind
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.compaction.statements.cues import is_guess, tells_cause
from memtui_core.compaction.statements.extraction import USER_ORIGINS, Statement, statements
from memtui_core.compaction.statements.lost import WeighedStatement, lost_and_kept
from memtui_core.compaction.statements.open_work import OpenWork
from memtui_core.compaction.statements.passages import reviewed_texts
from memtui_core.compaction.words import word_set
from memtui_core.model import Turn
from memtui_core.queries.main_items import CLAIMED, MAIN_WEIGHT, MOST_MAIN

_SAME_CLAIM: Final = 0.6
"""The share of a statement's words from which on a claim of the summary says the same."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a summary lacks and what it has, each the most important first."""

    lost: list[ComparedItem]
    kept: list[ComparedItem]


def compare(
    turns: Sequence[Turn],
    summary: str,
    segment: int,
    text_vectors: TextVectors | None = None,
    texts: SessionTexts | None = None,
) -> Comparison:
    """Compare all turns before a compaction with its summary.

    `segment` is the number of the segment that begins with the compaction. Without `text_vectors`, only words are
    compared. `texts` keeps what was made for other compactions of the session.
    """
    texts = texts or SessionTexts()
    reviewed = reviewed_texts(turns, texts)
    weights = rarity(texts.words(text.text) for text in reviewed)
    coverage = Coverage(texts.summary(summary), weights, text_vectors)
    open_work = OpenWork(coverage.text, turns, weights)
    lost, kept = lost_and_kept(
        without_superseded(list(statements(reviewed, texts))), turns, segment, coverage, open_work, text_vectors
    )
    items = [*check_items(turns, coverage, texts), *map(_compared_item, lost)]
    claimed = [words for item in items if (words := _claimed(item))]
    return Comparison(
        _in_order(items), [_compared_item(item) for item in kept if not _is_claimed(item.statement.words, claimed)]
    )


def _in_order(items: Sequence[ComparedItem]) -> list[ComparedItem]:
    """The main rows in the order of their kinds, then the others by weight."""
    by_weight = sorted(items, key=lambda item: -item.weight)
    main = [item for item in by_weight if item.weight >= MAIN_WEIGHT][:MOST_MAIN]
    return [*sorted(main, key=lambda item: place_of_kind(item.kind)), *by_weight[len(main) :]]


def _claimed(item: ComparedItem) -> frozenset[str]:
    """The words of the wrong sentence of the summary, if the item is a contradiction."""
    return word_set(item.text.rpartition(CLAIMED)[2]) if item.kind == "contradiction" else frozenset()


def _is_claimed(words: AbstractSet[str], claimed: Sequence[AbstractSet[str]]) -> bool:
    """Whether a statement says the same as a wrong sentence of the summary, which therefore does not keep it."""
    return any(len(words & claim) >= _SAME_CLAIM * len(words) for claim in claimed)


def _compared_item(item: WeighedStatement) -> ComparedItem:
    statement = item.statement
    return ComparedItem(
        statement.kind, statement.text, statement.reviewed_text.line, statement.reviewed_text.turn, item.weight
    )


_SAME_SUBJECT_WORDS: Final = 3
"""Two statements are about the same subject if they have so many words in common,"""
_SAME_SUBJECT_SHARE: Final = 0.5
"""or this share of the words of the shorter one."""


def without_superseded(statements: Sequence[Statement]) -> list[Statement]:
    """The statements, in order, without guesses about a cause that was found later and without what the user corrected.

    A correction by the user makes obsolete what the agent said on the same subject in the turn before it.
    """
    left: list[Statement] = []
    causes: list[Statement] = []
    corrections: list[Statement] = []
    for statement in reversed(statements):
        is_spoken = statement.reviewed_text.origin in USER_ORIGINS
        if is_spoken:
            if statement.kind == "correction":
                corrections.append(statement)
        elif any(_is_next(statement, later) and _same_subject(statement, later) for later in corrections):
            continue
        elif statement.reviewed_text.origin != "summary":
            if is_guess(statement.text) and any(_same_subject(statement, cause) for cause in causes):
                continue
            if tells_cause(statement.text):
                causes.append(statement)
        left.append(statement)
    return left[::-1]


def _is_next(statement: Statement, correction: Statement) -> bool:
    own, other = statement.reviewed_text.turn, correction.reviewed_text.turn
    return own.session == other.session and own.number + 1 == other.number


def _same_subject(one: Statement, other: Statement) -> bool:
    shared = len(one.words & other.words)
    return shared >= _SAME_SUBJECT_WORDS or shared >= _SAME_SUBJECT_SHARE * min(len(one.words), len(other.words))
