"""The words of a search in what is shown: found, counted and marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from memtui.render.rows import Row, Span

Pattern = re.Pattern[str]


def pattern(words: Sequence[str]) -> Pattern | None:
    """What finds any of the words or phrases, in any case, at the start of a word or of a part of an identifier.

    Ideographs have no word starts and are found anywhere. None when there is nothing to find.
    """
    found = sorted({" ".join(word.split()) for word in words if word.strip()}, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(_one, found))) if found else None


def _one(word: str) -> str:
    body = r"\s+".join(re.escape(part) for part in word.split(" "))
    start = r"(?:(?<![^\W_])|(?<=[^\W\dA-Z_])(?=[A-Z])|(?<=\d)(?=[^\W\d]))" if _is_word(word[0]) else ""
    return f"{start}(?i:{body})"


def _is_word(char: str) -> bool:
    return char.isalnum() and ord(char) < 0x2E80


def count(rows: Sequence[Row], search: Pattern) -> int:
    """How many times the rows hold what is searched."""
    return sum(1 for each in rows for _ in search.finditer(each.text))


def mark(rows: Sequence[Row], search: Pattern, current: int | None = None) -> list[Row]:
    """The rows with each match in style `match`, number `current` of them in style `match current`."""
    return mark_spans(rows, lambda text: [match.span() for match in search.finditer(text)], current)


def mark_spans(
    rows: Sequence[Row], find: Callable[[str], list[tuple[int, int]]], current: int | None = None
) -> list[Row]:
    """The same for ranges of characters that `find` gives for the text of a row."""
    marked: list[Row] = []
    seen = 0
    for each in rows:
        spans = find(each.text)
        if not spans:
            marked.append(each)
            continue
        at = current - seen if current is not None else -1
        marked.append(replace(each, spans=_overlay(each.spans, spans, at)))
        seen += len(spans)
    return marked


def place(rows: Sequence[Row], search: Pattern, wanted: int) -> tuple[int, int] | None:
    """(index of the row, character in it) of match number `wanted`, or of the last one; None when there is none."""
    found: tuple[int, int] | None = None
    seen = 0
    for index, each in enumerate(rows):
        for match in search.finditer(each.text):
            found = (index, match.start())
            if seen == wanted:
                return found
            seen += 1
    return found


def _overlay(spans: tuple[Span, ...], found: list[tuple[int, int]], current: int) -> tuple[Span, ...]:
    result: list[Span] = []
    position = 0
    for text, style in spans:
        cursor, end = position, position + len(text)
        for index, (start, stop) in enumerate(found):
            if stop <= cursor or start >= end:
                continue
            begin, until = max(start, cursor), min(stop, end)
            if begin > cursor:
                result.append((text[cursor - position : begin - position], style))
            name = "match current" if index == current else "match"
            result.append((text[begin - position : until - position], f"{style} {name}".strip()))
            cursor = until
        if cursor < end:
            result.append((text[cursor - position :], style))
        position = end
    return tuple(result)
