"""Cleans texts of any origin for the screen: no control characters, no endless lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from memtui.render.rows import Row, Span
from memtui.wording.formatting import number
from memtui_core.text.controls import plain

LONGEST_LINE = 4000
"""Characters of a line that are shown; the omitted ones are counted."""
LONGEST_TEXT = 400_000
"""Characters of a block that are shown."""
_TAB = 4
_Line = TypeVar("_Line")


def clean(text: str) -> str:
    """Remove all control characters except newlines, and replace tabs by blanks."""
    return plain(text).expandtabs(_TAB)


def lines_of(text: str) -> list[str]:
    """The cleaned lines of a text, without blank lines at its beginning and end.

    The end of a very long text is omitted; then the last line says how much.
    """
    lines = [line.rstrip() for line in clean(text[:LONGEST_TEXT]).split("\n")]
    start, end = 0, len(lines)
    while end and not lines[end - 1]:
        end -= 1
    while start < end and not lines[start]:
        start += 1
    return lines[start:end] + omission(text)


def omission(text: str) -> list[str]:
    """The line that says how much of a very long text is omitted; none for another text."""
    omitted = len(text) - LONGEST_TEXT
    return [f"… {number(omitted)} more characters"] if omitted > 0 else []


def shortened(line: str) -> tuple[Span, ...]:
    """A line as spans; of a very long one the beginning, and the number of omitted characters."""
    if len(line) <= LONGEST_LINE:
        return ((line, ""),) if line else ()
    return ((line[:LONGEST_LINE], ""), (f" … {number(len(line) - LONGEST_LINE)} more characters", "muted"))


def plain_rows(text: str, style: str = "", seq: int = -1) -> list[Row]:
    """One row for each line of a text."""
    return typed_rows(lines_of(text), style, seq)


def typed_rows(lines: Iterable[str], style: str = "", seq: int = -1) -> list[Row]:
    """One row for each cleaned line."""
    return [Row(tuple((part, f"{style} {own}".strip()) for part, own in shortened(line)), seq) for line in lines]


def clip(lines: list[_Line], head: int, tail: int = 0) -> tuple[list[_Line], int, list[_Line]]:
    """Return the first and last lines with the number of hidden lines between them; a single line is not hidden."""
    hidden = len(lines) - head - tail
    if hidden <= 1:
        return lines, 0, []
    return lines[:head], hidden, lines[len(lines) - tail :] if tail else []


def more(count: int) -> str:
    """The text for hidden lines: `… 1,234 lines`."""
    return f"… {number(count)} lines"
