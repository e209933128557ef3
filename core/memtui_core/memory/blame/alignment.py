"""Which lines of two texts are the same ones, by their order and by lines that occur only once in both."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

Pair = tuple[int, int]
"""The index of a line in the first text, and that of the same line in the second."""

_MOST_LINES: Final = 400
"""Lines between two anchors that are compared one by one; comparing more takes too long."""


def aligned(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """The lines that two versions of a text share, in order; each line is in one pair at most.

    What both begin and end with is shared. In between, lines that occur once in both are anchors (patience diff), and
    the rest is compared from anchor to anchor.
    """
    most = min(len(before), len(after))
    start = next((at for at in range(most) if before[at] != after[at]), most)
    end = next((at for at in range(most - start) if before[-1 - at] != after[-1 - at]), most - start)
    middle = _between(before[start : len(before) - end], after[start : len(after) - end])
    return [
        *((at, at) for at in range(start)),
        *((start + i, start + j) for i, j in middle),
        *((len(before) - at, len(after) - at) for at in range(end, 0, -1)),
    ]


def anchors(first: Sequence[str], second: Sequence[str]) -> list[Pair]:
    """The longest series of lines that occur once in both texts and have the same order in both."""
    own = _once(first)
    places: dict[str, int] = {}
    repeated: set[str] = set()
    for j, line in enumerate(second):
        if line in own:
            if line in places:
                repeated.add(line)
            places[line] = j
    return _increasing([(i, places[line]) for line, i in own.items() if line in places and line not in repeated])


def within(part: Sequence[str], text: Sequence[str], found: Sequence[Pair]) -> list[Pair]:
    """The lines of a part that are in a text: `found`, its anchors, and what lies between and right beside them."""
    if not found:
        return []
    pairs: list[Pair] = []
    i, j = found[0]
    while i and j and part[i - 1] == text[j - 1]:
        i, j = i - 1, j - 1
        pairs.append((i, j))
    pairs.reverse()
    for (i, j), (k, m) in pairwise(found):
        pairs.append((i, j))
        pairs += ((i + 1 + a, j + 1 + b) for a, b in aligned(part[i + 1 : k], text[j + 1 : m]))
    i, j = found[-1]
    while i < len(part) and j < len(text) and part[i] == text[j]:
        pairs.append((i, j))
        i, j = i + 1, j + 1
    return pairs


def _between(before: Sequence[str], after: Sequence[str]) -> Iterator[Pair]:
    if not before or not after:
        return
    i = j = 0
    for k, m in [*anchors(before, after), (len(before), len(after))]:
        if k - i + m - j <= _MOST_LINES:
            blocks = SequenceMatcher(None, before[i:k], after[j:m], autojunk=False).get_matching_blocks()
            for block in blocks:
                yield from ((i + block.a + at, j + block.b + at) for at in range(block.size))
        if k < len(before):
            yield k, m
        i, j = k + 1, m + 1


def _once(lines: Sequence[str]) -> dict[str, int]:
    """The lines that occur once, with their indexes, in order."""
    counts = Counter(lines)
    return {line: index for index, line in enumerate(lines) if counts[line] == 1}


def _increasing(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest series of pairs, which are ordered by their first index, that is ordered by the second, too."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        at = bisect_left(ends, second)
        before.append(places[at - 1] if at else -1)
        ends[at : at + 1] = [second]
        places[at : at + 1] = [index]
    series: list[Pair] = []
    index = places[-1] if places else -1
    while index >= 0:
        series.append(pairs[index])
        index = before[index]
    return series[::-1]
