"""Rows of a few kinds, each rendered once: for the narrow widgets that are as high as the panes.

Textual keeps with a strip what was filtered and cut from it. Where all rows that look alike have the same strip, a
column costs no more than its different rows, however often the screen is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


@lru_cache(512)
def shared_strip(*cells: tuple[str, Style]) -> Strip:
    """The strip of some texts with their styles, the same object for the same arguments."""
    return Strip([Segment(text, style) for text, style in cells])


def render_shared(widget: Widget, crop: Region, row: Callable[[int], Strip]) -> list[Strip]:
    """Render the rows of a widget without border and padding; `row` returns the shared strip at a position.

    With each key Textual renders all rows of all widgets that are beside a change, so this must be cheap.
    """
    background = widget.visual_style.background
    assert background is not None
    filters = [line_filter for line_filter in widget.get_line_filters() if line_filter.enabled]
    columns = crop.column_span if crop.column_span != (0, widget.size.width) else None
    rendered: dict[int, Strip] = {}
    strips = [row(y) for y in crop.line_range]
    for strip in strips:
        if id(strip) not in rendered:
            result = strip
            for line_filter in filters:
                result = result.apply_filter(line_filter, background)
            rendered[id(strip)] = result.crop(*columns) if columns is not None else result
    return [rendered[id(strip)] for strip in strips]
