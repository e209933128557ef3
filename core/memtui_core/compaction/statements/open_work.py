"""The open work at a compaction, by the summary and the last prompt, and how near statements are to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from memtui_core.compaction.outline import outline
from memtui_core.compaction.words import word_set
from memtui_core.model import Turn

OPEN_HEADING: Final = re.compile(
    r"pending|current work|next step|in progress|remaining|to-?do|\bopen\b|\bnext\b|progress", re.I
)
"""Headings of the sections of a summary that tell what is open."""
_LAST_PARTS: Final = 4
"""Of a summary without such a section, the last of so many equal parts is taken."""
_LONGEST_PROMPT: Final = 1500
_NEAR_SHARE: Final = 0.3
"""A statement is about the open work if at least this share of its words are in it.

Measured with bench/review: of the rows with less than a tenth, one in eleven was useful to a reader, of those with a
quarter or more, one in four.
"""
_FAR_FACTOR: Final = 0.65
"""Factor for a statement that shares no word with the open work."""


class OpenWork:
    """Tells how near statements are to the work that is open."""

    def __init__(self, summary: str, turns: Sequence[Turn], rarity: Mapping[str, float]) -> None:
        parts = [
            summary[section.span.start : section.span.end]
            for section in outline(summary)
            if OPEN_HEADING.search(section.title)
        ]
        last_prompt = next((turn.user_text for turn in reversed(turns) if turn.kind == "human"), "")
        text = "\n".join(parts) or summary[-len(summary) // _LAST_PARTS :]
        self._words = word_set(text) | word_set(last_prompt[:_LONGEST_PROMPT])
        self._rarity = rarity

    def factor(self, words: AbstractSet[str]) -> float:
        """From `_FAR_FACTOR` for a statement without words of the open work to 1 for one with enough of them."""
        shared = words & self._words
        if not shared:
            return _FAR_FACTOR
        total, about = (sum(self._rarity.get(word, 1.0) for word in own) for own in (words, shared))
        return _FAR_FACTOR + (1 - _FAR_FACTOR) * min(1.0, about / total / _NEAR_SHARE)
