"""The items of a review on checks: what a summary says wrongly of checks and files, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memtui_core.compaction.checks.claims import StateClaims
from memtui_core.compaction.checks.denials import denied_commands, denied_edits
from memtui_core.compaction.checks.last_runs import Check, last_checks
from memtui_core.compaction.checks.named_files import base_name
from memtui_core.compaction.coverage import Coverage
from memtui_core.compaction.model import ComparedItem
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.model import Turn
from memtui_core.queries.main_items import CLAIMED

_CONTRADICTION_WEIGHT, _FAILED_WEIGHT, _STALE_WEIGHT = 100.0, 50.0, 1.9
"""Weights: contradictions come first, then failures; a check that is older than the last edits weighs as a caveat."""
_MOST_NAMED_FILES: Final = 3
"""Files that a stale check names."""
_WORDS_FOR_ALL_CHECKS: Final = frozenset({"check", "ci", "verify", "all", "precommit"})
"""Words of commands that run all checks of a project: `make check`."""


def check_items(turns: Sequence[Turn], coverage: Coverage, texts: SessionTexts | None = None) -> Iterator[ComparedItem]:
    """Wrong claims, failed checks that the summary does not tell of, and checks that are older than the last edits."""
    texts = texts or SessionTexts()
    claims = StateClaims(coverage.sentences, coverage.headings)
    yield from _denied_events(turns, coverage, claims, texts)
    yield from _lost_checks(turns, coverage, claims, texts)


def _denied_events(
    turns: Sequence[Turn], coverage: Coverage, claims: StateClaims, texts: SessionTexts
) -> Iterator[ComparedItem]:
    happened = [(f"{one.subject} was not allowed", one) for one in denied_commands(turns, claims, texts)]
    happened += [
        (f"{base_name(one.subject)} was edited", one) for one in denied_edits(turns, coverage.sentences, texts)
    ]
    for text, one in happened:
        yield ComparedItem("contradiction", f"{text}{CLAIMED}{one.claim}", one.line, one.turn, _CONTRADICTION_WEIGHT)


def _lost_checks(
    turns: Sequence[Turn], coverage: Coverage, claims: StateClaims, texts: SessionTexts
) -> Iterator[ComparedItem]:
    checks = last_checks(turns, texts)
    stale: list[Check] = []
    for at, check in enumerate(checks):
        claim = claims.opposite(check, checks)
        if claim:
            text = f"{check.command} {check.outcome}: {check.outcome_line}".rstrip(": ")
            yield ComparedItem(
                "contradiction", f"{text}{CLAIMED}{claim}", check.line, check.turn, _CONTRADICTION_WEIGHT
            )
        elif check.outcome == "failed" and any(_replaces(later, check) for later in checks[at + 1 :]):
            continue
        elif check.outcome == "failed" and not coverage.keeps(check.outcome_line or check.command):
            weight = _STALE_WEIGHT if claims.fails(check) else _FAILED_WEIGHT
            yield ComparedItem(
                "check", f"{check.command} failed: {check.outcome_line}".rstrip(": "), check.line, check.turn, weight
            )
        elif check.outcome == "passed" and check.edited_after and claims.passes(check) and not claims.plans(check):
            stale.append(check)
    if stale:
        yield _stale_item(stale)


def _replaces(later: Check, failed: Check) -> bool:
    """Whether a failed check is out of date, because a later one of the same kind, or of everything, has passed."""
    is_same = not later.names.isdisjoint(failed.names) or not _WORDS_FOR_ALL_CHECKS.isdisjoint(later.command.split())
    return later.outcome == "passed" and is_same


def _stale_item(checks: Sequence[Check]) -> ComparedItem:
    """One item for all checks that passed before the last edits; its line and turn are those of the last check."""
    commands = ", ".join(check.command for check in checks)
    edited = list(dict.fromkeys(path.rpartition("/")[2] for check in checks for path in check.edited_after))
    more = f" and {len(edited) - _MOST_NAMED_FILES} more" if len(edited) > _MOST_NAMED_FILES else ""
    files = f"{', '.join(edited[:_MOST_NAMED_FILES])}{more}"
    text = f"{commands} passed before the last edits of {files}: {checks[-1].outcome_line}"
    return ComparedItem("check", text.rstrip(": "), checks[-1].line, checks[-1].turn, _STALE_WEIGHT)
