"""Unified diffs, which many agents store with the result of an edit, as the hunks of `Block.detail`."""

from __future__ import annotations

import re
from typing import Any

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def hunks_of(diff: Any) -> list[dict[str, Any]]:
    """The hunks {oldStart, oldLines, newStart, newLines, lines} of a diff of one file; empty for anything else."""
    hunks: list[dict[str, Any]] = []
    if not isinstance(diff, str) or "@@" not in diff:
        return hunks
    old = new = 0
    """The number of lines that the open hunk still has of each side."""
    for line in diff.split("\n"):
        if not (old or new):
            if (match := _HUNK.match(line)) is not None:
                old, new = (1 if size is None else int(size) for size in (match[2], match[4]))
                hunks.append(
                    {
                        "oldStart": int(match[1]),
                        "oldLines": old,
                        "newStart": int(match[3]),
                        "newLines": new,
                        "lines": [],
                    }
                )
        elif not line.startswith("\\"):
            hunks[-1]["lines"].append(line if line[:1] in {" ", "+", "-"} else f" {line}")
            old -= line[:1] != "+" and old > 0
            new -= line[:1] != "-" and new > 0
    return hunks


def patch_detail(diff: Any) -> dict[str, Any] | None:
    """A diff as `detail` of a tool result; None if it has no hunks."""
    hunks = hunks_of(diff)
    return {"patch": hunks} if hunks else None
