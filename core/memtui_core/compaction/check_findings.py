"""What a summary says wrongly of checks and files, and which checks it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memtui_core.compaction.checks import Check, last_checks
from memtui_core.compaction.claims import StateClaims
from memtui_core.compaction.coverage import Coverage
from memtui_core.compaction.denials import denied_commands, denied_edits
from memtui_core.compaction.model import Finding
from memtui_core.compaction.named_files import base_name
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.model import Turn
from memtui_core.queries.main_items import CLAIMED

_CONTRADICTION, _FAILED, _STALE = 100.0, 50.0, 1.9
"""Weights of checks: contradictions first, then failures; a check that is older than the last edits is a caveat."""
_MOST_EDITED: Final = 3
_CHECKS_ALL: Final = frozenset({"check", "ci", "verify", "all", "precommit"})
"""Words of commands that run all checks of a project."""


def check_findings(turns: Sequence[Turn], coverage: Coverage, texts: SessionTexts | None = None) -> Iterator[Finding]:
    """Wrong claims, checks whose failure a summary does not tell, and those that are older than the last edits."""
    texts = texts or SessionTexts()
    claims = StateClaims(coverage.sentences, coverage.headings)
    yield from _denied(turns, coverage, claims, texts)
    yield from _lost_checks(turns, coverage, claims, texts)


def _denied(turns: Sequence[Turn], coverage: Coverage, claims: StateClaims, texts: SessionTexts) -> Iterator[Finding]:
    happened = [(f"{one.subject} was not allowed", one) for one in denied_commands(turns, claims, texts)]
    happened += [
        (f"{base_name(one.subject)} was edited", one) for one in denied_edits(turns, coverage.sentences, texts)
    ]
    for text, one in happened:
        yield Finding("contradiction", f"{text}{CLAIMED}{one.claim}", one.line, one.turn, _CONTRADICTION)


def _lost_checks(
    turns: Sequence[Turn], coverage: Coverage, claims: StateClaims, texts: SessionTexts
) -> Iterator[Finding]:
    checks = last_checks(turns, texts)
    stale: list[Check] = []
    for at, check in enumerate(checks):
        claim = claims.opposite(check, checks)
        if claim:
            text = f"{check.command} {check.outcome}: {check.said}".rstrip(": ")
            yield Finding("contradiction", f"{text}{CLAIMED}{claim}", check.line, check.turn, _CONTRADICTION)
        elif check.outcome == "failed" and any(_replaces(later, check) for later in checks[at + 1 :]):
            continue
        elif check.outcome == "failed" and not coverage.keeps(check.said or check.command):
            weight = _STALE if claims.fails(check) else _FAILED
            yield Finding("check", f"{check.command} failed: {check.said}".rstrip(": "), check.line, check.turn, weight)
        elif check.outcome == "passed" and check.edited_after and claims.passes(check) and not claims.plans(check):
            stale.append(check)
    if stale:
        yield _stale(stale)


def _replaces(later: Check, failed: Check) -> bool:
    """Whether a later check tells how things are now instead of a failed one: it passed, and checks the same or all."""
    is_same = not later.names.isdisjoint(failed.names) or not _CHECKS_ALL.isdisjoint(later.command.split())
    return later.outcome == "passed" and is_same


def _stale(checks: Sequence[Check]) -> Finding:
    """The checks that passed before the last edits, as one finding at the last of them."""
    commands = ", ".join(check.command for check in checks)
    edited = list(dict.fromkeys(path.rpartition("/")[2] for check in checks for path in check.edited_after))
    more = f" and {len(edited) - _MOST_EDITED} more" if len(edited) > _MOST_EDITED else ""
    text = f"{commands} passed before the last edits of {', '.join(edited[:_MOST_EDITED])}{more}: {checks[-1].said}"
    return Finding("check", text.rstrip(": "), checks[-1].line, checks[-1].turn, _STALE)
