"""Finding, counting and marking matches in rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from memtui.render.rows import Row, overlaid

Pattern = re.Pattern[str]


def pattern(words: Sequence[str]) -> Pattern | None:
    """Return a pattern for any of the words or phrases; None without words.

    Words match in any case, at the start of a word or of a part of an identifier; ideographs match anywhere.
    """
    distinct = sorted({" ".join(word.split()) for word in words if word.strip()}, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(_word_pattern, distinct))) if distinct else None


def _word_pattern(word: str) -> str:
    body = r"\s+".join(re.escape(part) for part in word.split(" "))
    start = r"(?:(?<![^\W_])|(?<=[^\W\dA-Z_])(?=[A-Z])|(?<=\d)(?=[^\W\d]))" if _is_word(word[0]) else ""
    return f"{start}(?i:{body})"


def _is_word(char: str) -> bool:
    return char.isalnum() and ord(char) < 0x2E80


def count(rows: Sequence[Row], search: Pattern) -> int:
    """The number of matches in rows."""
    return sum(1 for row in rows for _ in search.finditer(row.text))


def mark(rows: Sequence[Row], search: Pattern, current: int | None = None) -> list[Row]:
    """Return the rows with all matches in style `match`, and match number `current` in style `match current`."""
    return mark_spans(rows, lambda text: [match.span() for match in search.finditer(text)], current)


def mark_spans(
    rows: Sequence[Row], find: Callable[[str], list[tuple[int, int]]], current: int | None = None
) -> list[Row]:
    """Like `mark`, for the ranges of characters that `find` returns for the text of a row."""
    marked: list[Row] = []
    count_before = 0
    for row in rows:
        ranges = find(row.text)
        if not ranges:
            marked.append(row)
            continue
        current_here = current - count_before if current is not None else -1
        styled = [
            (start, end, "match current" if index == current_here else "match")
            for index, (start, end) in enumerate(ranges)
        ]
        marked.append(replace(row, spans=overlaid(row.spans, styled)))
        count_before += len(ranges)
    return marked


def match_position(rows: Sequence[Row], search: Pattern, number: int) -> tuple[int, int] | None:
    """Return the index of the row and the character of match `number`, or of the last match; None without matches."""
    position: tuple[int, int] | None = None
    count_before = 0
    for index, row in enumerate(rows):
        for match in search.finditer(row.text):
            position = (index, match.start())
            if count_before == number:
                return position
            count_before += 1
    return position
