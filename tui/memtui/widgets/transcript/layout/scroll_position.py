"""The scroll position of a transcript."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from textual.geometry import Size

from memtui.widgets.lines.view import LineView
from memtui.widgets.transcript.layout.viewport import Viewport


class ScrollPosition:
    """Follows the viewport of a widget, whose lines the wheel and the scroll bar move in turn."""

    def __init__(self, widget: LineView, viewport: Viewport) -> None:
        self._widget = widget
        self._viewport = viewport
        self._is_held = False
        """Whether the scroll position changes without a user who scrolls."""
        self._measuring_due = False

    def follow(self) -> None:
        """Scroll to the viewport; when the screen is drawn, measure what is near it."""
        self._scroll()
        if not self._measuring_due:
            self._measuring_due = True
            self._widget.call_after_refresh(self._measure_around)

    def _measure_around(self) -> None:
        self._measuring_due = False
        if self._viewport.ready:
            self._viewport.measure_around()
            self._scroll()

    def _scroll(self) -> None:
        """Scroll to the viewport. A new height draws the scroll bar again, so a slight one waits."""
        widget, top = self._widget, self._viewport.top
        size = Size(widget.scrollable_content_region.width, max(self._viewport.document.height, top + widget.page))
        current = widget.virtual_size
        near_end = top + 3 * widget.page >= min(size.height, current.height)
        with self.held():
            if near_end or size.width != current.width or abs(size.height - current.height) * 50 > current.height:
                widget.virtual_size = size
            widget.scroll_y = widget.scroll_target_y = top

    @contextmanager
    def held(self) -> Iterator[None]:
        """Leave the viewport where it is, whatever happens to the scroll position."""
        self._is_held = True
        yield
        self._is_held = False

    def take(self, before: float, now: float) -> bool:
        """Move the viewport to where the user has scrolled; False if no user has."""
        if self._is_held or not self._viewport.ready or round(before) == round(now):
            return False
        self._viewport.follow_scroll(round(now), upwards=now <= before)
        return True
