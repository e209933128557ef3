"""Where a text is broken into lines: at blanks, and within a word only if the word is longer than a line."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from rich.cells import cell_len, split_graphemes

Range = tuple[int, int]
"""The (start, end) of a line in its text."""

_LEAD = re.compile(r"[ \xa0]*(?:(?:[-*+•>#]|\d{1,3}[.)]|\[[ xX]\])[ \xa0]+){0,3}")
"""The indentation of a line with its list signs, under which nothing of the line continues."""
# Each of these characters is one cell wide and combines with no other.
_SINGLE = re.compile(
    r"[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2190-\u2193\u2500-\u25fc]*"
)
_SIGNS = "/\\-_.,:;=&?+|)]}>"
"""A word that is longer than a line is broken after one of these."""
_NO_START = frozenset("、。，．：；！？）］｝〕〉》」』】・ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ")
"""Ideographic signs with which no line starts."""


def fits(text: str, width: int) -> bool:
    """Whether a text is at most so many cells wide."""
    return len(text) <= width and (text.isascii() or cell_len(text) <= width)


def lead_of(text: str) -> int:
    """The length of a line's indentation and list signs: `  - [ ] ` in `  - [ ] tests`."""
    match = _LEAD.match(text)
    return match.end() if match is not None and match.end() < len(text) else 0


def breaks(text: str, width: int, rest: int, lead: int) -> list[Range]:
    """The lines of a text, the first at most `width` cells wide and the others `rest`.

    The blanks at which a line ends are in no line. The first line is not broken within its first `lead` characters.
    """
    measure = _Single(text) if _SINGLE.fullmatch(text) else _Graphemes(text)
    lines: list[Range] = []
    start, room, length = 0, width, len(text)
    while (end := measure.end(start, room)) < length:
        cut = _cut(text, lead if not lines else start, end, measure)
        cut = cut if cut > start else end
        lines.append((start, cut))
        start, room = cut, rest
        while start < length and text[start] == " ":
            start += 1
    if start < length or not lines:
        lines.append((start, length))
    return lines


class _Single:
    """Measures a text whose characters are one cell wide each."""

    def __init__(self, text: str) -> None:
        self._length = len(text)

    def end(self, start: int, room: int) -> int:
        """The end of what fits into `room` cells from `start` on; at least one character."""
        return min(start + room, self._length)

    def between_ideographs(self, first: int, end: int) -> int:
        """The last index up to `end` at which ideographs allow a break; -1 if there is none after `first`."""
        return -1


class _Graphemes:
    """Measures any text."""

    def __init__(self, text: str) -> None:
        graphemes = split_graphemes(text)[0]
        self._text = text
        self._widths = [cells for *_, cells in graphemes]
        self._starts = [*(start for start, *_ in graphemes), len(text)]
        self._cells = list(accumulate(self._widths, initial=0))

    def end(self, start: int, room: int) -> int:
        """The end of what fits into `room` cells from `start` on; at least one grapheme."""
        index = bisect_right(self._starts, start) - 1
        last = bisect_right(self._cells, self._cells[index] + room) - 1
        return self._starts[min(max(last, index + 1), len(self._widths))]

    def between_ideographs(self, first: int, end: int) -> int:
        """The last index up to `end` at which ideographs allow a break; -1 if there is none after `first`."""
        index = bisect_right(self._starts, end) - 1
        while index > 0 and (place := self._starts[index]) > first:
            is_wide = 2 in self._widths[index - 1 : index + 1]
            if is_wide and self._text[place : place + 1] not in _NO_START:
                return place
            index -= 1
        return -1


def _cut(text: str, first: int, end: int, measure: _Single | _Graphemes) -> int:
    """The end of a line that may have the characters from `first` to `end`; `first` if there is no good one."""
    if text[end] == " ":
        return end
    at_word = max(text.rfind(" ", first, end), measure.between_ideographs(first, end))
    if at_word > first:
        return at_word
    # Not a few characters alone on a line.
    earliest = first + (end - first) // 3
    return max(text.rfind(sign, earliest, end) for sign in _SIGNS) + 1 or end
