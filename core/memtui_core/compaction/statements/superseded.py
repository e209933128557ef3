"""Leave out statements of the agent that a later statement makes obsolete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memtui_core.compaction.statements.cues import is_guess, tells_cause
from memtui_core.compaction.statements.extraction import USER_ORIGINS, Statement

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
