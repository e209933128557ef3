"""Patterns of words, which are tried only on texts that have one of the words of their matches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_RUN: Final = re.compile(r"[^\W_]+")
_SAME_IN_PATTERNS: Final = str.maketrans({"İ": "i", "ı": "i", "ſ": "s", "\N{KELVIN SIGN}": "k"})
"""Letters that a pattern without case takes for others, though they are not the same in lower case."""


class CueText:
    """A text in which cues are looked for."""

    __slots__ = ("lowered", "runs", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lowered = text.lower() if text.isascii() else text.translate(_SAME_IN_PATTERNS).lower()
        """The text without case, as patterns without case see it."""
        self.runs = set(_RUN.findall(self.lowered))
        """The different runs of letters and digits, without case."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern without case, which can match only a text with one of some words, or with one of some parts of words.

    Trying all patterns on each statement would take most of the time of a review, and few of them match.
    """

    pattern: re.Pattern[str]
    words: frozenset[str]
    """Whole runs of letters and digits, in lower case: each match contains at least one of them, or one of `parts`."""
    parts: tuple[str, ...]

    def __call__(self, text: CueText) -> bool:
        """Whether the pattern matches somewhere in a text."""
        if self.words.isdisjoint(text.runs) and not any(part in text.lowered for part in self.parts):
            return False
        return self.pattern.search(text.text) is not None


def cue(pattern: str, words: str, *parts: str) -> Cue:
    """A cue with the words of its matches, separated by blanks."""
    return Cue(re.compile(pattern, re.IGNORECASE), frozenset(words.split()), parts)
