"""Words of turns that may name files, so that no text need be searched when such a file becomes known.

The name `serve` in a command is a mention only if the project has such a file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

MOST_CHARACTERS = 8_000_000
"""The most characters that are kept; a megabyte of transcripts has about 20 kB of such words."""
SEPARATOR = "\n"
"""Joins the words of a turn, as no path contains it."""


class PossibleFiles:
    """The words of the turns that were read last."""

    def __init__(self) -> None:
        self._words: dict[int, str] = {}
        self._characters = 0

    def __contains__(self, turn: object) -> bool:
        return turn in self._words

    def add(self, turn: int, words: str) -> None:
        """Set the words of a turn, joined by `SEPARATOR`. If all are too many, those of other turns are dropped."""
        self._characters += len(words) - len(self._words.get(turn, ""))
        self._words[turn] = words
        if self._characters > MOST_CHARACTERS:
            self._words, self._characters = {turn: words}, len(words)

    def naming(self, names: Collection[str], turns: Iterable[int]) -> set[int]:
        """Those of the turns that have a word with one of the names in it; turns that were dropped have no words."""
        words = self._words
        return {turn for turn in turns if (text := words.get(turn)) and any(name in text for name in names)}
