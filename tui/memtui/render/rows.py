"""Text with named styles: rows before, and lines after it is wrapped to a width.

A style name is the suffix of a class in the style sheet (`added` is `.lines--added`); several are joined by blanks.
Colours are looked up when a line is painted, so lines stay valid when the theme changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.cells import cell_len

from memtui.render.line_breaks import Range, breaks, fits, lead_of
from memtui.render.links import addresses
from memtui.wording.formatting import head

Span = tuple[str, str]
"""Text and the names of its styles."""
Wrap = Literal["words", "none"]

GAP = -2
"""`Row.seq` of a row that belongs to no block, such as a blank line between two blocks."""
DECORATION = frozenset({"bar", "gutter"})
"""Styles of decorations, which are not copied."""
UNWRAPPED = 10_000
"""Cells from which on a line counts as not wrapped, in a pipe or for the clipboard."""
_MIN_WIDTH = 8


@dataclass(frozen=True, slots=True)
class Row:
    """One line of text before it is wrapped."""

    spans: tuple[Span, ...] = ()
    seq: int = -1
    """`Block.seq` of the block that it shows; -1 for the head and the prompt."""
    first: tuple[Span, ...] = ()
    """Prefix of its first line: a bullet, a line number."""
    rest: tuple[Span, ...] = ()
    """Prefix of the lines on which it continues."""
    wrap: Wrap = "words"
    """Wrap at blanks, or not at all: then `…` marks the omitted end."""
    fold: int | None = None
    """`Block.seq` of the block that a click folds or unfolds."""
    hang: int | None = None
    """Cells by which the lines on which it continues are indented; None for those of its own indentation and sign."""
    fill: str = ""
    """Names of the styles of the cells after the end of its lines."""

    @property
    def text(self) -> str:
        """Its text without the prefix."""
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
    """Length of the prefix in characters: indent, bullet, line number."""
    fill: str = ""
    """Names of the styles of the cells after its end."""

    @property
    def text(self) -> str:
        """Its text with the prefix."""
        return "".join(text for text, _ in self.spans)

    @property
    def plain(self) -> str:
        """Its text with decorations replaced by blanks."""
        return "".join(" " * len(text) if set(style.split()) & DECORATION else text for text, style in self.spans)


def row(text: str, style: str = "", seq: int = -1) -> Row:
    """A row in one style."""
    return Row(((text, style),) if text else (), seq)


def wrap(rows: Iterable[Row], width: int, indent: int = 0) -> list[Line]:
    """Wrap rows to lines of at most `width` cells, each after `indent` blanks."""
    lines: list[Line] = []
    pad: tuple[Span, ...] = ((" " * indent, ""),) if indent else ()
    for index, row in enumerate(rows):
        first, rest = pad + row.first, pad + row.rest
        text_width = max(_MIN_WIDTH, width - max(cells_of(first), cells_of(rest)))
        row_spans = _truncated(row, text_width) if row.wrap == "none" else row.spans
        if any("://" in text for text, _ in row_spans):
            row_spans = overlaid(row_spans, addresses("".join(text for text, _ in row_spans)))
        ranges, hang = _ranges(row, text_width)
        rest = (*rest, (" " * hang, "")) if hang else rest
        for start, spans in _slices(row_spans, ranges):
            prefix = rest if start else first
            lead = sum(len(text) for text, _ in prefix)
            lines.append(Line(prefix + spans, index, start, row.seq, row.fold, lead, row.fill))
    return lines


def line_of(lines: Sequence[Line], row: int, character: int) -> int:
    """The index of the line that shows a character of a row."""
    return max((i for i, line in enumerate(lines) if line.row == row and line.start <= character), default=0)


def overlaid(spans: tuple[Span, ...], ranges: Sequence[tuple[int, int, str]]) -> tuple[Span, ...]:
    """Spans with another style for each of some ranges of characters: (start, end, style)."""
    result: list[Span] = []
    position = 0
    for text, style in spans:
        cursor, end = position, position + len(text)
        for start, stop, name in ranges:
            if stop <= cursor or start >= end:
                continue
            begin, until = max(start, cursor), min(stop, end)
            if begin > cursor:
                result.append((text[cursor - position : begin - position], style))
            result.append((text[begin - position : until - position], f"{style} {name}".strip()))
            cursor = until
        if cursor < end:
            result.append((text[cursor - position :], style))
        position = end
    return tuple(result)


def prefixed(rows: Iterable[Row], first: tuple[Span, ...], rest: tuple[Span, ...]) -> list[Row]:
    """Put a prefix before rows: `first` before the first row, `rest` before all others."""
    result: list[Row] = []
    for row in rows:
        prefix = rest if result else first
        result.append(replace(row, first=prefix + row.first, rest=rest + row.rest))
    return result


def _truncated(row: Row, width: int) -> tuple[Span, ...]:
    """The spans of a row that does not wrap; `…` marks the omitted end."""
    text = row.text
    if fits(text, width):
        return row.spans
    _, spans = next(_slices(row.spans, [(0, len(head(text, width - 1)))]))
    return (*spans, ("…", "muted"))


def cells_of(spans: Iterable[Span]) -> int:
    """The width of spans in cells."""
    return sum(cell_len(text) for text, _ in spans)


def _ranges(row: Row, width: int) -> tuple[list[Range], int]:
    """The lines of a row, and the cells by which all but the first are indented."""
    text = row.text
    if row.wrap == "none" or fits(text, width):
        return [(0, len(text))], 0
    lead = lead_of(text)
    hang = min(lead if row.hang is None else row.hang, width // 2)
    return breaks(text, width, width - hang, lead), hang


def _slices(spans: tuple[Span, ...], breaks: list[tuple[int, int]]) -> Iterator[tuple[int, tuple[Span, ...]]]:
    """The start and the spans of each line, in one pass over all spans."""
    if len(breaks) == 1 and breaks[0][1] == sum(len(text) for text, _ in spans):
        yield 0, spans
        return
    index, before = 0, 0
    for start, end in breaks:
        line: list[Span] = []
        while index < len(spans):
            text, style = spans[index]
            if before + len(text) > start:
                part = text[max(0, start - before) : end - before]
                if part:
                    line.append((part, style))
            if before + len(text) >= end:
                break
            before += len(text)
            index += 1
        yield start, tuple(line)
