"""The part of a document that is on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from memtui.widgets.transcript.anchors import anchor_at, place_of
from memtui.widgets.transcript.boxes import Place
from memtui.widgets.transcript.document import Document

_LEAD = 3
"""What is scrolled to from farther away comes to a third of the screen."""


class Surface(Protocol):
    """What a viewport needs of the widget that draws it."""

    @property
    def page(self) -> int:
        """Lines of the screen."""

    @property
    def text_width(self) -> int:
        """Cells for the text of a line."""

    @property
    def has_size(self) -> bool:
        """There is a screen to lay the document out for."""

    def viewport_moved(self) -> None:
        """Draw the document from another place."""

    def clear_own_selection(self) -> None:
        """Select nothing: the lines that were selected are not the same."""


class Viewport:
    """The place at which a document is read: the line at the top of the screen.

    What is at the top stays there, whatever is laid out, folded or added. Scrolling follows the place, not the other
    way round, because the heights above and below are partly estimates.
    """

    def __init__(self, document: Document, surface: Surface) -> None:
        self.document = document
        self.place = Place(0, 0, 0)
        self.at_end = False
        """The end was asked for: it is kept in view until something else is."""
        self._surface = surface
        self._past_end = False
        """There may be blank lines below the end, so that any line can stand at the top."""

    @property
    def ready(self) -> bool:
        """There is a document with turns, and a screen to lay it out for."""
        return bool(self.document.turns) and self._surface.has_size

    @property
    def page(self) -> int:
        """Lines of the screen."""
        return self._surface.page

    @property
    def top(self) -> int:
        """The line of the document at the top of the screen."""
        return self.document.top(self.place)

    @property
    def bottom(self) -> Place:
        """The place of the last line of the screen."""
        return self.document.at(self.top + self.page - 1)

    def go_to(self, place: Place) -> None:
        """Put a place at the top of the screen, also when the end comes above the bottom then."""
        self.at_end = False
        self._settle(place, past_end=True)

    def go_to_end(self) -> None:
        """Put the last line at the bottom of the screen, and keep it there."""
        document = self.document
        if self.ready:
            self._past_end = False
            document.measure_above(document.last(), self.page)
            self._move(document.at(max(0, document.height - self.page)))
        self.at_end = True

    def restore(self, place: Place) -> None:
        """Go on reading at a place, or at the end where that was asked for."""
        if self.at_end:
            self.go_to_end()
        else:
            self._settle(place, past_end=True)

    def reveal(self, first: Place, last: Place) -> None:
        """Bring the lines from `first` to `last` on the screen, without a move where they are on it already."""
        document = self.document
        document.measure_below(self.place, self.page)
        document.measure_below(first, self.page)
        top = self.top
        if top <= document.top(first) and document.top(last) < top + self.page - 1:
            self._settle(self.place, past_end=self._past_end)
            return
        document.measure_above(first, self.page)
        self.at_end = False
        self._settle(document.at(max(0, document.top(first) - self.page // _LEAD)), past_end=False)

    def scroll(self, count: int) -> bool:
        """Scroll by lines, exactly, however far it is; False when there is nothing further down."""
        document = self.document
        if not self.ready:
            return False
        self.at_end = False
        if count < 0:
            document.measure_above(self.place, -count)
        else:
            document.measure_below(self.place, count + self.page)
        top = self.top
        if count > 0 and top >= document.height - self.page:
            return False
        self._settle(document.at(max(0, top + count)), past_end=self._past_end and count < 0)
        return True

    def follow_scroll(self, y: int, upwards: bool) -> None:
        """Take the line of the document to which the wheel or the scroll bar went."""
        self.at_end = False
        self._settle(self.document.at(y), past_end=self._past_end and upwards)

    def lay_out(self) -> None:
        """Lay out for the size of the surface; the line at the top stays."""
        document = self.document
        if document.width != self._surface.text_width:
            with self.keeping_top():
                document.lay_out(self._surface.text_width, self.page)
        elif self.at_end:
            self.go_to_end()
        else:
            self._settle(self.place, past_end=self._past_end)

    def flip(self, index: int, fold: int) -> None:
        """Open or fold one thing in a turn."""
        with self.keeping_top():
            self.document.flip(index, fold)

    @contextmanager
    def keeping_top(self) -> Iterator[None]:
        """Keep the line at the top where it is while the document changes."""
        if not self.document.turns:
            yield
            return
        anchor = anchor_at(self.document, self.place)
        yield
        self._surface.clear_own_selection()
        self.restore(place_of(self.document, anchor))

    def shows(self, index: int, part: int) -> bool:
        """A part of a turn is on the screen."""
        bottom = self.bottom
        return (self.place.turn, self.place.part) <= (index, part) <= (bottom.turn, bottom.part)

    def measure_around(self) -> None:
        """Measure what is near, so that the next scroll finds it exact."""
        self.document.measure_below(self.place, 2 * self.page)
        self.document.measure_above(self.place, self.page)

    def _settle(self, place: Place, *, past_end: bool) -> None:
        """Put a place at the top: exactly with `past_end`, else no further down than the end allows."""
        document = self.document
        if not self.ready:
            self.place = place
            return
        self._past_end = past_end
        document.measure_below(place, self.page)
        top = document.top(place)
        if not past_end and top > document.height - self.page:
            document.measure_above(document.last(), self.page)
            place = document.at(max(0, min(top, document.height - self.page)))
        self._move(place)

    def _move(self, place: Place) -> None:
        self.place = place
        self._surface.viewport_moved()
