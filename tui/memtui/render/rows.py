"""Rows and lines: text with named styles, before and after it is wrapped to a width.

A style name is the suffix of a class in the style sheet (`added` is `.lines--added`); several are joined by blanks.
Colours are looked up when a line is painted, so lines live through a change of theme.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from rich.cells import cell_len, split_graphemes

Span = tuple[str, str]
"""Text and the names of its styles."""
Wrap = Literal["words", "chars", "none"]

GAP = -2
"""`Row.seq` of a blank line between two things, which belongs to neither."""
DECORATION = frozenset({"bar", "gutter"})
"""Styles of signs that the eye needs and a copied text does not."""
_NARROWEST = 8
# Every character here is one cell wide and joins with no other.
_SINGLE = re.compile(
    r"[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2190-\u2193\u2500-\u25fc]*"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One logical line: what is wrapped as a whole."""

    spans: tuple[Span, ...] = ()
    seq: int = -1
    """`Block.seq` of what it shows; -1 for the head and the person's text."""
    first: tuple[Span, ...] = ()
    """Stands before its first line: a bullet, a line number."""
    rest: tuple[Span, ...] = ()
    """Stands before the lines that it is continued on."""
    wrap: Wrap = "words"
    """At blanks, anywhere, or not at all: then what does not fit shows as `…`."""
    fold: int | None = None
    """`Block.seq` of what a click on it opens or closes."""

    @property
    def text(self) -> str:
        """What it says, without what stands before it."""
        return "".join(text for text, _ in self.spans)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the screen."""

    spans: tuple[Span, ...]
    row: int
    """Index of its row in the list that was wrapped."""
    start: int
    """Index of its first character in the text of the row."""
    seq: int
    fold: int | None = None
    lead: int = 0
    """Characters before the text of the row: indent, bullet, line number."""

    @property
    def text(self) -> str:
        """All that it shows."""
        return "".join(text for text, _ in self.spans)

    @property
    def plain(self) -> str:
        """What a copy of it says: decoration shows as blanks."""
        return "".join(" " * len(text) if set(style.split()) & DECORATION else text for text, style in self.spans)


def row(text: str, style: str = "", seq: int = -1) -> Row:
    """A row in one style."""
    return Row(((text, style),) if text else (), seq)


def wrap(rows: Iterable[Row], width: int, indent: int = 0) -> list[Line]:
    """Rows as lines of at most `width` cells, each behind `indent` blanks."""
    lines: list[Line] = []
    pad: tuple[Span, ...] = ((" " * indent, ""),) if indent else ()
    for index, each in enumerate(rows):
        first, rest = pad + each.first, pad + each.rest
        room = max(_NARROWEST, width - max(_cells(first), _cells(rest)))
        spans_of = _whole(each, room) if each.wrap == "none" else each.spans
        for start, spans in _slices(spans_of, _breaks("".join(text for text, _ in spans_of), room, each.wrap)):
            before = rest if start else first
            lead = sum(len(text) for text, _ in before)
            lines.append(Line(before + spans, index, start, each.seq, each.fold, lead))
    return lines


def prefixed(rows: Iterable[Row], first: tuple[Span, ...], rest: tuple[Span, ...]) -> list[Row]:
    """Rows behind a sign: `first` before the first of them, `rest` before all others."""
    result: list[Row] = []
    for each in rows:
        before = rest if result else first
        result.append(replace(each, first=before + each.first, rest=rest + each.rest))
    return result


def _whole(each: Row, width: int) -> tuple[Span, ...]:
    """The spans of a row that does not wrap: what does not fit shows as `…`."""
    text = each.text
    if (len(text) <= width and text.isascii()) or cell_len(text) <= width:
        return each.spans
    _, kept = next(_slices(each.spans, [(0, _fit(text, width - 1))]))
    return (*kept, ("…", "muted"))


def _cells(spans: tuple[Span, ...]) -> int:
    return sum(cell_len(text) for text, _ in spans)


def _breaks(text: str, width: int, how: Wrap) -> list[tuple[int, int]]:
    """The (start, end) of each line; blanks at which a line of words breaks belong to none."""
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return [(0, len(text))]
    if how == "none":
        return [(0, len(text))]
    if _SINGLE.fullmatch(text):
        return _single_breaks(text, width, how == "words")
    return _wide_breaks(text, width, how == "words")


def _single_breaks(text: str, width: int, words: bool) -> list[tuple[int, int]]:
    breaks, position, length = [], 0, len(text)
    while length - position > width:
        end = after = position + width
        if words and text[end] != " ":
            blank = text.rfind(" ", position, end)
            if blank > position and not text[position:blank].isspace():
                end = after = blank
        while words and after < length and text[after] == " ":
            after += 1
        breaks.append((position, end))
        position = after
    if position < length or not breaks:
        breaks.append((position, length))
    return breaks


def _wide_breaks(text: str, width: int, words: bool) -> list[tuple[int, int]]:
    breaks: list[tuple[int, int]] = []
    start = used = chance = after_chance = 0
    for begin, end, cells in split_graphemes(text)[0]:
        is_blank = text[begin:end] == " "
        if used + cells > width and words and is_blank:
            breaks.append((start, begin))
            start, used = end, 0
            continue
        if used + cells > width:
            cut, after = (chance, after_chance) if words and chance > start else (begin, begin)
            breaks.append((start, cut))
            start, used = after, cell_len(text[after:begin])
        if is_blank:
            if begin > start:
                chance, after_chance = begin, end
        elif cells == 2:
            # Between ideographs a line may break anywhere.
            chance, after_chance = end, end
        used += cells
    breaks.append((start, len(text)))
    return breaks


def _fit(text: str, width: int) -> int:
    used = 0
    for start, _end, cells in split_graphemes(text)[0]:
        if used + cells > width:
            return start
        used += cells
    return len(text)


def _slices(spans: tuple[Span, ...], breaks: list[tuple[int, int]]) -> Iterator[tuple[int, tuple[Span, ...]]]:
    """The spans of each line; runs once over all spans."""
    if len(breaks) == 1 and breaks[0][1] == sum(len(text) for text, _ in spans):
        yield 0, spans
        return
    index, before = 0, 0
    for start, end in breaks:
        found: list[Span] = []
        while index < len(spans):
            text, style = spans[index]
            if before + len(text) > start:
                part = text[max(0, start - before) : end - before]
                if part:
                    found.append((part, style))
            if before + len(text) >= end:
                break
            before += len(text)
            index += 1
        yield start, tuple(found)
