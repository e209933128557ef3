"""The minimap: the scroll bar of the transcript, with marks for what is in the session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from textual import events
from textual.geometry import Region
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from memtui.widgets.lines.painter import LinePainter
from memtui.widgets.lines.shared_strips import render_shared, shared_strip
from memtui.widgets.transcript.layout.document import Document
from memtui.widgets.transcript.layout.viewport import Viewport
from memtui.widgets.transcript.minimap.marks import Mark, MarkKind, Scale, rows_of, turn_marks

_MARKS: Final[dict[MarkKind, tuple[str, str]]] = {
    "compaction": ("⧉", "compaction"),
    "error": ("✗", "error"),
    "match": ("◂", "passage"),
    "edit": ("✎", "added"),
    "prompt": ("●", "muted"),
}
"""The character and the style of each kind."""
_THUMB: Final = "┃"
"""Marks the visible rows without a mark, also where there are no colours."""


class Minimap(ScrollBar):
    """Shows marks on a scale of the whole session, and the visible part as a band; without marks a plain scroll bar.

    `match_marks` returns the marks of matches and passages. A click or a drag calls `go_to_mark` with the index of a
    turn, the relative position in it (0 to 1), and the kind of the mark, None for a place without one.
    """

    def __init__(
        self,
        document: Document,
        viewport: Viewport,
        painter: LinePainter,
        match_marks: Callable[[], Iterable[Mark]],
        go_to_mark: Callable[[int, float, MarkKind | None], None],
    ) -> None:
        super().__init__(vertical=True, name="vertical")
        self.has_marks = True
        self._is_blank = False
        self._document = document
        self._viewport = viewport
        self._painter = painter
        self._match_marks = match_marks
        self._go_to_mark = go_to_mark
        self._scale: Scale | None = None
        self._turn_rows: dict[int, Mark] = {}
        """The mark of each row, matches excepted."""
        self._rows: dict[int, Mark] | None = None
        """The mark of each row; None after the matches have changed."""

    @property
    def is_blank(self) -> bool:
        """Whether nothing is shown, as the session is still being loaded."""
        return self._is_blank

    @is_blank.setter
    def is_blank(self, blank: bool) -> None:
        if blank != self._is_blank:
            self._is_blank = blank
            self.refresh()

    def turns_changed(self) -> None:
        """Draw the marks of other turns."""
        self._scale = None
        self.matches_changed()

    def matches_changed(self) -> None:
        """Draw the marks of other matches."""
        self._rows = None
        self.refresh()

    def marks(self) -> dict[int, Mark]:
        """The mark of each row that has one."""
        scale = self._current_scale()
        if self._rows is None:
            self._rows = rows_of(scale, (*self._turn_rows.values(), *self._match_marks()))
        return self._rows

    def _current_scale(self) -> Scale:
        height = max(1, self.size.height)
        if self._scale is None or self._scale.height != height:
            turns = [box.turn for box in self._document.turns]
            self._scale = Scale(turns, height)
            self._turn_rows = rows_of(self._scale, turn_marks(self._scale, turns))
            self._rows = None
        return self._scale

    def visible_rows(self) -> range:
        """The rows of the visible part."""
        scale, document, top = self._current_scale(), self._document, self._viewport.top
        first, last = (scale.row(*document.share_at(y)) for y in (top, top + self._viewport.page - 1))
        return range(first, last + 1)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render the marks and the visible part; without marks, the bar."""
        if not self.has_marks or not self._document.turns:
            return super().render_lines(crop)
        if self._is_blank or self._document.height <= self._viewport.page:
            # All of the session is on the screen, or nothing.
            blank = shared_strip((" " * self.size.width, self._painter.base_style))
            return render_shared(self, crop, lambda _: blank)
        visible, marks = self.visible_rows(), self.marks()
        return render_shared(self, crop, lambda y: self._row(marks.get(y), is_visible=y in visible))

    def _row(self, mark: Mark | None, *, is_visible: bool) -> Strip:
        """A row: its mark, and whether it is visible."""
        width, painter = self.size.width, self._painter
        ground = "visible" if is_visible else "track"
        thumb = _THUMB if is_visible else " "
        text, style = _MARKS[mark.kind] if mark is not None else (thumb if width == 1 else " ", ground)
        cells = [(text, painter.style(f"{style} {ground}"))]
        if width > 1:
            cells.append((thumb.rjust(width - 1), painter.style(f"{ground} {ground}")))
        return shared_strip(*cells)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to the clicked mark, or to the clicked row."""
        if self._takes(event):
            self.capture_mouse()
            mark = self.marks().get(event.y)
            if mark is not None:
                self._go_to_mark(mark.turn, mark.share, mark.kind)
            else:
                self._request_row(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while its button is held down."""
        if self._takes(event) and self.grabbed is not None and event.screen_y != self.grabbed.y:
            self._request_row(event.screen_y - self.region.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go of the mouse."""
        if self._takes(event):
            self.release_mouse()

    def _takes(self, event: events.MouseEvent) -> bool:
        """Whether the minimap handles an event of the mouse; otherwise the scroll bar does."""
        if not self.has_marks or not self._document.turns:
            return False
        event.stop()
        event.prevent_default()
        return True

    def _request_row(self, row: float) -> None:
        turn, share = self._current_scale().position(row)
        self._go_to_mark(turn, share, None)
