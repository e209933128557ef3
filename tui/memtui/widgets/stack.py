"""Panes one above the other, of which the current one can get more of the height."""

from __future__ import annotations

from typing import Final

from textual.containers import Vertical
from textual.widget import Widget

from memtui.widgets.requests.pane_widths import Zoom

_BESIDE_LARGER: Final = 0.25
"""The most of the height that is left to the other panes beside a larger one."""
_RULES: Final = ("height", "min_height", "max_height", "border_top", "border_bottom")
"""What a zoom sets for a pane."""


class Stack(Vertical):
    """Its panes have the heights of their styles; a zoom gives one of them most of the height, or all of it."""

    def __init__(self, *children: Widget, id: str | None = None) -> None:  # noqa: A002
        super().__init__(*children, id=id)
        self._shared: tuple[Widget | None, Zoom] = None, "normal"
        """The child that got more of the height, and its zoom."""

    @property
    def is_divided(self) -> bool:
        """Whether several panes share the height."""
        return len(self.displayed_children) > 1

    def share(self, pane: Widget, zoom: Zoom) -> None:
        """Share the height for a zoom of the child that is `pane` or contains it, unless it is shared so."""
        current = self._child_of(pane) if zoom != "normal" else None
        if (current, zoom) == self._shared:
            return
        self._shared = current, zoom
        for child in self.children:
            styles = child.styles
            for rule in _RULES:
                styles.clear_rule(rule)
            if child is current:
                styles.height, styles.max_height = "1fr", "100%"
            elif current is not None:
                styles.min_height, styles.max_height = 0, f"{_BESIDE_LARGER:.0%}" if zoom == "larger" else 0
            if zoom == "full" and child is not current:
                # A pane that is not displayed could not get the focus, and its frame takes two lines.
                styles.border_top = styles.border_bottom = ("none", "transparent")
            child.refresh(layout=True)

    def is_large(self, pane: Widget) -> bool:
        """Whether the child that is `pane` or contains it already has as much as a larger pane gets."""
        child = self._child_of(pane)
        least = self.size.height - int(self.size.height * _BESIDE_LARGER)
        return child is not None and child.outer_size.height >= least

    def _child_of(self, pane: Widget) -> Widget | None:
        return next((child for child in self.children if child in pane.ancestors_with_self), None)
