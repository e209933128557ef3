"""The words of turns that would be mentions if a file of their name were known, so that no text is searched for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

MOST_CHARACTERS = 8_000_000
"""The most characters that are kept; about 20 kB come from a megabyte of transcripts."""
SEPARATOR = "\n"
"""Joins the words of a turn: no path contains it."""


class PossibleFiles:
    """The words of the turns read last."""

    def __init__(self) -> None:
        self._words: dict[int, str] = {}
        self._characters = 0

    def __contains__(self, turn: object) -> bool:
        return turn in self._words

    def add(self, turn: int, words: str) -> None:
        """Replace the words of a turn, which are joined by `SEPARATOR`. If all are too many, the others are dropped."""
        self._characters += len(words) - len(self._words.get(turn, ""))
        self._words[turn] = words
        if self._characters > MOST_CHARACTERS:
            self._words, self._characters = {turn: words}, len(words)

    def naming(self, names: Collection[str], turns: Iterable[int]) -> set[int]:
        """Those of the turns with a word that contains one of the names; unknown turns have no words."""
        words = self._words
        return {turn for turn in turns if (text := words.get(turn)) and any(name in text for name in names)}
