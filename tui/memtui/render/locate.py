"""Locates a passage in the rows that were rendered from its text.

The rows differ from the text: Markdown loses its markup, code gains line numbers, and the input of a tool call is laid
out by its fields. So a passage is located by its words, where most of them are close together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from memtui.render.rows import Row
from memtui_core.text.characters import lowered

_WORD = re.compile(r"[a-z0-9_]+|\w")
_MIN_SHARE = 0.3
"""Share of the words of a passage that must be close together."""


class RowPosition(NamedTuple):
    """A character in a row."""

    row: int
    """Index of the row."""
    character: int


class _Word(NamedTuple):
    text: str
    row: int
    start: int
    end: int


def locate(rows: Sequence[Row], passage: str, at: float = 0.0) -> tuple[RowPosition, RowPosition] | None:
    """Return the first character of a passage and the one after its last; None if its words are not in the rows.

    `at` is the position of the passage in the text, 0 to 1; of equally good places the nearest is returned.
    """
    passage_words = Counter(_WORD.findall(lowered(passage)))
    count = passage_words.total()
    words = [
        _Word(word[0], number, *word.span())
        for number, row in enumerate(rows)
        for word in _WORD.finditer(lowered(row.text))
    ]
    if not count or not words:
        return None
    start = _best_window(words, passage_words, count, at)
    return _trimmed(words[start : start + count], passage_words) if start is not None else None


def _best_window(words: Sequence[_Word], passage_words: Counter[str], count: int, at: float) -> int | None:
    """The start of the window of `count` words that contains most words of the passage."""
    window: Counter[str] = Counter()
    matching = 0
    best: tuple[int, float, int] | None = None
    expected = at * len(words)
    for index, word in enumerate(words):
        window[word.text] += 1
        matching += window[word.text] <= passage_words[word.text]
        if index >= count:
            left = words[index - count].text
            matching -= window[left] <= passage_words[left]
            window[left] -= 1
        first = max(0, index - count + 1)
        if matching >= max(1, _MIN_SHARE * count) and (best is None or (matching, -abs(first - expected)) > best[:2]):
            best = matching, -abs(first - expected), first
    return best[2] if best is not None else None


def _trimmed(words: Sequence[_Word], passage_words: Counter[str]) -> tuple[RowPosition, RowPosition]:
    """The extent of a window without rows at its ends that contain only a few words of the passage."""
    by_row = {row: list(row_words) for row, row_words in groupby(words, key=lambda word: word.row)}
    numbers = list(by_row)

    def belongs(row: int) -> bool:
        return 2 * sum(word.text in passage_words for word in by_row[row]) >= len(by_row[row])

    while len(numbers) > 1 and not belongs(numbers[0]):
        numbers.pop(0)
    while len(numbers) > 1 and not belongs(numbers[-1]):
        numbers.pop()
    first_row, last_row = by_row[numbers[0]], by_row[numbers[-1]]
    first = next((word for word in first_row if word.text in passage_words), first_row[0])
    last = next((word for word in reversed(last_row) if word.text in passage_words), last_row[-1])
    return RowPosition(first.row, first.start), RowPosition(last.row, last.end)
