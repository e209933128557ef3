"""Answers that keep to a number of tokens and say what they leave out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from memtui_core.handoff.truncation import close_fence
from memtui_core.text.controls import plain
from memtui_core.tools.summary import cut

TOKEN = 4
"""Characters that count as one token."""
_FENCE = 8
"""Room for closing a code fence that was cut through."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says: its text, and notes that stand apart from it, for the text may have a fixed format."""

    text: str
    notes: tuple[str, ...] = ()
    failed: bool = False

    @property
    def told(self) -> str:
        """The notes as one text; empty for none."""
        return "\n".join(self.notes)

    @property
    def chars(self) -> int:
        """Its whole length."""
        return len(self.text) + len(self.told)

    def safe(self) -> Answer:
        """The same without control characters: agents print what they are told."""
        return replace(self, text=plain(self.text), notes=tuple(map(plain, self.notes)))

    def noting(self, *notes: str) -> Answer:
        """The same with more notes; empty ones are passed over."""
        return replace(self, notes=(*self.notes, *(note for note in notes if note)))


def as_many(count: int, make: Callable[[int], Answer], room: int, what: str, how: str) -> Answer:
    """The answer of the first of `count` things that fit `room` characters, at least one, cut where it must be.

    `make` answers with so many of them; `what` they are and `how` to get the others is told.
    """
    for shown in range(count, 0, -1):
        lost = count - shown
        answer = make(shown).noting(f"Left out: {lost} of {count} {what}; {how}." if lost else "")
        if answer.chars <= room or shown == 1:
            return clamped(answer, room, how)
    return clamped(make(0), room, how)


def clamped(answer: Answer, room: int, how: str) -> Answer:
    """The answer with its text cut, and if need be its notes, so that it has at most `room` characters."""
    if answer.chars <= room:
        return answer
    last = f"Left out: the last {len(answer.text)} characters; {how}."
    told = cut("\n".join((*answer.notes, last)), room // 2) if len(last) + len(answer.told) > room // 2 else ""
    left = max(0, room - (len(told) or len(answer.told) + len(last) + 1) - _FENCE)
    text = close_fence(cut(answer.text, left))
    if len(text) > left + _FENCE:
        text = cut(answer.text, left)
    last = f"Left out: the last {len(answer.text) - left} characters; {how}."
    if told:
        return replace(answer, text=text, notes=(cut("\n".join((last, *answer.notes)), len(told)),))
    return replace(answer, text=text, notes=(*answer.notes, last))
