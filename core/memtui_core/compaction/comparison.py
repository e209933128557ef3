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
from memtui_core.compaction.statements.extraction import statements
from memtui_core.compaction.statements.lost import WeighedStatement, lost_and_kept
from memtui_core.compaction.statements.open_work import OpenWork
from memtui_core.compaction.statements.passages import reviewed_texts
from memtui_core.compaction.statements.superseded import without_superseded
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
