"""What was lost in a compaction and then hurt: the user had to say it again, or was asked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from memtui_core.compaction.model import Hurt, ReviewItem
from memtui_core.compaction.passages import asked_questions
from memtui_core.compaction.phrases import is_correction, is_mostly_pasted, requests, typed_text
from memtui_core.compaction.words import word_set
from memtui_core.model import Turn
from memtui_core.text.controls import one_line
from memtui_core.tools.pairing import paired_turns

_SPOKEN: Final = frozenset({"correction", "rule", "answer", "request", "question", "requirement"})
"""The kinds of what a user says again."""
_SAME: Final = 0.6
"""The share of the words of a lost statement that a later text has if it says it again."""
_FEWEST: Final = 3
"""And at least so many of them."""
_MOST_TIMES: Final = 4
"""A text with more than so many times the words is about more, or pasted."""
_LONGEST: Final = 300


def hurts(lost: Sequence[ReviewItem], after: Sequence[Turn]) -> tuple[Hurt, ...]:
    """What the turns after a compaction say again of what its summary lost, each at its first turn, in their order.

    A correction by the user on the same words tells that a rule was broken.
    """
    spoken = [(item, words) for item in lost if item.kind in _SPOKEN and len(words := word_set(item.text)) >= _FEWEST]
    later: list[Hurt] = []
    for turn, how, text in _said_after(after) if spoken else ():
        own = word_set(text)
        for item, words in spoken:
            shared = len(words & own)
            is_same = shared >= max(_FEWEST, _SAME * len(words)) and len(own) <= _MOST_TIMES * len(words)
            if is_same and all(hurt.item is not item for hurt in later):
                later.append(Hurt(item, how, turn, one_line(text, _LONGEST)))
    return tuple(later)


def _said_after(
    after: Sequence[Turn],
) -> Iterator[tuple[int, Literal["asked again", "corrected", "you were asked"], str]]:
    """The requests of the user and the questions to them, in order, with their turns."""
    asked: dict[int, list[str]] = {}
    for call in paired_turns([(turn.number, turn.blocks) for turn in after]):
        asked.setdefault(call.turn, []).extend(asked_questions(call))
    for turn in after:
        if turn.kind == "human" and not is_mostly_pasted(text := typed_text(turn.user_text)):
            for request in requests(text):
                yield turn.number, "corrected" if is_correction(request) else "asked again", request
        for question in asked.get(turn.number, ()):
            yield turn.number, "you were asked", question
