"""The base of the widgets that show lines of text, which scroll with keys and whose text the mouse selects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Protocol

from textual.geometry import Offset, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from memtui.keys.declarations import Key, keys
from memtui.render.rows import Line
from memtui.render.turns.copying import copied
from memtui.widgets.lines.painter import LinePainter

_LONGEST = 100_000
"""More characters than any line has."""


class LineSource(Protocol):
    """The lines of a view.

    Each line has a key: a number with the order of the lines, by which a selection remembers its ends.
    """

    @property
    def height(self) -> int:
        """The number of lines."""

    @property
    def indent(self) -> int:
        """Cells before the text of a line, which a copy leaves out."""

    def lay_out(self, width: int, height: int) -> None:
        """Make the lines for a view of a size in cells and lines."""

    def keyed_line(self, y: int) -> tuple[int, Line | None]:
        """The key and the line at a position; None if there is no line."""

    def selected(self, start: Offset, end: Offset) -> Iterable[tuple[Line, int, int]]:
        """The lines between two ends (character, key), each with its first selected character and the end."""


class LineView(ScrollView):
    """Shows a `LineSource`; its colours come from rules for `.lines--<style>`."""

    BINDINGS = keys(
        "inspector, stats, full screen",
        Key("j,down", "scroll(1)", "Down", "Scroll down", "lines.down", moves=True),
        Key("k,up", "scroll(-1)", "Up", "Scroll up", "lines.up", moves=True),
        Key("ctrl+d", "half(1)", "Half down", "Scroll down half a page", "lines.half-down", moves=True),
        Key("ctrl+u", "half(-1)", "Half up", "Scroll up half a page", "lines.half-up", moves=True),
        Key("pagedown,space", "page(1)", "Page down", "Scroll down a page", "lines.page-down", moves=True),
        Key("pageup", "page(-1)", "Page up", "Scroll up a page", "lines.page-up", moves=True),
        Key("g,home", "end(0)", "Top", "Go to the first line", "lines.top", moves=True),
        Key("G,end", "end(1)", "End", "Go to the last line", "lines.bottom", moves=True),
    )
    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .lines--muted, & > .lines--number, & > .lines--gutter, & > .lines--note, & > .lines--thinking,
        & > .lines--comment, & > .lines--rule { color: $text-muted; }
        &:ansi > .lines--muted, &:ansi > .lines--number, &:ansi > .lines--gutter, &:ansi > .lines--note,
        &:ansi > .lines--thinking, &:ansi > .lines--comment, &:ansi > .lines--rule { text-style: dim; }
        & > .lines--thinking { text-style: italic; }
        &:ansi > .lines--thinking { text-style: dim italic; }
        & > .lines--bar { color: $secondary; }
        & > .lines--bullet { color: $text-secondary; }
        & > .lines--you { color: $text-accent; text-style: bold; }
        & > .lines--agent { color: $text-primary; text-style: bold; }
        & > .lines--parent { color: $text-secondary; text-style: bold; }
        & > .lines--compaction { color: $text-secondary; text-style: bold; }
        & > .lines--tool { color: $text-secondary; }
        & > .lines--key { color: $text-secondary; }
        & > .lines--prompt { color: $text-accent; text-style: bold; }
        & > .lines--error { color: $text-error; }
        & > .lines--added { color: $text-success; }
        & > .lines--removed { color: $text-error; }
        & > .lines--heading { color: $text-primary; text-style: bold; }
        & > .lines--top { text-style: underline; }
        & > .lines--strong { text-style: bold; }
        & > .lines--em { text-style: italic; }
        & > .lines--struck { text-style: strike; }
        & > .lines--link { color: $text-primary; text-style: underline; }
        & > .lines--code { color: $text-secondary; }
        & > .lines--keyword { color: $text-primary; }
        & > .lines--string { color: $text-success; }
        & > .lines--literal { color: $text-secondary; }
        & > .lines--builtin { color: $text-secondary; }
        & > .lines--defined { text-style: bold; }
        & > .lines--match { color: $text-accent; text-style: bold underline; }
        & > .lines--current { text-style: bold underline reverse; }
        & > .lines--cursor { color: $primary; }
        & > .lines--passage { color: $accent; }
        & > .lines--tab { color: $text-muted; }
        &:ansi > .lines--tab { text-style: dim; }
        & > .lines--active { text-style: bold underline; }
        & > .lines--chosen { color: $text-accent; text-style: bold; }
    }
    """

    HEADER: ClassVar[int] = 0
    """Lines at the top that do not scroll."""

    def __init__(self, lines: LineSource, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.painter = LinePainter(self)
        self._source = lines
        self._laid_out_for = Size(0, 0)
        """The size for which the lines were made."""

    def notify_style_update(self) -> None:
        """Look up the colours again before the next line is painted."""
        self.painter.styles_changed()
        super().notify_style_update()

    @property
    def page(self) -> int:
        """The lines of the screen below the header."""
        return max(1, self.scrollable_content_region.height - self.HEADER)

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Take a new size, and lay out for it: Textual paints the view before it sends the resize."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if not self.is_laid_out:
            # A message from the view is to bubble further than to the screen, which gives it its size.
            with self._context():
                self.lay_out()
        return changed

    @property
    def is_laid_out(self) -> bool:
        """Whether the lines are those for the size of the view."""
        return self._laid_out_for == self.scrollable_content_region.size

    def lay_out(self) -> None:
        """Make all lines again and draw them; those of a hidden view are made when it has a size."""
        self._laid_out_for = self.scrollable_content_region.size
        width, height = self._laid_out_for
        if width <= 0:
            return
        self.clear_own_selection()
        self._source.lay_out(width, height)
        self.virtual_size = Size(width, self._source.height + self.HEADER)
        self.refresh()

    def scroll_lines(self, count: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_target_y + count, animate=False)

    def scroll_to_line(self, line: int) -> None:
        """Scroll a line into view, if it is not visible already; lines of the header do not count."""
        top = round(self.scroll_y)
        if not top <= line < top + self.page:
            self.scroll_to(y=line if line < top else line - self.page + 1, animate=False)

    def action_scroll(self, count: int) -> None:
        """Scroll by lines."""
        self.scroll_lines(count)

    def action_half(self, direction: int) -> None:
        """Scroll by half a page."""
        self.scroll_lines(direction * max(1, self.page // 2))

    def action_page(self, direction: int) -> None:
        """Scroll by a page; one line of the previous page stays visible."""
        self.scroll_lines(direction * max(1, self.page - 1))

    def action_end(self, last: int) -> None:
        """Go to the first or the last line."""
        self.scroll_to(y=self.max_scroll_y if last else 0, animate=False)

    def header_line(self, y: int, width: int) -> Strip:
        """A line of the header."""
        return Strip.blank(width, self.painter.base_style)

    def render_line(self, y: int) -> Strip:
        """Render a line of the screen."""
        width = self.scrollable_content_region.width
        if y < self.HEADER:
            return self.header_line(y, width)
        key, line = self._source.keyed_line(round(self.scroll_y) + y - self.HEADER)
        if line is None:
            return self.painter.blank(key, width)
        return self.painter.paint(line, key, width, self.selected_span(key))

    def selected_span(self, key: int) -> tuple[int, int] | None:
        """The (start, end) of the selected characters of a line; an end of -1 is the end of the line."""
        selection = self.text_selection
        return selection.get_span(key) if selection is not None else None

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()

    def clear_own_selection(self) -> None:
        """Clear the selection in this view, as its lines are about to change."""
        if self.is_attached and self in self.screen.selections:
            self.screen.clear_selection()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, without decoration.

        A selection that extends to another widget starts or ends at the edge of the screen.
        """
        source = self._source
        if not source.height:
            return None
        top = round(self.scroll_y)
        start, end = selection.start, selection.end
        if start is None:
            start = Offset(0, source.keyed_line(top)[0])
        if end is None:
            end = Offset(_LONGEST, source.keyed_line(top + self.page - 1)[0])
        return copied(source.selected(start, end), source.indent), "\n"
