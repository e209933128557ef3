"""The items of a review on checks: what a summary says wrongly of checks, files and commands, or leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memtui_core.compaction.checks.claims import LONGEST_CLAIM, StateClaims
from memtui_core.compaction.checks.last_runs import Check, last_checks
from memtui_core.compaction.checks.named_files import base_name
from memtui_core.compaction.coverage import Coverage
from memtui_core.compaction.model import ComparedItem
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.model import Turn
from memtui_core.queries.main_items import CLAIMED
from memtui_core.tools.pairing import paired_turns

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


_DENIES_EDIT: Final = re.compile(
    r"\bnot (?:yet )?(?:been )?(?:edited|updated|written|rewritten|created|amended)\b",
    re.IGNORECASE,
)
_MOST_CHARACTERS_BETWEEN: Final = 60
"""The most characters between the name of a file and the denial of its edit."""
_LAST_CALLS_SHARE: Final = 0.25
"""Only edits among the last calls count, which are this share of all calls before the compaction."""
_PAST_TENSES: Final = {
    "push": "pushed", "commit": "committed", "merge": "merged", "publish": "published", "deploy": "deployed",
    "install": "installed", "rm": "(?:deleted|removed)", "migrate": "migrated", "release": "released",
}  # fmt: skip
"""Words of commands, and how a summary says that they were run."""


@dataclass(frozen=True, slots=True)
class DeniedEvent:
    """An edit that a summary denies, or a refused command that it says was run."""

    subject: str
    """The path of a file that was edited, or a command that was not allowed."""
    line: int
    turn: Turn
    claim: str
    """The sentence of the summary that is wrong."""


def denied_edits(
    turns: Sequence[Turn], sentences: Sequence[str], texts: SessionTexts | None = None
) -> Iterator[DeniedEvent]:
    """Edits among the last calls before a compaction, of files that its summary says were not edited."""
    denials = [sentence for sentence in sentences if _DENIES_EDIT.search(sentence) and len(sentence) <= LONGEST_CLAIM]
    if not denials:
        return
    texts = texts or SessionTexts()
    calls = paired_turns([(at, turn.blocks) for at, turn in enumerate(turns)])
    last: dict[str, tuple[int, Turn]] = {}
    for paired in calls[-max(1, int(_LAST_CALLS_SHARE * len(calls))) :]:
        call, turn = texts.call(paired), turns[paired.turn]
        if call.family in {"edit", "write"} and call.result is not None and not call.is_error:
            last |= {edit.path: (call.line, turn) for edit in call.edits}
    for claim in denials:
        named = [path for path in last if _denies_edit_of(claim, path)]
        if named:
            path = max(named, key=lambda path: _named_length(claim, path))
            yield DeniedEvent(path, *last[path], claim)


def _denies_edit_of(text: str, path: str) -> bool:
    name = re.escape(base_name(path))
    written = rf"(?<![\w.-])(?P<folders>(?:[\w.~-]+/)*){name}(?![\w-])"
    between = rf"[^.;]{{0,{_MOST_CHARACTERS_BETWEEN}}}"
    match = re.search(f"{written}{between}{_DENIES_EDIT.pattern}", text, re.IGNORECASE)
    return match is not None and path.lower().endswith(
        f"{match['folders'].lstrip('./~').lower()}{base_name(path).lower()}"
    )


def _named_length(text: str, path: str) -> int:
    """How many parts of a path, counted from its end, a text contains together."""
    parts = path.split("/")
    return max(count for count in range(1, len(parts) + 1) if count == 1 or "/".join(parts[-count:]) in text)


def denied_commands(
    turns: Sequence[Turn], claims: StateClaims, texts: SessionTexts | None = None
) -> Iterator[DeniedEvent]:
    """Commands that the user refused and a summary says were run, if no command of the same kind ran."""
    texts = texts or SessionTexts()
    denied: dict[str, tuple[str, int, Turn]] = {}
    for paired in paired_turns([(at, turn.blocks) for at, turn in enumerate(turns)]):
        call, turn = texts.call(paired), turns[paired.turn]
        for words in call.programs:
            verb = next((word for word in words[:3] if word in _PAST_TENSES), "")
            if verb and call.rejected:
                denied.setdefault(verb, (" ".join(words), call.line, turn))
            elif verb:
                # The summary may mean this run.
                denied[verb] = ("", call.line, turn)
    for verb, (command, line, turn) in denied.items():
        if command and (claim := claims.done(_PAST_TENSES[verb])):
            yield DeniedEvent(command, line, turn, claim)
