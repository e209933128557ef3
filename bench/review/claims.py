"""What the rule for contradictions would call wrong if each sentence of a session were a summary at any other time.

Summaries that contradict the last state of a check are rare: the rule is judged on the sentences about checks in all
texts of sessions, each compared with every state that the checks of its session ever had. Whoever reads the verdicts
asks only whether the sentence claims the opposite of that state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from memtui_core.compaction.checks.claims import StateClaims
from memtui_core.compaction.checks.findings import denied_edits
from memtui_core.compaction.checks.last_runs import Check, last_checks
from memtui_core.compaction.history import SessionTurns
from memtui_core.compaction.outline import sentences
from memtui_core.index.index import Index
from memtui_core.model import Turn
from memtui_core.queries.turns import read_turns

_FEWEST_CALLS: Final = 10
_MOST_STATES: Final = 400
"""Moments of a session at which the states of its checks are read."""
_TURNS: Final = 25
"""Turns before a moment that are read."""


class Verdict(NamedTuple):
    """A sentence that speaks against a check, or that denies an edit."""

    session: str
    line: int
    """Of the check's result, or of the edit; 1-based, as that of the sentence."""
    said: str
    """What the check or the edit is."""
    claim_line: int
    claim: str


def report(data_dir: Path) -> str:
    """All verdicts on the sessions of an index, to be read one by one."""
    index = Index.open(data_dir)
    lines = []
    for session in index.sessions.all():
        turns = SessionTurns(index.snapshot).whole(list(read_turns(index.snapshot, session.key)))
        lines += [
            f"{verdict.session[:8]} {verdict.line}: {verdict.said}\n    {verdict.claim_line}: {verdict.claim}"
            for verdict in verdicts(session.session_id, turns)
        ]
    return "\n".join([*lines, f"{len(lines)} verdicts"])


def verdicts(session_id: str, turns: list[Turn]) -> Iterator[Verdict]:
    """The verdicts on a session, each once."""
    if sum(block.kind == "tool_call" for turn in turns for block in turn.blocks) < _FEWEST_CALLS:
        return
    said = [
        (block.line, block.text[span.start : span.end])
        for turn in turns
        for block in turn.blocks
        if (block.kind in {"text", "thinking"} and not block.is_error) or block.line == turn.line
        for span in sentences(block.text)
    ]
    claims = [(line, sentence, StateClaims([sentence])) for line, sentence in said]
    seen: set[tuple[int, str]] = set()
    for before in _moments(turns):
        checks = last_checks(before)
        for check in checks:
            for line, sentence, claim in claims:
                if (check.line, sentence) not in seen and claim.opposite(check, checks):
                    seen.add((check.line, sentence))
                    yield Verdict(session_id, check.line + 1, _state(check), line + 1, sentence)
        for edit in denied_edits(before, [sentence for _, sentence in said]):
            if (edit.line, edit.claim) not in seen:
                seen.add((edit.line, edit.claim))
                line = next(line for line, sentence in said if sentence == edit.claim)
                yield Verdict(session_id, edit.line + 1, f"{edit.subject} was edited", line + 1, edit.claim)


def _moments(turns: list[Turn]) -> Iterator[list[Turn]]:
    """The last turns before some of the results of a session, and before its end."""
    results = [(turn, at) for turn in turns for at, block in enumerate(turn.blocks) if block.kind == "tool_result"]
    step = max(1, len(results) // _MOST_STATES)
    for turn, at in dict.fromkeys([*results[::step], *results[-1:]]):
        earlier = [other for other in turns if other.line < turn.line]
        yield [*earlier, replace(turn, blocks=turn.blocks[: at + 1])][-_TURNS:]


def _state(check: Check) -> str:
    return f"{check.command} {check.outcome}: {check.outcome_line}"
