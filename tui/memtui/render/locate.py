"""Where a passage stands among the rows of a text, which are drawn from it by other rules than it was written by.

Markdown loses its signs, code gains line numbers, a tool call's input is laid out by its fields. So a passage is found
by its words: it stands where most of them are close together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from memtui.render.rows import Row

_WORD = re.compile(r"[a-z0-9_]+|\w")
_LEAST = 0.3
"""Share of a passage's words that must stand together for it to be found."""


class Spot(NamedTuple):
    """A character in a row."""

    row: int
    """Index of the row."""
    character: int


class _Word(NamedTuple):
    text: str
    row: int
    start: int
    end: int


def locate(rows: Sequence[Row], passage: str, at: float = 0.0) -> tuple[Spot, Spot] | None:
    """The first character of a passage and the one after its last; None when its words are not there.

    `at` is where in the text it begins, 0 to 1: of two places that are as good the nearer one is taken.
    """
    wanted = Counter(_WORD.findall(passage.lower()))
    count = wanted.total()
    words = [
        _Word(word[0], number, *word.span())
        for number, row in enumerate(rows)
        for word in _WORD.finditer(row.text.lower())
    ]
    if not count or not words:
        return None
    start = _densest(words, wanted, count, at)
    return _trimmed(words[start : start + count], wanted) if start is not None else None


def _densest(words: Sequence[_Word], wanted: Counter[str], count: int, at: float) -> int | None:
    """Where the stretch of `count` words with most of those wanted begins."""
    inside: Counter[str] = Counter()
    held = 0
    best: tuple[int, float, int] | None = None
    expected = at * len(words)
    for place, word in enumerate(words):
        inside[word.text] += 1
        held += inside[word.text] <= wanted[word.text]
        if place >= count:
            left = words[place - count].text
            held -= inside[left] <= wanted[left]
            inside[left] -= 1
        first = max(0, place - count + 1)
        if held >= max(1, _LEAST * count) and (best is None or (held, -abs(first - expected)) > best[:2]):
            best = held, -abs(first - expected), first
    return best[2] if best is not None else None


def _trimmed(words: Sequence[_Word], wanted: Counter[str]) -> tuple[Spot, Spot]:
    """The extent of a stretch without rows at its ends that share only a word or two with the passage."""
    by_row = {row: list(own) for row, own in groupby(words, key=lambda word: word.row)}
    numbers = list(by_row)

    def belongs(row: int) -> bool:
        return 2 * sum(word.text in wanted for word in by_row[row]) >= len(by_row[row])

    while len(numbers) > 1 and not belongs(numbers[0]):
        numbers.pop(0)
    while len(numbers) > 1 and not belongs(numbers[-1]):
        numbers.pop()
    first = next((word for word in by_row[numbers[0]] if word.text in wanted), by_row[numbers[0]][0])
    last = next((word for word in reversed(by_row[numbers[-1]]) if word.text in wanted), by_row[numbers[-1]][-1])
    return Spot(first.row, first.start), Spot(last.row, last.end)
