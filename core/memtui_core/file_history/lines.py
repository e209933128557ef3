"""The lines of a file of which only some may be known.

A text is split at each newline, as the agent's own line numbers count: one that ends with a newline has an empty last
line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

INDENT = "known from a patch only, which shows tabs as spaces"
_REDACTED = "a secret in it is not kept"
_CUT = "too long to be read whole"
LONGEST = 2000
"""Characters of a line that Read shows; also the lines that it shows when it is not told how many."""
_NUMBERED = re.compile(r" *(\d{1,9})(?:→|\t)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class KnownLine:
    """A line that the session saw; `certain` is False when it may have become another since."""

    number: int
    text: str
    certain: bool


@dataclass(frozen=True, slots=True)
class Known:
    """A file as one session knew it; a text that ends with a newline has an empty last line."""

    path: str
    lines: tuple[KnownLine, ...]
    """In order; a number that is missing was never seen."""
    total: int | None
    """How many lines the file has; None where that is not certain."""
    notes: tuple[str, ...]
    """What is not certain and why, in short sentences; empty when all is."""

    @property
    def complete(self) -> bool:
        """Whether every line is there and certain."""
        return self.total == len(self.lines) and all(line.certain for line in self.lines)

    @property
    def text(self) -> str | None:
        """The whole text, where it is certain."""
        return "\n".join(line.text for line in self.lines) if self.complete else None

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """Ranges of lines never seen, the last of each included; what follows the last known line is not among them."""
        last = max(self.total or 0, self.lines[-1].number if self.lines else 0)
        gaps, before = [], 0
        for number in [*(line.number for line in self.lines), last + 1]:
            if number > before + 1:
                gaps.append((before + 1, number - 1))
            before = number
        return gaps


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it was last seen; `doubt` says why that may not be how it is, and is empty for a certain one."""

    text: str
    doubt: str = ""


Lines = Mapping[int, Line]
"""The known lines by number from 1; what is missing was never seen."""


def seen(text: str) -> Line:
    """A line as the transcript shows it."""
    if len(text) >= LONGEST and text.endswith("[truncated]"):
        return Line(text, _CUT)
    return Line(text, _REDACTED if "[redacted:" in text else "")


def numbered(text: str) -> tuple[int, list[str], bool]:
    """The number of the first line that the result of a Read shows, its lines, and whether nothing else follows."""
    lines = text.split("\n")
    found: list[str] = []
    start = 0
    for line in lines:
        match = _NUMBERED.fullmatch(line)
        if match is None or (found and int(match[1]) != start + len(found)):
            break
        start = start if found else int(match[1])
        found.append(match[2])
    rest = "\n".join(lines[len(found) :]).strip()
    return start, found, not rest or rest.startswith("<system-reminder>")


def runs(lines: Lines) -> list[tuple[int, int]]:
    """The first and last numbers of lines next to each other that are all certain."""
    return spans(number for number, line in lines.items() if not line.doubt)


def spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Numbers as ranges, the last of each included."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def joined(lines: Lines, low: int, high: int) -> str:
    """The text of the lines from low to high, all of them known."""
    return "\n".join(lines[number].text for number in range(low, high + 1))
