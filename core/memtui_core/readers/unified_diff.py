"""Unified diffs of one file, as several agents store them, converted to the hunks of a result's detail."""

from __future__ import annotations

import re
from typing import Any, Final

_HEADER: Final = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def hunks(diff: str) -> list[dict[str, Any]]:
    """The hunks of a diff, as `{"patch": [hunk, ...]}` has them; empty if there are none."""
    result: list[dict[str, Any]] = []
    lines: list[str] = []
    missing = [0, 0]
    for line in diff.split("\n"):
        # Some programs strip the blank from an empty line.
        sign = line[:1] or " "
        used = [sign != "+", sign != "-"]
        if sign in " +-" and all(left >= own for left, own in zip(missing, used, strict=True)) and any(missing):
            lines.append(line or " ")
            missing = [left - own for left, own in zip(missing, used, strict=True)]
        elif (match := _HEADER.match(line)) is not None:
            old, before, new, after = (1 if number is None else int(number) for number in match.groups())
            lines, missing = [], [before, after]
            result.append({"oldStart": old, "oldLines": before, "newStart": new, "newLines": after, "lines": lines})
    return [hunk for hunk in result if hunk["lines"]]
