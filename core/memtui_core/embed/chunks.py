"""A text into pieces of a size that a model reads, cut where Markdown has a border."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

SIZE = 254
"""Tokens of a piece, its overlap included: with the two at the ends it is what the default model reads."""
OVERLAP = 40
"""Tokens that a piece repeats of the one before, so that a thought cut in two is whole in one of them."""
MOST = 100
"""Pieces of one text: of a pasted book the beginning is enough to find it."""

_BORDERS = re.compile(r"(?m)^(?:#{1,6}\s|\[(?:User|Assistant|Tools)\]|```|~~~)|\n[ \t]*\n+|\n|(?<=[.!?])\s")


def split(text: str, tokens: Sequence[tuple[int, int]]) -> list[str]:
    """The pieces in order; see `ranges`."""
    return [text[first:last] for first, last in ranges(text, tokens)]


def ranges(text: str, tokens: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pieces in order as ranges of characters; `tokens` are the model's tokens of the text as such ranges.

    Every token stands in a piece. A piece ends, in its last half, before a heading or a speaker if there is one, else
    between paragraphs, else between lines, sentences or words.
    """
    if len(tokens) <= SIZE:
        return [(0, len(text))] if tokens else []
    ranks = _ranks(text, tokens)
    pieces: list[tuple[int, int]] = []
    start = 0
    while len(pieces) < MOST:
        first = start - OVERLAP if pieces else start
        last = min(first + SIZE, len(tokens))
        end = last if last == len(tokens) else _best(ranks, first + SIZE // 2, last)
        pieces.append(_stripped(text, tokens[first][0], tokens[end - 1][1]))
        if end == len(tokens):
            break
        start = end
    return pieces


def _stripped(text: str, first: int, last: int) -> tuple[int, int]:
    """A range without white space at its ends."""
    piece = text[first:last]
    return first + len(piece) - len(piece.lstrip()), first + len(piece.rstrip())


def _best(ranks: Sequence[int], low: int, high: int) -> int:
    """The token before which to cut: at the strongest border, of equal ones the last."""
    return max(range(low + 1, high + 1), key=lambda place: (ranks[place], place))


def _ranks(text: str, tokens: Sequence[tuple[int, int]]) -> list[int]:
    """How strong the border before each token is: 0 inside of a word, up to 5 before a heading or a speaker."""
    ranks = [0, *(1 if token[0] > before[1] else 0 for before, token in pairwise(tokens))]
    place = 0
    in_fence = False
    for border in _BORDERS.finditer(text):
        found = border[0]
        head = found.strip()
        at = border.start() if head else border.end()
        while place < len(tokens) and tokens[place][0] < at:
            place += 1
        if place == len(tokens):
            break
        fence = head in {"```", "~~~"}
        if fence:
            in_fence = not in_fence
        rank = 3 if fence else 5 if head else 4 if found.count("\n") > 1 else 3 if "\n" in found else 2
        if in_fence and rank > 2 and not (fence and in_fence):
            rank = 2
        ranks[place] = max(ranks[place], rank)
    return ranks
