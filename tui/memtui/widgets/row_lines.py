"""Rows that are wrapped to the width of a view all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from textual.geometry import Offset

from memtui.render.rows import Line, Row, wrap


class RowLines:
    """The lines of a short text, the `LineSource` of most views; the key of a line is its index.

    `make_rows` makes all rows for a view of some cells and lines.
    """

    indent = 0

    def __init__(self, make_rows: Callable[[int, int], Sequence[Row]]) -> None:
        self._make_rows = make_rows
        self.lines: list[Line] = []

    def lay_out(self, width: int, height: int) -> None:
        """Make and wrap all rows."""
        self.lines = wrap(self._make_rows(width, height), width)

    @property
    def height(self) -> int:
        """How many lines there are."""
        return len(self.lines)

    def keyed_line(self, y: int) -> tuple[int, Line | None]:
        """The key and the line at a height; None below the last one."""
        return (y, self.lines[y]) if y < len(self.lines) else (len(self.lines), None)

    def selected(self, start: Offset, end: Offset) -> Iterator[tuple[Line, int, int]]:
        """The selected lines, each with its first selected character and the end."""
        for key, line in enumerate(self.lines[start.y : end.y + 1], start.y):
            yield line, start.x if key == start.y else 0, end.x if key == end.y else len(line.text)
