"""The changes of a file that the editor keeps with an edit.

Versions differ: lines with their numbers, pieces of a diff, or the names of the whole contents before and after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from memtui_core.readers.conversion.json_values import count, items, mapping, string
from memtui_core.readers.conversion.unified_diff import hunks_between, hunks_of

_SIGNS: Final = {"added": "+", "removed": "-", "unchanged": " "}


def hunks_of_result(result: dict[str, Any], contents: Mapping[str, str]) -> list[dict[str, Any]]:
    """The hunks of the result of an edit; `contents` are the contents of files by their names."""
    hunks: list[dict[str, Any]] = []
    for chunk in map(mapping, items(mapping(result.get("diff")).get("chunks"))):
        diff = string(chunk.get("diffString")) or ""
        lines = [line for line in diff.split("\n") if line[:1] in _SIGNS.values()]
        hunks += hunks_of(diff) or _hunk(count(chunk.get("oldStart")), count(chunk.get("newStart")), lines)
    before, after = content_names(result)
    if not hunks and after in contents:
        return hunks_between(contents.get(before, ""), contents[after])
    return hunks


def content_names(result: dict[str, Any]) -> tuple[str, str]:
    """The names of the contents before and after an edit; an empty name for none."""
    return string(result.get("beforeContentId")) or "", string(result.get("afterContentId")) or ""


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


def _hunk(old: int, new: int, lines: list[str]) -> list[dict[str, Any]]:
    """Lines with their signs as a hunk, given the numbers of its first lines; nothing if no line has changed."""
    before, after = (sum(line[0] != sign for line in lines) for sign in "+-")
    if len(lines) == before == after:
        return []
    # A hunk without lines of a text is after the line before it.
    starts = {"oldStart": old - (before == 0), "newStart": new - (after == 0)}
    return [{**starts, "oldLines": before, "newLines": after, "lines": lines}]
