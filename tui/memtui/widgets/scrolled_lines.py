"""Rows drawn as lines that scroll: the base of what is only looked at."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip

from memtui.render.copying import copied
from memtui.render.rows import Line, Row, wrap
from memtui.widgets.line_view import LineView, bounds


class ScrolledLines(LineView):
    """Subclasses say what the rows are; `lay_out` draws them anew."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", "Down", tooltip="Scroll down", show=False, id="lines.down"),
        Binding("k,up", "scroll(-1)", "Up", tooltip="Scroll up", show=False, id="lines.up"),
        Binding("ctrl+d", "half(1)", "Half down", tooltip="Half a page down", show=False, id="lines.half-down"),
        Binding("ctrl+u", "half(-1)", "Half up", tooltip="Half a page up", show=False, id="lines.half-up"),
        Binding("pagedown,space", "page(1)", "Page down", tooltip="A page down", show=False, id="lines.page-down"),
        Binding("pageup", "page(-1)", "Page up", tooltip="A page up", show=False, id="lines.page-up"),
        Binding("g,home", "end(0)", "Top", tooltip="To the first line", show=False, id="lines.top"),
        Binding("G,end", "end(1)", "End", tooltip="To the last line", show=False, id="lines.bottom"),
    ]

    HEADER: ClassVar[int] = 0
    """Lines at the top that do not scroll."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._lines: list[Line] = []

    @abstractmethod
    def rows(self, width: int, height: int) -> Sequence[Row]:
        """All rows, for a screen of `width` cells and `height` lines."""

    def header_line(self, y: int, width: int) -> Strip:
        """A line of the header."""
        return Strip.blank(width, self.base_style)

    def lay_out(self) -> None:
        """Draw all rows."""
        width, height = self.scrollable_content_region.size
        if width <= 0:
            return
        if self.is_attached and self in self.screen.selections:
            self.screen.clear_selection()
        self._lines = wrap(self.rows(width, height), width)
        self.virtual_size = Size(width, len(self._lines) + self.HEADER)
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new size."""
        self.lay_out()

    @property
    def page(self) -> int:
        """Lines under the header."""
        return max(1, self.scrollable_content_region.height - self.HEADER)

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_target_y + lines, animate=False)

    def action_half(self, direction: int) -> None:
        """Scroll by half a page."""
        self.action_scroll(direction * max(1, self.page // 2))

    def action_page(self, direction: int) -> None:
        """Scroll by a page; a line of the last one stays."""
        self.action_scroll(direction * max(1, self.page - 1))

    def action_end(self, last: int) -> None:
        """Go to the first or the last line."""
        self.scroll_to(y=self.max_scroll_y if last else 0, animate=False)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width = self.scrollable_content_region.width
        if y < self.HEADER:
            return self.header_line(y, width)
        index = round(self.scroll_y) + y - self.HEADER
        if index >= len(self._lines):
            return self.blank(len(self._lines), width)
        return self.paint(self._lines[index], index, width, self.span_selected(index))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, without what was only drawn."""
        top = round(self.scroll_y)
        start, end = bounds(selection, top, min(len(self._lines), top + self.page) - 1)
        pieces = [
            (line, start.x if y == start.y else 0, end.x if y == end.y else len(line.text))
            for y, line in enumerate(self._lines[start.y : end.y + 1], start.y)
        ]
        return copied(pieces, 0), "\n"
