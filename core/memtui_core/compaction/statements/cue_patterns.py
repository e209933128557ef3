"""Cues: patterns that are tried only on texts with one of the words that their matches contain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_RUN: Final = re.compile(r"[^\W_]+")
_SAME_IN_PATTERNS: Final = str.maketrans({"İ": "i", "ı": "i", "ſ": "s", "\N{KELVIN SIGN}": "k"})
"""Letters that match others in a pattern that ignores case, although `str.lower` keeps them apart."""


class CueText:
    """A text in which cues are looked for."""

    __slots__ = ("lowered", "runs", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lowered = text.lower() if text.isascii() else text.translate(_SAME_IN_PATTERNS).lower()
        """The text in lower case, as patterns that ignore case see it."""
        self.runs = set(_RUN.findall(self.lowered))
        """The different runs of letters and digits in `lowered`."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern that ignores case, with words of which every match contains one, so that most texts need no search.

    To try all patterns on each statement would take most of the time of a review, and few of them match.
    """

    pattern: re.Pattern[str]
    words: frozenset[str]
    """Runs of letters and digits in lower case: each match contains one of them, or one of `parts`."""
    parts: tuple[str, ...]
    """Parts of such runs."""

    def __call__(self, text: CueText) -> bool:
        """Whether the pattern matches somewhere in a text."""
        if self.words.isdisjoint(text.runs) and not any(part in text.lowered for part in self.parts):
            return False
        return self.pattern.search(text.text) is not None


def cue(pattern: str, words: str, *parts: str) -> Cue:
    """A cue; `words` are separated by blanks, see `Cue.words`, and `parts` are `Cue.parts`."""
    return Cue(re.compile(pattern, re.IGNORECASE), frozenset(words.split()), parts)
