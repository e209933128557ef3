"""The part of a document that is on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from memtui.widgets.transcript.layout.anchors import Anchor, anchor_at, place_of
from memtui.widgets.transcript.layout.boxes import TranscriptPlace
from memtui.widgets.transcript.layout.document import Document

_LEAD = 3
"""A line that is revealed from off the screen is put at this fraction of the screen: a third."""


class Surface(Protocol):
    """The methods of the widget that a viewport uses."""

    @property
    def page(self) -> int:
        """The height of the screen in lines."""

    @property
    def text_width(self) -> int:
        """The width of a line of text in cells."""

    @property
    def has_size(self) -> bool:
        """Whether the widget has a size for which to lay out the document."""

    def viewport_moved(self) -> None:
        """Draw the document from another place."""

    def clear_own_selection(self) -> None:
        """Clear the selection, as the selected lines have changed."""


class Viewport:
    """The visible part of a document, given by the place of the line at the top of the screen.

    The line at the top stays there, whatever is laid out, folded or added. The scroll position follows the place, and
    not the other way round, because the heights above and below are partly estimates.
    """

    def __init__(self, document: Document, surface: Surface) -> None:
        self.document = document
        self.place = TranscriptPlace(0, 0, 0)
        self.at_end = False
        """Whether the end is kept in view, until the user goes to another place."""
        self._surface = surface
        self._anchor: Anchor | None = None
        """The line that was kept at the top by the last change of the layout."""
        self.past_end = False
        """Whether blank lines below the end are allowed, so that any line can be at the top."""

    @property
    def ready(self) -> bool:
        """Whether the document has turns and the screen a size."""
        return bool(self.document.turns) and self._surface.has_size

    @property
    def page(self) -> int:
        """The height of the screen in lines."""
        return self._surface.page

    @property
    def top(self) -> int:
        """The line of the document at the top of the screen."""
        return self.document.top(self.place)

    @property
    def bottom(self) -> TranscriptPlace:
        """The place of the last line of the screen."""
        return self.document.at(self.top + self.page - 1)

    @property
    def anchor(self) -> Anchor:
        """The line at the top. After a change of the layout it is the line of before, so that changes do not add up."""
        if self._anchor is None or place_of(self.document, self._anchor) != self.place:
            self._anchor = anchor_at(self.document, self.place)
        return self._anchor

    def go_to(self, place: TranscriptPlace) -> None:
        """Scroll a place to the top of the screen, even if the end is above the bottom then."""
        self.at_end, self._anchor = False, None
        self._settle(place, past_end=True)

    def go_to_end(self) -> None:
        """Scroll the last line to the bottom of the screen, and keep it there."""
        document = self.document
        if self.ready:
            self.past_end = False
            document.measure_above(document.last(), self.page)
            self._move(document.at(max(0, document.height - self.page)))
        self.at_end = True

    def restore(self, place: TranscriptPlace) -> None:
        """Scroll to a place, or to the end if that is kept in view."""
        if self.at_end:
            self.go_to_end()
        else:
            self._settle(place, past_end=True)

    def return_to(self, place: TranscriptPlace, *, at_end: bool, past_end: bool) -> None:
        """Scroll to a place where the screen has been before."""
        self.at_end, self._anchor = at_end, None
        # Exactly, for the screen may still have the size that it had for another session.
        self._settle(place, past_end=True)
        self.past_end = past_end

    def reveal(self, first: TranscriptPlace, last: TranscriptPlace) -> None:
        """Scroll the lines `first` to `last` into view, if they are not visible already."""
        document, self.at_end = self.document, False
        document.measure_below(self.place, self.page)
        document.measure_below(first, self.page)
        top = self.top
        if top <= document.top(first) and document.top(last) < top + self.page - 1:
            self._settle(self.place, past_end=self.past_end)
            return
        document.measure_above(first, self.page)
        self._settle(document.at(max(0, document.top(first) - self.page // _LEAD)), past_end=False)

    def scroll(self, count: int) -> bool:
        """Scroll by an exact number of lines; False if there are no lines further down."""
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
        self._settle(document.at(max(0, top + count)), past_end=self.past_end and count < 0)
        return True

    def follow_scroll(self, y: int, upwards: bool) -> None:
        """Take the line of the document to which the user scrolled by wheel or scroll bar."""
        self.at_end = False
        self._settle(self.document.at(y), past_end=self.past_end and upwards)

    def lay_out(self) -> None:
        """Lay out for the size of the surface; the line at the top stays."""
        document = self.document
        if document.width != self._surface.text_width:
            with self.keeping_top():
                document.lay_out(self._surface.text_width, self.page)
        elif self.at_end:
            self.go_to_end()
        else:
            self._settle(self.place, past_end=self.past_end)

    def flip(self, index: int, *folds: int) -> None:
        """Unfold folds of a turn, or fold them again."""
        with self.keeping_top():
            self.document.flip(index, *folds)

    @contextmanager
    def keeping_top(self) -> Iterator[None]:
        """Keep the line at the top where it is while the document changes."""
        if not self.document.turns:
            yield
            return
        anchor = self.anchor
        yield
        self._surface.clear_own_selection()
        self.restore(place_of(self.document, anchor))
        self._anchor = anchor

    def shows(self, number: int, seq: int) -> bool:
        """Whether the block `seq` of turn `number`, or the folded part that contains it, is on the screen."""
        index = self.document.index.get(number)
        if index is None:
            return False
        part, bottom = self.document.turns[index].text_part(seq), self.bottom
        return (self.place.turn, self.place.part) <= (index, part) <= (bottom.turn, bottom.part)

    def measure_around(self) -> None:
        """Measure the lines near the screen, so that the next scroll is exact."""
        self.document.measure_below(self.place, 2 * self.page)
        self.document.measure_above(self.place, self.page)

    def _settle(self, place: TranscriptPlace, *, past_end: bool) -> None:
        """Scroll a place to the top: exactly with `past_end`, otherwise no further than the end allows."""
        document = self.document
        if not self.ready:
            self.place = place
            return
        self.past_end = past_end
        document.measure_below(place, self.page)
        top = document.top(place)
        if not past_end and top > document.height - self.page:
            document.measure_above(document.last(), self.page)
            place = document.at(max(0, min(top, document.height - self.page)))
        self._move(place)

    def _move(self, place: TranscriptPlace) -> None:
        self.place = place
        self._surface.viewport_moved()
