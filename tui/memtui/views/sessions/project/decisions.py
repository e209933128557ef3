"""What was decided, in words: a sign, the quote, and what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memtui_core.index.sessions import MadeDecision

CHOSEN, EXCLUDED = "✓ ", "⊘ "
"""The signs of what was chosen, and of what was refused or excluded."""
_ABOUT: Final = {"answer": "answer to: ", "rejected": "refused: ", "plan": "plan sent back: "}


def decision_mark(one: MadeDecision) -> str:
    """The sign of a decision."""
    return EXCLUDED if one.excludes else CHOSEN


def quoted(one: MadeDecision) -> str:
    """The quote in quotation marks."""
    return f"“{one.quote}”"


def decision_note(one: MadeDecision, later_turn: str = "") -> str:
    """What may have replaced it, in a turn that may be named; the question and other options, the call, or the plan."""
    if one.way == "plan" and not one.excludes:
        facts = ["approved plan", *(f"“{point}”" for point in one.others)]
    else:
        about = f"{_ABOUT.get(one.way, '')}{one.about}" if one.about else ""
        facts = [about, *(f"not: {option}" for option in one.others)]
    if (later := one.later) is not None:
        facts.insert(0, " ".join(filter(None, ("may be replaced by", later_turn, f"“{later.quote}”"))))
    return " · ".join(filter(None, facts))
