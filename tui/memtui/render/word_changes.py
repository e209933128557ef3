"""The words that differ between removed lines and the lines added in their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

Range = tuple[int, int]
"""A half-open range of characters of a line."""

_WORD = re.compile(r"\w+|[^\w\s]")
_MOST_WORDS = 600
"""Words; comparing more of them takes too long."""
_MOST_CHANGED = 0.5
"""The share of the words of a line above which they are not marked: the line as a whole is another one."""


def changed_words(removed: Sequence[str], added: Sequence[str]) -> tuple[list[list[Range]], list[list[Range]]]:
    """The ranges that changed in each removed and in each added line; none in lines with little in common."""
    before, after = _words(removed), _words(added)
    if not before or not after or max(len(before), len(after)) > _MOST_WORDS:
        return [[] for _ in removed], [[] for _ in added]
    matcher = SequenceMatcher(None, [text for _, _, text in before], [text for _, _, text in after], autojunk=False)
    kept = [block for block in matcher.get_matching_blocks() if block.size]
    kept_before = {index for block in kept for index in range(block.a, block.a + block.size)}
    kept_after = {index for block in kept for index in range(block.b, block.b + block.size)}
    return _ranges(removed, before, kept_before), _ranges(added, after, kept_after)


def _words(lines: Sequence[str]) -> list[tuple[int, int, str]]:
    """The words and signs of lines, each with the index of its line and its first character."""
    return [(index, match.start(), match[0]) for index, line in enumerate(lines) for match in _WORD.finditer(line)]


def _ranges(lines: Sequence[str], words: Sequence[tuple[int, int, str]], kept: set[int]) -> list[list[Range]]:
    by_line: list[list[tuple[Range, bool]]] = [[] for _ in lines]
    for index, (line, start, text) in enumerate(words):
        by_line[line].append(((start, start + len(text)), index in kept))
    return [_joined(line, own) for line, own in zip(lines, by_line, strict=True)]


def _joined(line: str, words: Sequence[tuple[Range, bool]]) -> list[Range]:
    """The ranges of the changed words of a line; those with only blanks between them are one."""
    kept = [is_kept for (start, _), is_kept in words if line[start].isalnum() or line[start] == "_"]
    if kept.count(False) > _MOST_CHANGED * len(kept):
        return []
    ranges: list[Range] = []
    for (start, end), is_kept in words:
        if is_kept:
            continue
        if ranges and not line[ranges[-1][1] : start].strip():
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
    return ranges
