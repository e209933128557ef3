"""Legible colours: colours of a theme with enough contrast to their background.

Some light themes have accents as bright as those of dark themes. The ratios are those of WCAG 2.2: 4.5 for text
(1.4.3), and 3 for the row under the cursor, where bold and underlined text also help.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.color import BLACK, WHITE, Color

_TEXT = 4.5
ON_CURSOR = 3.0
"""The ratio for the row under the cursor."""
_FRAME = 1.35
"""The ratio for the borders of panes without the focus: they separate and need not be read."""
_TEXTS = ("accent", "text-accent", "text-warning", "text-success", "text-error")
_STEP = 0.02


def legible(variables: Mapping[str, str], dark: bool) -> dict[str, str]:
    """Return the variables of a theme that must change, with legible colours; none if the terminal sets the colours."""
    background = Color.parse(variables["background"])
    if background.ansi is not None:
        return {}
    cursor = background + Color.parse(variables["block-cursor-blurred-background"])
    required = {name: {background: _TEXT, cursor: ON_CURSOR} for name in _TEXTS} | {"panel": {background: _FRAME}}
    colours = {name: _legible(variables[name], ratios, WHITE if dark else BLACK) for name, ratios in required.items()}
    # Textual's default is too pale for a hint on a light background.
    return colours | _selection(variables, background) | ({} if dark else {"text-disabled": "auto 60%"})


def _selection(variables: Mapping[str, str], background: Color) -> dict[str, str]:
    """The colours of selected text: by Textual's defaults, its text has the colour of the background."""
    selected = background + Color.parse(variables["screen-selection-background"])
    text = max(BLACK, WHITE, key=lambda colour: contrast(colour, selected))
    return {"screen-selection-background": selected.hex, "screen-selection-foreground": text.hex}


def legible_on(colour: Color, background: Color) -> Color:
    """Return a colour, or the nearest one towards black or white that has enough contrast to a background."""
    if contrast(colour, background) >= _TEXT:
        return colour
    towards = max(WHITE, BLACK, key=lambda end: contrast(end, background))
    return Color.parse(_legible(colour.hex, {background: _TEXT}, towards))


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
