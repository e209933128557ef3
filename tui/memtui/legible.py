"""Colours of a theme that can be told from what they stand on.

Some light themes take accents as bright as those of dark ones. The ratios are those of WCAG 2.2: 4.5 for text (1.4.3);
on a row under the cursor 3, where bold type and underlining tell it too.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.color import BLACK, WHITE, Color

_TEXT = 4.5
ON_CURSOR = 3.0
"""The ratio on a row under the cursor."""
_FRAME = 1.35
"""Between the background and the frames of panes without the focus: they part, and are not read."""
_TEXTS = ("accent", "text-accent", "text-warning", "text-success", "text-error")
_STEP = 0.02


def legible(variables: Mapping[str, str], dark: bool) -> dict[str, str]:
    """The variables of a theme that it needs otherwise; none for colours that the terminal chooses."""
    background = Color.parse(variables["background"])
    if background.ansi is not None:
        return {}
    cursor = background + Color.parse(variables["block-cursor-blurred-background"])
    wanted = {name: {background: _TEXT, cursor: ON_CURSOR} for name in _TEXTS} | {"panel": {background: _FRAME}}
    found = {name: _apart(variables[name], ratios, WHITE if dark else BLACK) for name, ratios in wanted.items()}
    # Textual's own is too pale for a hint on a light ground.
    return found if dark else found | {"text-disabled": "auto 60%"}


def contrast(one: Color, other: Color) -> float:
    """The ratio of two colours, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _apart(colour: str, ratios: Mapping[Color, float], towards: Color) -> str:
    """The colour, or the nearest one on its way to black or white that is far enough from all others."""
    parsed = Color.parse(colour)
    steps = (parsed.blend(towards, step * _STEP) for step in range(int(1 / _STEP) + 1))
    enough = (step for step in steps if all(contrast(step, other) >= ratio for other, ratio in ratios.items()))
    found = next(enough, towards)
    return colour if found == parsed else found.hex


def _luminance(colour: Color) -> float:
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
