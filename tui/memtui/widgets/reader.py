"""Reading a long document: what is at the top of the screen stays there, whatever is laid out, folded or added."""

from __future__ import annotations

from collections.abc import Iterator

from rich.segment import Segment
from textual import events
from textual.geometry import Offset, Size
from textual.selection import Selection
from textual.strip import Strip

from memtui.render.copying import copied
from memtui.render.rows import Line
from memtui.render.view import View
from memtui.widgets.anchors import anchor, find
from memtui.widgets.document import Document, Place
from memtui.widgets.line_view import LineView, bounds

_MARGIN = 1
"""Cells before the lines: the mark of the current turn."""


class Reader(LineView):
    """Shows a `Document`.

    Its place is the line at the top of the screen; scrolling follows the place, not the other way round, because the
    heights above and below are partly estimates.
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.document = Document([], View(), 80)
        self.place = Place(0, 0, 0)
        self.at_end = False
        """The end was asked for: it is kept in view until something else is."""
        self._beyond = False
        """There may be blank lines under the end, so that any line can stand at the top."""
        self._settling = False
        self._margins_due = False
        self.empty = ""
        """What is said when there is nothing to show."""

    def moved(self) -> None:
        """Called when another part of the document came into view."""

    def mark_of(self, place: Place, line: Line) -> str:
        """The sign before a line: a character and its style, joined by a blank; or nothing."""
        return ""

    @property
    def page(self) -> int:
        """Lines of the screen."""
        return max(1, self.scrollable_content_region.height)

    @property
    def text_width(self) -> int:
        """Cells for the lines."""
        return max(1, self.scrollable_content_region.width - _MARGIN)

    @property
    def ready(self) -> bool:
        """There is a document with turns, and a screen to lay it out for."""
        return bool(self.document.turns) and self.size.width > 0

    def settle(self, place: Place, *, beyond: bool | None = None) -> None:
        """Put a place at the top of the screen: exactly with `beyond`, else no further down than the end allows.

        Without `beyond` given, it stays as it was.
        """
        document = self.document
        if not self.ready:
            self.place = place
            return
        self._beyond = self._beyond if beyond is None else beyond
        document.settle_down(place, self.page)
        top = document.top(place)
        if not self._beyond and top > document.height - self.page:
            document.settle_up(document.last(), self.page)
            top = max(0, min(top, document.height - self.page))
            place = document.at(top)
        self._put(place)

    def settle_end(self) -> None:
        """Put the last line at the bottom of the screen."""
        if self.ready:
            self._beyond = False
            last = self.document.last()
            self.document.settle_up(last, self.page)
            self._put(self.document.at(max(0, self.document.height - self.page)))
        self.at_end = True

    def _put(self, place: Place) -> None:
        document = self.document
        self.place = place
        self._move_to(document.top(place))
        self.refresh()
        self.moved()
        if not self._margins_due:
            self._margins_due = True
            self.call_after_refresh(self._lay_out_margins)

    def _lay_out_margins(self) -> None:
        """Measure what is near, so that the next scroll finds it exact."""
        self._margins_due = False
        document = self.document
        if not self.ready:
            return
        document.settle_down(self.place, 2 * self.page)
        document.settle_up(self.place, self.page)
        self._move_to(document.top(self.place))

    def _move_to(self, top: int) -> None:
        """Tell Textual where the screen stands. A new height costs a layout: a slight change can wait."""
        document = self.document
        size = Size(self.scrollable_content_region.width, max(document.height, top + self.page))
        known = self.virtual_size
        near_end = top + 3 * self.page >= min(size.height, known.height)
        self._settling = True
        if near_end or size.width != known.width or abs(size.height - known.height) * 50 > known.height:
            self.virtual_size = size
        self.scroll_y = self.scroll_target_y = top
        self._settling = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the wheel and the scroll bar."""
        super().watch_scroll_y(old_value, new_value)
        if self._settling or not self.ready or round(old_value) == round(new_value):
            return
        self.at_end = False
        self.settle(self.document.at(round(new_value)), beyond=self._beyond and new_value <= old_value)
        self.scrolled()

    def scrolled(self) -> None:
        """Called when the reader scrolled, not when a place was asked for."""

    def scroll_lines(self, count: int) -> None:
        """Scroll by lines, exactly, however far it is."""
        document = self.document
        if not self.ready:
            return
        self.at_end = False
        if count < 0:
            document.settle_up(self.place, -count)
        else:
            document.settle_down(self.place, count + self.page)
        top = document.top(self.place)
        if count > 0 and top >= document.height - self.page:
            return
        self.settle(document.at(max(0, top + count)), beyond=self._beyond and count < 0)
        self.scrolled()

    def remake(self) -> None:
        """Make the document's parts anew; the line at the top of the screen stays there."""
        document = self.document
        if not self.ready:
            return
        mark = anchor(document, self.place)
        document.remake()
        self.drop_selection()
        self.resume(find(document, mark))

    def resume(self, place: Place) -> None:
        """Go on reading at a place, or at the end where that was asked for."""
        if self.at_end:
            self.settle_end()
        else:
            self.settle(place, beyond=True)

    def drop_selection(self) -> None:
        """Nothing is selected any more: the lines that were are not the same."""
        if self.is_attached and self in self.screen.selections:
            self.screen.clear_selection()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new size; the line at the top stays."""
        document = self.document
        if not self.ready:
            return
        if document.width != self.text_width:
            mark = anchor(document, self.place)
            document.width = self.text_width
            document.remake()
            self.drop_selection()
            self.resume(find(document, mark))
        elif self.at_end:
            self.settle_end()
        else:
            self.settle(self.place)
        self.resized()

    def resized(self) -> None:
        """Called when the document was laid out for another size."""

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width = self.scrollable_content_region.width
        document = self.document
        if not document.turns:
            return self._empty_line(y, width)
        line_y = round(self.scroll_y) + y
        if line_y >= document.height:
            return self.blank(len(document.turns) << 44, width)
        place = document.at(line_y)
        key = code(place)
        line = document.line(place)
        if line is None:
            return self.blank(key, width)
        strip = self.paint(line, key, width - _MARGIN, self.span_selected(key))
        sign, _, style = self.mark_of(place, line).partition(" ")
        return Strip([self.margin(sign or " ", style, key), *strip], width)

    def _empty_line(self, y: int, width: int) -> Strip:
        lines = self.empty.split("\n")
        index = y - max(0, (self.size.height - len(lines)) // 3)
        if not 0 <= index < len(lines):
            return Strip.blank(width, self.base_style)
        text = lines[index].center(width)[:width]
        return Strip([Segment(text, self.line_style("muted"))], width)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, without what was only drawn."""
        document = self.document
        if not self.ready:
            return None
        top = round(self.scroll_y)
        first, last = code(document.at(top)), code(document.at(top + self.page - 1))
        start, end = bounds(selection, first, last)
        return copied(self._selected_lines(start, end), document.view.indent), "\n"

    def _selected_lines(self, start: Offset, end: Offset) -> Iterator[tuple[Line, int, int]]:
        document = self.document
        place = decode(start.y)
        while place.turn < len(document.turns) and (key := code(place)) <= end.y:
            if place.part >= len(document.turns[place.turn].boxes):
                place = Place(place.turn + 1, 0, 0)
                continue
            line = document.line(place)
            if line is None:
                place = Place(place.turn, place.part + 1, 0)
                continue
            left = start.x if key == start.y else 0
            yield line, left, end.x if key == end.y else len(line.text)
            place = place._replace(line=place.line + 1)


def code(place: Place) -> int:
    """A place as a number that orders like it and stays the same when other parts are measured."""
    return place.turn << 44 | place.part << 24 | place.line


def decode(key: int) -> Place:
    """The place of a number."""
    return Place(key >> 44, key >> 24 & 0xFFFFF, key & 0xFFFFFF)
