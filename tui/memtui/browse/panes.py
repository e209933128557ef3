"""The panes of the main screen side by side: the list, and the open session with its inspector."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import var
from textual.widget import Widget

from memtui.browse.reader.pane import SessionReader
from memtui.settings.app_state import AppState
from memtui.views.base import View
from memtui.widgets.find_bar import FindBar
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.requests.pane_widths import (
    ZOOMS,
    Pane,
    PaneSizes,
    PaneWidths,
    Zoom,
    arrange,
    resized,
    sizes_key,
    width_class,
)
from memtui.widgets.splitter import Side, Splitter
from memtui.widgets.stack import Stack


class Panes(Horizontal):
    """Gives each pane its width, by view, terminal and what the user has chosen; `zoom` is that of the current pane."""

    zoom: var[Zoom] = var[Zoom]("normal", init=False)

    def __init__(
        self,
        left: Widget,
        reader: SessionReader,
        state: AppState,
        view: View,
        width: int,
        arranged: Callable[[], None],
    ) -> None:
        """`arranged` is called when the panes have other widths, or others of them are visible."""
        super().__init__(id="panes")
        self._call_arranged = arranged
        self._left = left
        self._reader = reader
        self._state = state
        self._line = Splitter(id="list-line")
        self._view = view
        self._width = width
        self.pane: Pane = "left"
        """The pane that has the focus, or had it last."""
        self._sizes = PaneSizes()
        self._sizes_key = ""
        """The key of `_sizes` in the state."""
        self._widths = PaneWidths()
        self._focused: Widget | None = None
        """The widget in the panes, or above them, that has the focus, or had it last."""
        self._stacks: list[Stack] = []
        """The stacks that `_focused` is in."""
        self.fit()

    def compose(self) -> ComposeResult:
        """The list, and the open session."""
        yield self._left
        yield self._line
        yield self._reader

    @property
    def is_narrow(self) -> bool:
        """Whether only one pane fits."""
        return width_class(self._width) == "narrow"

    @property
    def is_full(self) -> bool:
        """Whether the current pane hides others that would fit."""
        return self.zoom == "full" and self._can_grow

    @property
    def shows_list(self) -> bool:
        """Whether the list is visible."""
        return self._widths.left > 0

    @property
    def shows_text(self) -> bool:
        """Whether the transcript, or the detail pane in its place, is visible."""
        return self._widths.text > 0

    def show(self, view: View) -> None:
        """Share the width as a view asks for."""
        self._view = view
        self.fit()

    def fit(self, width: int | None = None) -> None:
        """Share the width again; nothing happens if it is shared as before."""
        self._width = width or self._width
        key = sizes_key(self._view.view_name, self._width)
        if key != self._sizes_key:
            self._sizes_key, self._sizes = key, PaneSizes.read(self._state.pane_sizes(key))
        reader = self._reader
        widths = arrange(
            self._width,
            self._view.SHARE,
            self._sizes,
            self.pane,
            self.zoom,
            has_details=reader.has_details,
            is_replaced=reader.detail is not None,
        )
        if widths == self._widths:
            return
        self._widths = widths
        beside = widths.text + widths.inspector
        self._left.display, reader.display = widths.left > 0, beside > 0
        self._line.display = widths.left > 0 and beside > 0
        self._left.styles.width = widths.left
        reader.set_widths(widths)
        if self.is_running:
            self._call_arranged()

    def on_resize(self, event: events.Resize) -> None:
        """Share the width that is left by what stands beside the panes."""
        self.fit(event.size.width)

    def enter(self, pane: Widget | None) -> None:
        """Take a widget that gets the focus: the pane that contains it is the current one; None for no widget.

        The search bar belongs to the list, and the find bar to the transcript.
        """
        nodes = pane.ancestors_with_self if pane is not None else ()
        if isinstance(pane, Inspector):
            self.pane = "inspector"
        elif self._reader in nodes or isinstance(pane, FindBar):
            self.pane = "text"
        elif pane is not None:
            self.pane = "left"
        self.fit()
        stacks = [node for node in nodes if isinstance(node, Stack)]
        if stacks:
            self._share_heights("normal", besides=stacks)
            self._focused, self._stacks = pane, stacks
            self._share_heights(self.zoom)
        focused = self.pane if self in nodes else None
        self._line.focused_side = _side(focused, "left", "text" if self._widths.text else "inspector")
        self._reader.line.focused_side = _side(focused, "text", "inspector")

    # -- zoom --------------------------------------------------------------------------------------------------

    @property
    def _can_share_width(self) -> bool:
        """Whether there is room for several panes side by side."""
        return not self.is_narrow and self._view.SHARE is not None

    @property
    def _can_grow(self) -> bool:
        """Whether the current pane has others beside, above or below it."""
        return self._can_share_width or any(stack.is_divided for stack in self._stacks)

    def action_resize(self, direction: int) -> None:
        """Make the current pane larger (1) or smaller (-1)."""
        if not self._can_grow:
            self.notify("The pane has all the room already.")
            return
        index = max(0, min(ZOOMS.index(self.zoom) + direction, len(ZOOMS) - 1))
        self.zoom = "full" if ZOOMS[index] == "larger" and direction > 0 and self._is_large else ZOOMS[index]

    def action_zoom(self) -> None:
        """Make the current pane larger; after the largest size comes the normal one."""
        self.action_resize(1 if self.zoom != ZOOMS[-1] else -len(ZOOMS))

    @property
    def _is_large(self) -> bool:
        """Whether the current pane has as much room as a larger one gets."""
        focused = self._focused
        return (
            not self._can_share_width and focused is not None and all(stack.is_large(focused) for stack in self._stacks)
        )

    def _share_heights(self, zoom: Zoom, besides: Sequence[Stack] = ()) -> None:
        """Give the current pane its height in the stacks that it is in, `besides` some of them."""
        if self._focused is not None:
            for stack in self._stacks:
                if stack not in besides:
                    stack.share(self._focused, zoom)

    def watch_zoom(self) -> None:
        """Share the width and the height for the new size."""
        self.fit()
        self._share_heights(self.zoom)

    # -- the inspector -----------------------------------------------------------------------------------------

    def toggle_inspector(self) -> Widget | None:
        """Open or close the inspector; return the pane to focus, or None if the focus may stay."""
        reader, is_open = self._reader, self._widths.inspector > 0
        if width_class(self._width) != "wide" or self.zoom == "full":
            return reader.transcript if is_open else reader.inspector
        self.zoom = "normal"
        self._choose(self._sizes._replace(inspecting=not is_open))
        if is_open and self.pane == "inspector":
            self.pane = "text"
            self.fit()
            return reader.transcript
        return None

    # -- sizes -------------------------------------------------------------------------------------------------

    def _choose(self, sizes: PaneSizes, *, keep: bool = True) -> None:
        self._sizes = sizes
        if keep:
            self._state.keep_pane_sizes(self._sizes_key, sizes._asdict())
        self.fit()

    @on(Splitter.Moved)
    def _line_moved(self, message: Splitter.Moved) -> None:
        message.stop()
        is_list = message.splitter is self._line
        if message.column is not None:
            self.zoom = "normal"
            pane: Pane = "text" if is_list else "inspector"
            sizes = resized(self._width, self._sizes, pane, message.column - self.region.x)
            self._choose(sizes, keep=message.released)
        elif is_list:
            self._choose(self._sizes._replace(left=None))
        else:
            self._choose(self._sizes._replace(inspector=None, inspecting=None))


def _side(focused: Pane | None, left: Pane, right: Pane) -> Side:
    """On which side of a line between two panes the focused one is."""
    return "left" if focused == left else "right" if focused == right else ""
