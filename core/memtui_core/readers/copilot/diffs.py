"""The unified diff of one file, in results of edits, as hunks of a patch."""

from __future__ import annotations

import re
from typing import Any, Final

_FILE: Final = "diff --git "
_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@.*", re.DOTALL)


def hunks_of(diff: str) -> list[dict[str, Any]]:
    """The hunks of a diff, as in `Block.detail`; none if it contains several files or no change."""
    hunks: list[dict[str, Any]] = []
    is_open = False
    files = 0
    for line in diff.split("\n"):
        match = _HUNK.fullmatch(line)
        if match is not None:
            old, before, new, after = (int(value) if value else 1 for value in match.groups())
            hunks.append({"oldStart": old, "oldLines": before, "newStart": new, "newLines": after, "lines": []})
            is_open = True
        elif line.startswith(_FILE):
            files += 1
            is_open = False
        elif is_open and line[:1] in {" ", "+", "-"}:
            hunks[-1]["lines"].append(line)
        else:
            is_open = False
    changed = [hunk for hunk in hunks if any(line[0] != " " for line in hunk["lines"])]
    return changed if files <= 1 else []
