"""The line between two panes, which can be dragged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from memtui.widgets.lines.shared_strips import render_shared, shared_strip

Side = Literal["", "left", "right"]
_GLYPHS: dict[Side, tuple[str, str, str]] = {"": ("┬", "│", "┴"), "left": ("┱", "┃", "┹"), "right": ("┲", "┃", "┺")}
"""The top, the middle and the bottom of the line; it is thick beside the focused pane."""


class Splitter(Widget):
    """A line whose column the mouse changes; a double click asks for the default."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Splitter {
        width: 1;
        height: 1fr;
        color: $panel;
        pointer: ew-resize;
        &.-beside-focus { color: $accent; }
        &:hover { color: $accent; }
    }
    """

    focused_side: reactive[Side] = reactive[Side]("")
    """On which side the focused pane is."""

    @dataclass
    class Moved(Message):
        """The line was dragged to a column of the screen, `released` at the end; None for the default width."""

        splitter: Splitter
        column: int | None
        released: bool = True

        def can_replace(self, message: Message) -> bool:
            """Keep only the last of several messages: each costs a layout."""
            return not self.released and isinstance(message, Splitter.Moved)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._pressed_at = 0
        """The column of the screen at which the mouse was pressed."""
        self._is_dragged = False
        """Whether the mouse has been at another column since."""

    def watch_focused_side(self, side: Side) -> None:
        """Draw the line in the colour of the focus."""
        self.set_class(bool(side), "-beside-focus")

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render the line, which joins the borders of the panes."""
        style, last = self.visual_style.rich_style, self.size.height - 1
        top, middle, bottom = (shared_strip((glyph, style)) for glyph in _GLYPHS[self.focused_side])
        return render_shared(self, crop, lambda y: top if y == 0 else bottom if y == last else middle)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Follow the mouse from now on."""
        event.stop()
        self._pressed_at, self._is_dragged = event.screen_x, False
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse."""
        if self.app.mouse_captured is self:
            event.stop()
            self._drag(event.screen_x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Stay where the mouse was released."""
        if self.app.mouse_captured is self:
            event.stop()
            self.release_mouse()
            self._drag(event.screen_x, released=True)

    def _drag(self, column: int, *, released: bool = False) -> None:
        self._is_dragged |= column != self._pressed_at
        # A click chooses no width, not even the one that there is.
        if self._is_dragged:
            self.post_message(self.Moved(self, column, released))

    def on_click(self, event: events.Click) -> None:
        """Use the default width after a double click."""
        event.stop()
        if event.chain == 2:
            self.post_message(self.Moved(self, None))
