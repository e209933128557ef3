"""Text of any origin to text that cannot break a screen: no control characters, no endless lines."""

from __future__ import annotations

import re

from memtui.present import number
from memtui.render.rows import Row, Span

LONGEST_LINE = 4000
"""Characters of one line that are shown; the rest is counted."""
LONGEST_TEXT = 400_000
"""Characters of one block that are shown."""
_TAB = 4
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])")
# Control characters but newline; marks that reorder text; separators that Python takes for line ends; halves of a
# surrogate pair, which no terminal can be sent.
_ODD = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_PICTURES = {code: chr(0x2400 + code) for code in range(32)} | {0x7F: "␡"}


def clean(text: str) -> str:
    """Text whose only control characters are newlines.

    Colour codes go, a line rewritten by carriage returns keeps its last state, tabs become blanks and other control
    characters visible signs.
    """
    if not _ODD.search(text):
        return text
    text = _ESCAPE.sub("", text).replace("\r\n", "\n")
    if "\r" in text or "\t" in text or "\b" in text:
        text = "\n".join(_flat_line(line) for line in text.split("\n"))
    return _ODD.sub(_sign, text)


def _flat_line(line: str) -> str:
    if "\r" in line:
        line = next((part for part in reversed(line.split("\r")) if part), "")
    if "\b" in line:
        kept: list[str] = []
        for char in line:
            if char != "\b":
                kept.append(char)
            elif kept:
                kept.pop()
        line = "".join(kept)
    return line.expandtabs(_TAB)


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xD800 <= code <= 0xDFFF or 0x80 <= code < 0xA0:
        return "\ufffd"
    return _PICTURES.get(code, " " if code in {0x2028, 0x2029} else "")


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
