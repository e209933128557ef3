"""What a compaction lost and came up again: the user had to repeat it, or the agent asked for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from memtui_core.compaction.model import Recurrence, ReviewItem
from memtui_core.compaction.statements.phrases import is_correction, is_mostly_pasted, requests, typed_text
from memtui_core.compaction.words import word_set
from memtui_core.model import Turn
from memtui_core.text.controls import one_line
from memtui_core.tools.pairing import paired_turns
from memtui_core.tools.results.questions import asked_questions

_REPEATABLE_KINDS: Final = frozenset({"correction", "rule", "answer", "request", "question", "requirement"})
"""The kinds of statements that a user would have to repeat."""
_SAME_SHARE: Final = 0.6
"""The share of the words of a lost statement from which on a later text says it again."""
_FEWEST_WORDS: Final = 3
"""The least number of these words."""
_MOST_TIMES_LONGER: Final = 4
"""A later text that has more than so many times the words of the statement is about something else, or pasted."""
_LONGEST: Final = 300
"""Characters of `Recurrence.text`."""


def recurrences(lost: Sequence[ReviewItem], after: Sequence[Turn]) -> tuple[Recurrence, ...]:
    """The lost items that come up again in the turns after a compaction, each once, where it first does, in that order.

    If the user says it in a correction, the agent has broken what it no longer knew.
    """
    repeatable = [
        (item, words)
        for item in lost
        if item.kind in _REPEATABLE_KINDS and len(words := word_set(item.text)) >= _FEWEST_WORDS
    ]
    all_found: list[Recurrence] = []
    for turn, how, text in _later_texts(after) if repeatable else ():
        own = word_set(text)
        for item, words in repeatable:
            shared = len(words & own)
            is_same = shared >= max(_FEWEST_WORDS, _SAME_SHARE * len(words))
            is_about_more = len(own) > _MOST_TIMES_LONGER * len(words)
            if is_same and not is_about_more and all(found.item is not item for found in all_found):
                all_found.append(Recurrence(item, how, turn, one_line(text, _LONGEST)))
    return tuple(all_found)


def _later_texts(
    after: Sequence[Turn],
) -> Iterator[tuple[int, Literal["asked again", "corrected", "you were asked"], str]]:
    """The requests of the user and the questions of the agent to them, in order: turn, `Recurrence.how`, text."""
    asked: dict[int, list[str]] = {}
    for call in paired_turns([(turn.number, turn.blocks) for turn in after]):
        asked.setdefault(call.turn, []).extend(asked_questions(call))
    for turn in after:
        if turn.kind == "human" and not is_mostly_pasted(text := typed_text(turn.user_text)):
            for request in requests(text):
                yield turn.number, "corrected" if is_correction(request) else "asked again", request
        for question in asked.get(turn.number, ()):
            yield turn.number, "you were asked", question
