"""The diffs in results of edits, in which every line has a number, as hunks of a patch.

Pi writes `+ 12 text`, Oh My Pi `+12|text`. Removed and unchanged lines have their old number, added lines their new
one. Lines that are left out are replaced by `...`, by a blank line, or by nothing at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

_LINE: Final = re.compile(r"([ +-]) {0,12}(\d{1,9})[ |](.*)", re.DOTALL)


@dataclass(slots=True)
class _Hunk:
    old_start: int
    new_start: int
    lines: list[str] = field(default_factory=list)
    old: int = 0
    """The number of lines before the change."""
    new: int = 0
    """The number of lines after the change."""

    def continues(self, sign: str, number: int) -> bool:
        return number == (self.new_start + self.new if sign == "+" else self.old_start + self.old)

    def add(self, sign: str, text: str) -> None:
        self.lines.append(sign + text)
        self.old += sign != "+"
        self.new += sign != "-"

    def as_patch(self) -> dict[str, Any]:
        return {
            "oldStart": self.old_start,
            "oldLines": self.old,
            "newStart": self.new_start,
            "newLines": self.new,
            "lines": self.lines,
        }


def hunks_of(diff: str) -> list[dict[str, Any]]:
    """The hunks of a numbered diff, as in `Block.detail`; those without a change are left out."""
    hunks: list[_Hunk] = []
    is_open = False
    shift = 0
    """The number of lines that were added so far, minus those that were removed."""
    for line in diff.split("\n"):
        match = _LINE.fullmatch(line)
        if match is None:
            is_open = False
            continue
        sign, number = match[1], int(match[2])
        if not (is_open and hunks[-1].continues(sign, number)):
            old = number - shift if sign == "+" else number
            hunks.append(_Hunk(old, old + shift))
            is_open = True
        hunks[-1].add(sign, match[3])
        shift += {"+": 1, "-": -1, " ": 0}[sign]
    return [hunk.as_patch() for hunk in hunks if any(line[0] != " " for line in hunk.lines)]
