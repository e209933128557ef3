"""What a summary says of the history before it, and what it lacks: statements and the state of the checks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memtui_core.compaction.checks import Check, last_checks
from memtui_core.compaction.claims import denied_edits, opposite_claim, says_it_fails, says_it_passes
from memtui_core.compaction.coverage import PARTLY_SAID, SAID, Coverage, Meanings, rarity
from memtui_core.compaction.model import FactKind
from memtui_core.compaction.passages import passages
from memtui_core.compaction.statements import SPOKEN, Statement, statements
from memtui_core.model import Turn

MOST: Final = 16
"""Statements of a review that were lost, and as many that were kept."""
_LEAST, _LEAST_KEPT = 0.6, 0.3
"""Weights from which on a statement is listed."""
_COMPARED: Final = 160
"""Statements whose meaning is compared: those of the highest weights by their words."""
_OWN_WORDS: Final = 0.25
_SURELY_SAID: Final = 1.6
"""Twice the share of a statement's words from which on its meaning is not compared."""
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
_OLDEST: Final = 0.75
"""Factor for the first turn of the session; 1 for the last."""
_WITHOUT_CONTEXT: Final = 0.8
"""Factor for a sentence that begins with a word for something that was said before it."""
_REFERS = re.compile(
    r"\W*(?:(?:and|but|so|also|note)\s+)?(?:its|that|that['’]s|this|both|they|these|those|it|it['’]s|he|she)\b", re.I
)
_CONTRADICTION, _FAILED, _STALE = 100.0, 50.0, 1.9
"""Weights of checks: contradictions first, then failures; a check that is older than the last edits is a caveat."""
_MOST_EDITED: Final = 3
_NAME = re.compile(r"`([^`\n]{3,60})`|(#\d+)")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something of the history that the summary has or lacks."""

    kind: FactKind
    text: str
    line: int
    turn: Turn
    weight: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a summary lacks and what it has, each the most important first."""

    lost: list[Finding]
    kept: list[Finding]


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A statement with its weight in the comparison, and how much of it the summary says, 0 to 1."""

    statement: Statement
    weight: float
    share: float


def compare(turns: Sequence[Turn], summary: str, segment: int, meanings: Meanings | None = None) -> Comparison:
    """Compare all turns before a compaction with its summary; `segment` is the number of the segment that it begins.

    Without `meanings`, only words are compared.
    """
    sources = passages(turns)
    coverage = Coverage(summary, rarity(passage.text for passage in sources), meanings)
    lost, kept = _by_words(list(statements(sources)), turns, segment, coverage)
    lost, also_kept = _by_meaning(lost[:_COMPARED], coverage)
    kept = sorted([*kept, *also_kept], key=lambda item: -item.weight)
    texts = {item.statement.text for item in lost}
    kept = [item for item in kept if item.statement.text not in texts]
    findings = [
        *_denied(turns, coverage),
        *_lost_checks(turns, coverage),
        *map(_finding, _distinct(lost, meanings, _LEAST)),
    ]
    return Comparison(
        sorted(findings, key=lambda finding: -finding.weight),
        [_finding(item) for item in _distinct(kept, None, _LEAST_KEPT)],
    )


def _by_words(
    found: Sequence[Statement], turns: Sequence[Turn], segment: int, coverage: Coverage
) -> tuple[list[_Weighed], list[_Weighed]]:
    """The statements that the summary does not have in its words, and those that it has; the heaviest first."""
    age = {turn.id: _OLDEST + (1 - _OLDEST) * at / len(turns) for at, turn in enumerate(turns, 1)}
    lost, kept = [], []
    for statement in found:
        passage = statement.passage
        weight = statement.weight * age[passage.turn.id]
        if passage.origin in SPOKEN:
            weight *= _EARLIER_PROMPT if passage.turn.segment < segment - 1 else _OWN_PROMPT
        if passage.origin not in SPOKEN and _REFERS.match(statement.text):
            weight *= _WITHOUT_CONTEXT
        share = coverage.share(statement.text)
        item = _Weighed(statement, weight, share)
        if 2 * share >= _SURELY_SAID:
            kept.append(item)
        else:
            unnamed = sum(not coverage.names(a or b) for a, b in _NAME.findall(statement.text))
            lost.append(replace(item, weight=weight * (1 + _NAMED * min(_MOST_NAMED, unnamed))))
    lost.sort(key=lambda item: -_discounted(item.weight, _said_of(item, 2 * item.share)))
    return lost, kept


def _by_meaning(lost: Sequence[_Weighed], coverage: Coverage) -> tuple[list[_Weighed], list[_Weighed]]:
    """The statements that the summary does not say in other words either, and those that it does."""
    still_lost, kept = [], []
    times = _repetitions(lost)
    parts = coverage.said([item.statement.text for item in lost], [item.share for item in lost])
    for item, count, part in zip(lost, times, parts, strict=True):
        said = _said_of(item, part)
        if said >= SAID:
            kept.append(item)
        else:
            weight = item.weight * (1 + _REPEATED * min(_MOST_REPEATED, count))
            still_lost.append(replace(item, weight=_discounted(weight, said)))
    return sorted(still_lost, key=lambda item: -item.weight), kept


def _discounted(weight: float, said: float) -> float:
    """The weight of a statement of which the summary says a part."""
    return weight * min(1.0, max(0.0, (SAID - said) / (SAID - PARTLY_SAID)))


def _said_of(item: _Weighed, said: float) -> float:
    """A person's own words count as said only if little of them is missing."""
    return said - _OWN_WORDS if item.statement.passage.origin in SPOKEN else said


