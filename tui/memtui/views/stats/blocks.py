"""Blocks of lines with links that the cursor can go to, and how they are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rich.cells import cell_len

from memtui.render.rows import Span
from memtui.widgets.requests.target import TurnSearch

Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class SearchLink:
    """Some cells of a line that stand for turns: a bar, a day."""

    line: int
    column: int
    width: int
    """Cells that a click opens."""
    marked_width: int
    """How many of these cells the cursor marks, from the left."""
    text: str
    """What it shows, in words."""
    search: TurnSearch | None
    """The search that finds its turns; None if there are none."""
    key: tuple[str, ...] = ("", "")
    """Section and name, of a file also its project: equal for the same link in other statistics."""
    cursor: str = ""
    """What is drawn under the cursor; empty if what stands there is only marked."""

    @property
    def is_day(self) -> bool:
        """Whether it is a day of the calendar."""
        return self.key[0] == "day"


@dataclass(frozen=True, slots=True)
class StatsBlock:
    """Lines, and the links in them."""

    lines: Sequence[Spans] = ()
    links: Sequence[SearchLink] = field(default=())


def stacked(*blocks: StatsBlock) -> StatsBlock:
    """Blocks below each other."""
    lines: list[Spans] = []
    links: list[SearchLink] = []
    for block in blocks:
        links += [replace(link, line=link.line + len(lines)) for link in block.links]
        lines += block.lines
    return StatsBlock(lines, links)


def beside(left: StatsBlock, right: StatsBlock, column: int) -> StatsBlock:
    """Two blocks beside each other, the right one from a column on."""
    lines: list[Spans] = []
    for index in range(max(len(left.lines), len(right.lines))):
        line = left.lines[index] if index < len(left.lines) else ()
        if index < len(right.lines):
            line = (*line, (" " * (column - _cells(line)), ""), *right.lines[index])
        lines.append(line)
    moved = [replace(link, column=link.column + column) for link in right.links]
    return StatsBlock(lines, [*left.links, *moved])


def marked(lines: Sequence[Spans], link: SearchLink) -> list[Spans]:
    """The lines with the cursor on a link."""
    result = list(lines)
    parts: list[Span] = []
    column = 0
    is_drawn = False
    for text, style in result[link.line]:
        before, inside, after = _parts(text, link.column - column, link.column + link.marked_width - column)
        if link.cursor and inside:
            inside, is_drawn = ("" if is_drawn else link.cursor), True
        parts += [(before, style), (inside, f"{style} current"), (after, style)]
        column += cell_len(text)
    result[link.line] = tuple((text, style.strip()) for text, style in parts if text)
    return result


def nearest(links: Sequence[SearchLink], current: SearchLink, step: int, *, sideways: bool) -> SearchLink:
    """The link next to the current one: in the lines below (1) or above (-1), or sideways in the columns beside it.

    Sideways leads to the same day of another week, and from a table to the table beside it. Up and down lead along the
    same cells: of several links in a line, those in other columns count only if there are no others, and of days the
    last one counts.
    """
    if sideways:
        ahead = [
            link
            for link in links
            if (link.column - current.column) * step > 0
            and link.is_day == current.is_day
            and (link.line == current.line or not link.is_day)
        ]
        return min(
            ahead,
            key=lambda link: (abs(link.line - current.line), abs(link.column - current.column)),
            default=current,
        )
    ahead = [link for link in links if (link.line - current.line) * step > 0]
    along = [link for link in ahead if _overlaps(link, current)]
    return min(along or ahead, key=lambda link: (abs(link.line - current.line), -link.column), default=current)


def _overlaps(link: SearchLink, other: SearchLink) -> bool:
    return link.column < other.column + other.width and other.column < link.column + link.width


def _cells(spans: Spans) -> int:
    return sum(cell_len(text) for text, _ in spans)


def _parts(text: str, start: int, end: int) -> tuple[str, str, str]:
    """A text before, between and after two cells."""
    first, last = _index(text, start), _index(text, end)
    return text[:first], text[first:last], text[last:]


def _index(text: str, cell: int) -> int:
    """The index of the first character from a cell on."""
    if text.isascii():
        return max(0, min(cell, len(text)))
    used = 0
    for index, character in enumerate(text):
        if used >= cell:
            return index
        used += cell_len(character)
    return len(text) if cell > 0 else 0
