"""The work that is open at a compaction, by the summary and the last prompt, and what statements have to do with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from memtui_core.compaction.outline import outline
from memtui_core.compaction.words import word_set
from memtui_core.model import Turn

OPEN_PART: Final = re.compile(
    r"pending|current work|next step|in progress|remaining|to-?do|\bopen\b|\bnext\b|progress", re.I
)
"""Headings of the parts of a summary that tell what is open."""
_END: Final = 4
"""Of a summary without such a part, the last of so many parts is taken."""
_LONGEST_PROMPT: Final = 1500
_NEAR: Final = 0.3
"""The share of a statement's words from which on it is about the open work.

Measured with bench/review: of the rows with less than a tenth, one in eleven was useful to a reader, of those with a
quarter or more, one in four.
"""
_FAR: Final = 0.65
"""Factor for a statement that has no word of it."""


class OpenWork:
    """Tells how near statements are to the work that is open."""

    def __init__(self, summary: str, turns: Sequence[Turn], rarity: Mapping[str, float]) -> None:
        parts = [
            summary[section.span.start : section.span.end]
            for section in outline(summary)
            if OPEN_PART.search(section.title)
        ]
        last_prompt = next((turn.user_text for turn in reversed(turns) if turn.kind == "human"), "")
        text = "\n".join(parts) or summary[-len(summary) // _END :]
        self._words = word_set(text) | word_set(last_prompt[:_LONGEST_PROMPT])
        self._rarity = rarity

    def factor(self, words: AbstractSet[str]) -> float:
        """From `_FAR` for a statement with other words than the open work to 1 for one with enough of them."""
        shared = words & self._words
        if not shared:
            return _FAR
        total, about = (sum(self._rarity.get(word, 1.0) for word in own) for own in (words, shared))
        return _FAR + (1 - _FAR) * min(1.0, about / total / _NEAR)
