"""A list whose row under the cursor is legible in every theme."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.color import Color
from textual.strip import Strip
from textual.style import Style
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from memtui.legible import ON_CURSOR, contrast


class LegibleList(OptionList):
    """Under the cursor, replaces the colours of a row that have too little contrast to the cursor."""

    def _get_option_render(self, option: Option, style: Style) -> list[Strip]:
        strips = super()._get_option_render(option, style)
        if option is not self.highlighted_option:
            return strips
        return [Strip([_legible(segment, style) for segment in strip], strip.cell_length) for strip in strips]


def _legible(segment: Segment, cursor: Style) -> Segment:
    own = segment.style
    if own is None or own.color is None or own.color.triplet is None:
        return segment
    if cursor.foreground is None or cursor.background is None:
        return segment
    if contrast(Color.from_rich_color(own.color), cursor.background) >= ON_CURSOR:
        return segment
    return Segment(segment.text, own + RichStyle(color=cursor.foreground.rich_color), segment.control)
