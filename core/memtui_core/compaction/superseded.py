"""Statements of the agent that a later one of the session takes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memtui_core.compaction.cues import is_guess, tells_cause
from memtui_core.compaction.statements import SPOKEN, Statement

_SAME_SUBJECT: Final = 3
"""Words that two statements have in common if they are about the same."""
_MOST_SHARED: Final = 0.5
"""Or the share of the words of the shorter one."""


def without_superseded(said: Sequence[Statement]) -> list[Statement]:
    """The statements, in order, without guesses before the cause was found, and without what the user corrected.

    A correction takes back what the agent said in the turn before it on the same subject.
    """
    left: list[Statement] = []
    causes: list[Statement] = []
    corrections: list[Statement] = []
    for statement in reversed(said):
        is_spoken = statement.passage.origin in SPOKEN
        if is_spoken:
            if statement.kind == "correction":
                corrections.append(statement)
        elif any(_is_next(statement, later) and _same_subject(statement, later) for later in corrections):
            continue
        elif statement.passage.origin != "summary":
            if is_guess(statement.text) and any(_same_subject(statement, cause) for cause in causes):
                continue
            if tells_cause(statement.text):
                causes.append(statement)
        left.append(statement)
    return left[::-1]


def _is_next(statement: Statement, correction: Statement) -> bool:
    own, other = statement.passage.turn, correction.passage.turn
    return own.session == other.session and own.number + 1 == other.number


def _same_subject(one: Statement, other: Statement) -> bool:
    shared = len(one.words & other.words)
    return shared >= _SAME_SUBJECT or shared >= _MOST_SHARED * min(len(one.words), len(other.words))
