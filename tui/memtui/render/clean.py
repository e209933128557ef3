"""Text of any origin to text that cannot break a screen: no control characters, no endless lines."""

from __future__ import annotations

from memtui.formatting import number
from memtui.render.rows import Row, Span
from memtui_core.text.controls import plain

LONGEST_LINE = 4000
"""Characters of one line that are shown; the rest is counted."""
LONGEST_TEXT = 400_000
"""Characters of one block that are shown."""
_TAB = 4


def clean(text: str) -> str:
    """Text whose only control characters are newlines.

    What `plain` gives, with tabs as blanks.
    """
    return plain(text).expandtabs(_TAB)


def lines_of(text: str) -> list[str]:
    """The lines of a text, cleaned, without blank lines at its ends.

    A text that is too long loses its end, and the last line says how much.
    """
    lost = len(text) - LONGEST_TEXT
    lines = clean(text[:LONGEST_TEXT]).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    start = 0
    while start < len(lines) and not lines[start].strip():
        start += 1
    lines = [line.rstrip() for line in lines[start:]]
    if lost > 0:
        lines.append(f"… {number(lost)} more characters")
    return lines


def shortened(line: str) -> tuple[Span, ...]:
    """A line as spans; of an endless one the beginning and how much follows."""
    if len(line) <= LONGEST_LINE:
        return ((line, ""),) if line else ()
    return ((line[:LONGEST_LINE], ""), (f" … {number(len(line) - LONGEST_LINE)} more characters", "muted"))


def plain_rows(text: str, style: str = "", seq: int = -1) -> list[Row]:
    """Text as it was written, a row a line."""
    return [
        Row(tuple((part, f"{style} {own}".strip()) for part, own in shortened(line)), seq) for line in lines_of(text)
    ]


def clip(lines: list[str], head: int, tail: int = 0) -> tuple[list[str], int, list[str]]:
    """The first and last lines and how many lie between; a single hidden line is not worth hiding."""
    hidden = len(lines) - head - tail
    if hidden <= 1:
        return lines, 0, []
    return lines[:head], hidden, lines[len(lines) - tail :] if tail else []


def more(count: int) -> str:
    """What stands for hidden lines: `… 1,234 lines`."""
    return f"… {number(count)} lines"
