"""Unified diffs, which many agents store with the result of an edit, as the hunks of `Block.detail`."""

from __future__ import annotations

import re
from typing import Any, Final

from memtui_core.tools.diffs import changed_lines

_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_FILES: Final = ("diff --git ", "+++ ")


def hunks_of(diff: Any) -> list[dict[str, Any]]:
    """The hunks {oldStart, oldLines, newStart, newLines, lines} of the diff of one file.

    Empty for a diff of several files, one without a change, and for anything else.
    """
    hunks: list[dict[str, Any]] = []
    if not isinstance(diff, str) or "@@" not in diff:
        return hunks
    old = new = 0
    """The number of lines that the open hunk still has, before and after the change."""
    files = dict.fromkeys(_FILES, 0)
    for line in diff.split("\n"):
        # Some programs strip the blank from an empty line.
        if old + new > 0 and line[:1] in {" ", "+", "-", ""}:
            before, after = line[:1] != "+", line[:1] != "-"
            # A line beyond the numbers in the heading would contradict them.
            if old >= before and new >= after:
                hunks[-1]["lines"].append(line or " ")
                old, new = old - before, new - after
        elif (match := _HUNK.match(line)) is not None:
            old_start, old, new_start, new = (int(value) if value else 1 for value in match.groups())
            about = {"oldStart": old_start, "oldLines": old, "newStart": new_start, "newLines": new}
            hunks.append({**about, "lines": []})
        elif not line.startswith("\\"):
            old = new = 0
            for header in files:
                files[header] += line.startswith(header)
    changed = [hunk for hunk in hunks if any(line[0] != " " for line in hunk["lines"])]
    return changed if max(files.values()) <= 1 else []


def hunks_between(before: str, after: str, old: int = 1, new: int = 1) -> list[dict[str, Any]]:
    """The hunks between two texts of a file, whose first lines have the numbers `old` and `new`."""
    hunks = []
    for place in changed_lines(before, after):
        lines = [sign + text for sign, text in place.lines]
        sizes = [sum(line[0] != sign for line in lines) for sign in "+-"]
        # A hunk without lines of a text is after the line before it.
        starts = old + place.old - (sizes[0] == 0), new + place.new - (sizes[1] == 0)
        about = {"oldStart": starts[0], "oldLines": sizes[0], "newStart": starts[1], "newLines": sizes[1]}
        hunks.append({**about, "lines": lines})
    return hunks


def patch_detail(diff: Any) -> dict[str, Any] | None:
    """A diff as `detail` of a tool result; None if it has no hunks."""
    hunks = hunks_of(diff)
    return {"patch": hunks} if hunks else None
