"""Bars and lines of block characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
_BAR: Final = "━"
_HALF_BAR: Final = "╸"


def bar(value: float, maximum: float, width: int) -> str:
    """A horizontal bar of `width` cells for `maximum`; every value above 0 is visible."""
    if value <= 0 or maximum <= 0 or width <= 0:
        return ""
    whole, half = divmod(max(1, round(min(value, maximum) * width * 2 / maximum)), 2)
    return _BAR * whole + _HALF_BAR * half


def sparkline(values: Sequence[int]) -> str:
    """One character for each value, a dot for 0."""
    maximum = max(values, default=0)
    return "".join(_EIGHTHS[max(1, round(value * 8 / maximum))] if value > 0 else "·" for value in values)
