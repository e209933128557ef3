"""Legible colours: text with enough contrast to its background, in every theme.

The colours of a theme are changed where they are pale on its background, and what is drawn with them is checked again,
because dimmed text, the row under the cursor and raised surfaces bring other pairs of colours together. The ratio for
text is that of WCAG 2.2 (1.4.3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import BLACK, WHITE, Color
from textual.filter import LineFilter

_TEXT = 4.5
"""The least ratio of a text to its background."""
_ON_CURSOR = 3.0
"""The ratio to which accents keep their hue under the cursor; there the rest is left to `LegibleText`."""
_FRAME = 1.35
"""The ratio for the borders of panes without the focus: they separate and need not be read."""
_TEXTS = ("accent", "text-accent", "text-warning", "text-success", "text-error")
_STEP = 0.02
_EXCHANGED = Style(color="color(0)", bgcolor="color(7)")
"""How Textual writes the terminal's own colours when they are exchanged."""
_READ = re.compile(r"[^\s\u2500-\u259f]")
"""What is read: everything but the lines and blocks of which drawings such as frames and bars are made."""


def legible(variables: Mapping[str, str], dark: bool) -> dict[str, str]:
    """Return the variables of a theme that must change, with legible colours; none if the terminal sets the colours."""
    background = Color.parse(variables["background"])
    if background.ansi is not None:
        return {}
    cursor = background + Color.parse(variables["block-cursor-blurred-background"])
    required = {name: {background: _TEXT, cursor: _ON_CURSOR} for name in _TEXTS} | {"panel": {background: _FRAME}}
    colours = {name: _legible(variables[name], ratios, WHITE if dark else BLACK) for name, ratios in required.items()}
    # Textual's default is too pale for a hint on a light background.
    return colours | _selection(variables, background) | ({} if dark else {"text-disabled": "auto 60%"})


def _selection(variables: Mapping[str, str], background: Color) -> dict[str, str]:
    """The colours of selected text: by Textual's defaults, its text has the colour of the background."""
    selected = background + Color.parse(variables["screen-selection-background"])
    text = max(BLACK, WHITE, key=lambda colour: contrast(colour, selected))
    return {"screen-selection-background": selected.hex, "screen-selection-foreground": text.hex}


class LegibleText(LineFilter):
    """Changes the colour of text that is too pale on its background; drawings stay.

    The one place for this, since only here both colours are known for all that is drawn.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with legible colours."""
        below = background.rich_color.triplet
        return [_legible_segment(segment, below) for segment in segments]


class ReversedText(LineFilter):
    """Reverses text again for which Textual has exchanged the terminal's own colours.

    Without colours nothing would be left of that, and the row under the cursor would look like any other.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments, those reversed whose colours were exchanged."""
        return [_reversed(segment) for segment in segments]


def _reversed(segment: Segment) -> Segment:
    text, style, control = segment
    if style is None or style.color != _EXCHANGED.color or style.bgcolor != _EXCHANGED.bgcolor:
        return segment
    return Segment(text, style + Style(reverse=True), control)


def _legible_segment(segment: Segment, below: ColorTriplet | None) -> Segment:
    text, style, control = segment
    if style is None or style.color is None:
        return segment
    colour = style.color.triplet
    ground = style.bgcolor.triplet if style.bgcolor is not None else below
    if colour is None or ground is None:
        # The terminal chooses the colours.
        return segment
    change = _legible_style(colour, ground)
    if change is None or not _READ.search(text):
        return segment
    return Segment(text, style + change, control)


@lru_cache(4096)
def _legible_style(colour: ColorTriplet, ground: ColorTriplet) -> Style | None:
    """The legible colour on the way to black or white; None if it is legible.

    Called for all that is drawn: the triplets are keys without a hash function in Python.
    """
    text, background = Color(*colour), Color(*ground)
    if contrast(text, background) >= _TEXT:
        return None
    is_lighter = _luminance(text) >= _luminance(background)
    allows_white, allows_black = (contrast(end, background) >= _TEXT for end in (WHITE, BLACK))
    towards = WHITE if allows_white and (is_lighter or not allows_black) else BLACK
    return Style(color=Color.parse(_legible(text.hex, {background: _TEXT}, towards)).rich_color)


def contrast(first: Color, second: Color) -> float:
    """Return the contrast ratio of two colours, 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _legible(colour: str, ratios: Mapping[Color, float], towards: Color) -> str:
    """The first colour on the way from `colour` to black or white that has the ratios to all backgrounds."""
    parsed = Color.parse(colour)
    blends = (parsed.blend(towards, step * _STEP) for step in range(int(1 / _STEP) + 1))
    sufficient = (
        blend for blend in blends if all(contrast(blend, ground) >= least for ground, least in ratios.items())
    )
    result = next(sufficient, towards)
    return colour if result == parsed else result.hex


def _luminance(colour: Color) -> float:
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
