"""The lines of a short text, all wrapped at once to the width of a view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from textual.geometry import Offset

from memtui.render.rows import Line, Row, wrap


class RowLines:
    """The `LineSource` of most views; the key of a line is its index.

    `make_rows` makes all rows for a width in cells and a height in lines.
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
        """The number of lines."""
        return len(self.lines)

    def keyed_line(self, y: int) -> tuple[int, Line | None]:
        """The key and the line at a position; None below the last line."""
        return (y, self.lines[y]) if y < len(self.lines) else (len(self.lines), None)

    def selected(self, start: Offset, end: Offset) -> Iterator[tuple[Line, int, int]]:
        """The selected lines, each with its first selected character and the end."""
        for key, line in enumerate(self.lines[start.y : end.y + 1], start.y):
            yield line, start.x if key == start.y else 0, end.x if key == end.y else len(line.text)
