"""What a summary lacks of the history before it, and what it has."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from memtui_core.compaction.check_findings import check_findings
from memtui_core.compaction.coverage import Coverage, Meanings, rarity
from memtui_core.compaction.lost_statements import WeighedStatement, lost_and_kept
from memtui_core.compaction.model import Finding, place_of_kind
from memtui_core.compaction.open_work import OpenWork
from memtui_core.compaction.passages import passages
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.compaction.statements import statements
from memtui_core.compaction.superseded import without_superseded
from memtui_core.compaction.words import word_set
from memtui_core.model import Turn
from memtui_core.queries.main_items import CLAIMED, MAIN_WEIGHT, MOST_MAIN

_SAME_CLAIM: Final = 0.6
"""Share of the words of a statement that a claim has if they say the same."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a summary lacks and what it has, each the most important first."""

    lost: list[Finding]
    kept: list[Finding]


def compare(
    turns: Sequence[Turn],
    summary: str,
    segment: int,
    meanings: Meanings | None = None,
    texts: SessionTexts | None = None,
) -> Comparison:
    """Compare all turns before a compaction with its summary; `segment` is the number of the segment that it begins.

    Without `meanings`, only words are compared. `texts` are those of the session, if it has other compactions.
    """
    texts = texts or SessionTexts()
    sources = passages(turns, texts)
    weights = rarity(texts.words(passage.text) for passage in sources)
    coverage = Coverage(texts.summary(summary), weights, meanings)
    open_work = OpenWork(coverage.text, turns, weights)
    lost, kept = lost_and_kept(
        without_superseded(list(statements(sources, texts))), turns, segment, coverage, open_work, meanings
    )
    findings = [*check_findings(turns, coverage, texts), *map(_finding, lost)]
    claimed = [words for finding in findings if (words := _claimed(finding))]
    return Comparison(
        _in_order(findings), [_finding(item) for item in kept if not _is_claimed(item.statement.words, claimed)]
    )


def _in_order(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that matter in the order of their kinds, then the others by weight."""
    by_weight = sorted(findings, key=lambda finding: -finding.weight)
    main = [finding for finding in by_weight if finding.weight >= MAIN_WEIGHT][:MOST_MAIN]
    return [*sorted(main, key=lambda finding: place_of_kind(finding.kind)), *by_weight[len(main) :]]


def _claimed(finding: Finding) -> frozenset[str]:
    """The words of the sentence of the summary that a finding contradicts."""
    return word_set(finding.text.rpartition(CLAIMED)[2]) if finding.kind == "contradiction" else frozenset()


def _is_claimed(words: AbstractSet[str], claimed: Sequence[AbstractSet[str]]) -> bool:
    """Whether a statement is what the summary claims wrongly: then the summary does not keep it."""
    return any(len(words & claim) >= _SAME_CLAIM * len(words) for claim in claimed)


def _finding(item: WeighedStatement) -> Finding:
    statement = item.statement
    return Finding(statement.kind, statement.text, statement.passage.line, statement.passage.turn, item.weight)
