"""What a summary lacks of the history before it, and what it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui_core.compaction.check_findings import check_findings
from memtui_core.compaction.coverage import Coverage, Meanings, rarity
from memtui_core.compaction.lost_statements import WeighedStatement, lost_and_kept
from memtui_core.compaction.model import Finding
from memtui_core.compaction.open_work import OpenWork
from memtui_core.compaction.passages import passages
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.compaction.statements import statements
from memtui_core.compaction.superseded import without_superseded
from memtui_core.model import Turn


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
    lost, kept = lost_and_kept(without_superseded(list(statements(sources, texts))), turns, segment, coverage, open_work, meanings)
    findings = [*check_findings(turns, coverage, texts), *map(_finding, lost)]
    return Comparison(sorted(findings, key=lambda finding: -finding.weight), list(map(_finding, kept)))


def _finding(item: WeighedStatement) -> Finding:
    statement = item.statement
    return Finding(statement.kind, statement.text, statement.passage.line, statement.passage.turn, item.weight)
