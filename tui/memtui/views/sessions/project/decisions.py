"""What was decided, in words: a sign, the quote, and what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.views.sessions.project.cells import Cells
from memtui.wording.formatting import cut, number

if TYPE_CHECKING:
    from memtui_core.index.sessions import MadeDecision

CHOSEN, EXCLUDED = "✓ ", "⊘ "
"""The signs of what was chosen, and of what was refused or excluded."""
_LONGEST, _LONGEST_NOTE = 120, 60
"""Cells of a quote, and of what belongs to it, in a row: the other sections of the page are as wide."""
_ABOUT: Final = {"answer": "answer to: ", "rejected": "refused: ", "plan": "plan sent back: "}


def decision_cells(one: MadeDecision) -> Cells:
    """`✓ “Half to even”  answer to: Round up? · not: Half up  turn 14  2 h`."""
    quote, note = cut(one.quote, _LONGEST), cut(decision_note(one), _LONGEST_NOTE)
    return Cells(decision_mark(one), f"“{quote}”", one.at, (f"turn {number(one.turn)}",), said=note)


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
