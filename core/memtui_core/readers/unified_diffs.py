"""Unified diffs in results of edits, as hunks of a patch."""

from __future__ import annotations

import re
from typing import Any, Final

_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@.*", re.DOTALL)
_FILES: Final = ("diff --git ", "+++ ")


def hunks_of(diff: str) -> list[dict[str, Any]]:
    """The hunks of the diff of one file, as in `Block.detail`; none if it contains several files or no change."""
    hunks: list[dict[str, Any]] = []
    old = new = 0
    """The number of lines that the open hunk still has, before and after the change."""
    files = dict.fromkeys(_FILES, 0)
    for line in diff.split("\n"):
        match = _HUNK.fullmatch(line)
        if match is not None:
            old_start, old, new_start, new = (int(value) if value else 1 for value in match.groups())
            about = {"oldStart": old_start, "oldLines": old, "newStart": new_start, "newLines": new}
            hunks.append({**about, "lines": []})
        elif old + new > 0 and line[:1] in {" ", "+", "-"}:
            hunks[-1]["lines"].append(line)
            old -= line[0] != "+"
            new -= line[0] != "-"
        elif not line.startswith("\\"):
            old = new = 0
            for header in files:
                files[header] += line.startswith(header)
    changed = [hunk for hunk in hunks if any(line[0] != " " for line in hunk["lines"])]
    return changed if max(files.values()) <= 1 else []
