"""The changes of a file that the editor keeps with an edit: lines with their numbers."""

from __future__ import annotations

from typing import Any, Final

from memtui_core.readers.json_values import count, items, mapping, string

_SIGNS: Final = {"added": "+", "removed": "-", "unchanged": " "}


def hunks_in(diff: Any) -> list[dict[str, Any]]:
    """The hunks {oldStart, oldLines, newStart, newLines, lines}; lines that do not follow each other begin a hunk."""
    hunks: list[dict[str, Any]] = []
    old = new = -1
    """The numbers of the next lines of the open hunk."""
    for line in map(mapping, items(mapping(diff).get("lines"))):
        sign = _SIGNS.get(string(line.get("type")) or "")
        if sign is None:
            continue
        old_number, new_number = count(line.get("originalLineNumber")), count(line.get("modifiedLineNumber"))
        if not hunks or (sign != "+" and old_number != old) or (sign != "-" and new_number != new):
            old, new = old_number or max(old, 1), new_number or max(new, 1)
            hunks.append({"oldStart": old, "oldLines": 0, "newStart": new, "newLines": 0, "lines": []})
        hunk = hunks[-1]
        content = line.get("content")
        hunk["lines"].append(sign + (content if isinstance(content, str) else ""))
        hunk["oldLines"] += sign != "+"
        hunk["newLines"] += sign != "-"
        old += sign != "+"
        new += sign != "-"
    return hunks