def _repetitions(items: Sequence[_Weighed]) -> list[int]:
    """In how many other passages each statement is said too."""
    return [
        len(
            {
                id(other.statement.passage)
                for other in items
                if other.statement.passage is not item.statement.passage and _same_words(item, other)
            }
        )
        for item in items
    ]


def _same_words(one: _Weighed, other: _Weighed) -> bool:
    own, others = one.statement.words, other.statement.words
    if min(len(own), len(others)) < _FEWEST_SAME:
        return own == others
    return len(own & others) >= _SAME_WORDS * min(len(own), len(others))


def _distinct(items: Sequence[_Weighed], meanings: Meanings | None, least: float) -> list[_Weighed]:
    """The heaviest statements, each once, and not all of one passage."""
    chosen: list[_Weighed] = []
    per_passage: Counter[int] = Counter()
    requests = 0

    def weight(item: _Weighed) -> float:
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


def _without_same(chosen: _Weighed, items: Sequence[_Weighed], meanings: Meanings | None) -> list[_Weighed]:
    others = [item for item in items if item is not chosen and not _same_words(chosen, item)]
    if meanings is None or not others:
        return others
    likeness = meanings.matrix([item.statement.text for item in others]) @ meanings.matrix([chosen.statement.text])[0]
    return [item for item, value in zip(others, likeness, strict=True) if value < _SAME_MEANING]


def _finding(item: _Weighed) -> Finding:
    statement = item.statement
    return Finding(statement.kind, statement.text, statement.passage.line, statement.passage.turn, item.weight)


def _denied(turns: Sequence[Turn], coverage: Coverage) -> Iterator[Finding]:
    for denied in denied_edits(turns, coverage.sentences):
        text = f"{denied.path.rpartition('/')[2]} was edited · the summary says: {denied.claim}"
        yield Finding("contradiction", text, denied.line, denied.turn, _CONTRADICTION)


def _lost_checks(turns: Sequence[Turn], coverage: Coverage) -> Iterator[Finding]:
    stale: list[Check] = []
    for check in last_checks(turns):
        claim = opposite_claim(check, coverage.sentences)
        if claim:
            text = f"{check.command} {check.outcome}: {check.said}".rstrip(": ")
            yield Finding(
                "contradiction", f"{text} · the summary says: {claim}", check.line, check.turn, _CONTRADICTION
            )
        elif check.outcome == "failed" and not coverage.keeps(check.said or check.command):
            weight = _STALE if says_it_fails(check, coverage.sentences) else _FAILED
            yield Finding("check", f"{check.command} failed: {check.said}".rstrip(": "), check.line, check.turn, weight)
        elif check.outcome == "passed" and check.edited_after and says_it_passes(check, coverage.sentences):
            stale.append(check)
    if stale:
        yield _stale(stale)


def _stale(checks: Sequence[Check]) -> Finding:
    """The checks that passed before the last edits, as one finding at the last of them."""
    commands = ", ".join(check.command for check in checks)
    edited = list(dict.fromkeys(path.rpartition("/")[2] for check in checks for path in check.edited_after))
    more = f" and {len(edited) - _MOST_EDITED} more" if len(edited) > _MOST_EDITED else ""
    text = f"{commands} passed before the last edits of {', '.join(edited[:_MOST_EDITED])}{more}: {checks[-1].said}"
    return Finding("check", text.rstrip(": "), checks[-1].line, checks[-1].turn, _STALE)
