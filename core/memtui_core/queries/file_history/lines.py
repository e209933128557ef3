"""The content of a file, of which only some lines may be known.

A text is split at each newline, as the agent's line numbers count: a text that ends with a newline has an empty last
line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memtui_core.text.line_numbers import split_number

INDENT = "known from a patch only, which shows tabs as spaces"
_REDACTED = "a secret in it is not kept"
_CUT = "too long to be read whole"
LONGEST = 2000
"""Characters of a line that Read shows; also the number of lines that it shows without a limit."""


@dataclass(frozen=True, slots=True)
class ContentLine:
    """A line that the session saw; `certain` is False if it may have changed since."""

    number: int
    text: str
    certain: bool


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file as one session knew it; a text that ends with a newline has an empty last line."""

    path: str
    lines: tuple[ContentLine, ...]
    """In order; lines that the session never saw are missing."""
    total: int | None
    """How many lines the file has; None if that is not certain."""
    notes: tuple[str, ...]
    """What is not certain and why, in short sentences; empty if everything is certain."""

    @property
    def complete(self) -> bool:
        """Whether every line is known and certain."""
        return self.total == len(self.lines) and all(line.certain for line in self.lines)

    @property
    def text(self) -> str | None:
        """The whole text; None if a part of it is not certain."""
        return "\n".join(line.text for line in self.lines) if self.complete else None

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """Ranges of lines never seen, ends included, without the lines after the last known line."""
        last = max(self.total or 0, self.lines[-1].number if self.lines else 0)
        gaps, before = [], 0
        for number in [*(line.number for line in self.lines), last + 1]:
            if number > before + 1:
                gaps.append((before + 1, number - 1))
            before = number
        return gaps


@dataclass(frozen=True, slots=True)
class LineState:
    """A line as it was last seen; `doubt` is the reason why it may have changed, and empty for a certain line."""

    text: str
    doubt: str = ""


KnownLines = Mapping[int, LineState]
"""The known lines by number from 1."""


def line_state(text: str) -> LineState:
    """The state of a line that the transcript shows."""
    if len(text) >= LONGEST and text.endswith("[truncated]"):
        return LineState(text, _CUT)
    return LineState(text, _REDACTED if "[redacted:" in text else "")


def numbered_lines(text: str) -> tuple[int, list[str], bool]:
    """The number of the first line in the result of a Read, its lines without numbers, and whether nothing follows."""
    lines = text.split("\n")
    contents: list[str] = []
    start = 0
    for line in lines:
        number, content = split_number(line)
        if number is None or (contents and number != start + len(contents)):
            break
        start = start if contents else number
        contents.append(content)
    tail = "\n".join(lines[len(contents) :]).strip()
    return start, contents, not tail or tail.startswith("<system-reminder>")


def certain_ranges(lines: KnownLines) -> list[tuple[int, int]]:
    """The ranges of consecutive lines that are certain, ends included."""
    return number_ranges(number for number, line in lines.items() if not line.doubt)


def number_ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Numbers as ranges, ends included."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


def joined_text(lines: KnownLines, low: int, high: int) -> str:
    """The text of the lines `low` to `high`, all of which must be known."""
    return "\n".join(lines[number].text for number in range(low, high + 1))
