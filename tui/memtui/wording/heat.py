"""Shades for how much was done: the more turns, the fuller."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SHADES: Final = "·░▒▓█"
"""A time without turns, and four steps."""


def shade_limits(turns: Iterable[int]) -> list[int]:
    """The least turns of each shade: about a quarter of the times with turns has each; one busy time hides no other."""
    ordered = sorted(filter(None, turns))
    return [ordered[len(ordered) * quarter // 4] for quarter in range(4)] if ordered else []


def shade_of(turns: int, limits: Iterable[int]) -> int:
    """The index in `SHADES` for some turns."""
    return sum(limit <= turns for limit in limits) if turns else 0
