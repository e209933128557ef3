"""A list whose row under the cursor can be read in every theme."""

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
    """Under the cursor a row's own colours give way where they cannot be told from the cursor's."""

    def _get_option_render(self, option: Option, style: Style) -> list[Strip]:
        strips = super()._get_option_render(option, style)
        if option is not self.highlighted_option:
            return strips
        return [Strip([_told_apart(segment, style) for segment in strip], strip.cell_length) for strip in strips]


def _told_apart(segment: Segment, cursor: Style) -> Segment:
    own = segment.style
    if own is None or own.color is None or own.color.triplet is None:
        return segment
    if cursor.foreground is None or cursor.background is None:
        return segment
    if contrast(Color.from_rich_color(own.color), cursor.background) >= ON_CURSOR:
        return segment
    return Segment(segment.text, own + RichStyle(color=cursor.foreground.rich_color), segment.control)
