"""The numbers that agents put before the lines of a file that they read: `    12→text`, or `12`, a tab and the text."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"^ *(\d{1,9})(?:→|\t)", re.MULTILINE)


def split_number(line: str) -> tuple[int | None, str]:
    """The number before a line, and its text; None for a line without a number."""
    match = _NUMBER.match(line)
    return (int(match[1]), line[match.end() :]) if match is not None else (None, line)


def without_numbers(text: str) -> str:
    """A text of several lines without the numbers before them."""
    return _NUMBER.sub("", text)
