"""The part of an edit that shows why a line is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

MOST_LINES: Final = 15
"""Lines of a diff before and after the line."""


def lines_around(diff: list[str], line: str) -> Iterator[str]:
    """A diff; of a long one the lines around that with a text, and how many there are before and after them."""
    if len(diff) <= 2 * MOST_LINES:
        yield from diff
        return
    at = next((at for at, text in enumerate(diff) if text == f"+{line}"), 0)
    first, last = max(0, at - MOST_LINES), at + MOST_LINES
    if first:
        yield f"… {first} lines"
    yield from diff[first:last]
    if last < len(diff):
        yield f"… {len(diff) - last} lines"
