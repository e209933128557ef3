"""Chunks of a text of a size that a model reads, cut at the boundaries of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

SIZE = 254
"""Tokens of a chunk with its overlap: with the two tokens at its ends this is what the default model reads."""
OVERLAP = 40
"""Tokens of the previous chunk that a chunk repeats, so that a sentence cut in two is whole in one of them."""
MAX_CHUNKS = 100
"""Most chunks of one text: a pasted book can be found by its beginning."""

_BOUNDARIES = re.compile(r"(?m)^(?:#{1,6}\s|\[(?:User|Assistant|Tools)\]|```|~~~)|\n[ \t]*\n+|\n|(?<=[.!?])\s")


def split(text: str, tokens: Sequence[tuple[int, int]]) -> list[str]:
    """The chunks in order; see `ranges`."""
    return [text[first:last] for first, last in ranges(text, tokens)]


def ranges(text: str, tokens: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The chunks in order as ranges of characters; `tokens` are the model's tokens of the text as such ranges.

    Every token is in a chunk, unless there are more than MAX_CHUNKS. A chunk ends, in its second half, before a heading
    or a speaker if there is one, otherwise between paragraphs, or else between lines, sentences or words.
    """
    if len(tokens) <= SIZE:
        return [(0, len(text))] if tokens else []
    ranks = _ranks(text, tokens)
    chunks: list[tuple[int, int]] = []
    start = 0
    while len(chunks) < MAX_CHUNKS:
        first = start - OVERLAP if chunks else start
        last = min(first + SIZE, len(tokens))
        end = last if last == len(tokens) else _best(ranks, first + SIZE // 2, last)
        chunks.append(_stripped(text, tokens[first][0], tokens[end - 1][1]))
        if end == len(tokens):
            break
        start = end
    return chunks


def _stripped(text: str, first: int, last: int) -> tuple[int, int]:
    """A range without white space at its ends."""
    chunk = text[first:last]
    return first + len(chunk) - len(chunk.lstrip()), first + len(chunk.rstrip())


def _best(ranks: Sequence[int], low: int, high: int) -> int:
    """The token before which to cut: at the strongest boundary, the last of equal ones."""
    return max(range(low + 1, high + 1), key=lambda token: (ranks[token], token))


def _ranks(text: str, tokens: Sequence[tuple[int, int]]) -> list[int]:
    """How strong the boundary before each token is, from 0 inside a word to 5 before a heading or a speaker."""
    ranks = [0, *(1 if token[0] > before[1] else 0 for before, token in pairwise(tokens))]
    token = 0
    in_fence = False
    for boundary in _BOUNDARIES.finditer(text):
        matched = boundary[0]
        head = matched.strip()
        start = boundary.start() if head else boundary.end()
        while token < len(tokens) and tokens[token][0] < start:
            token += 1
        if token == len(tokens):
            break
        fence = head in {"```", "~~~"}
        if fence:
            in_fence = not in_fence
        rank = 3 if fence else 5 if head else 4 if matched.count("\n") > 1 else 3 if "\n" in matched else 2
        if in_fence and rank > 2 and not (fence and in_fence):
            rank = 2
        ranks[token] = max(ranks[token], rank)
    return ranks
