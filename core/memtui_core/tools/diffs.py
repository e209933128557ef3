"""The changes of a tool call as a unified diff: from the agent's patch if there is one, otherwise from its texts."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

from memtui_core.tools.call import ToolCall
from memtui_core.tools.edits import Edit

_MAX_LINES = 1500
"""Lines; computing the difference of longer texts takes too long."""


def diff_of(call: ToolCall) -> str:
    """The diff of a call's edits; empty if a whole file was written, or if the texts are not in the call.

    If the position in the file is unknown, line numbers count from the start of the edited text.
    """
    if not call.edits:
        return ""
    return from_patch(call.detail.get("patch")) or call.patch or "\n".join(_lines(call.edits))


def from_patch(hunks: Any) -> str:
    """The diff of a patch as Claude Code writes it, a list of {oldStart, oldLines, newStart, newLines, lines}.

    Empty for anything else.
    """
    lines: list[str] = []
    for hunk in hunks if isinstance(hunks, list) else []:
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list):
            lines.append(_hunk_header(hunk))
            lines += [line for line in hunk["lines"] if isinstance(line, str)]
    return "\n".join(lines)


def counts(diff: str) -> tuple[int, int]:
    """(lines added, lines removed)."""
    markers = [line[:1] for line in diff.split("\n")]
    return markers.count("+"), markers.count("-")


def _hunk_header(hunk: dict[str, Any]) -> str:
    old, before, new, after = (
        value if isinstance(value := hunk.get(name), int) else 1
        for name in ("oldStart", "oldLines", "newStart", "newLines")
    )
    return f"@@ -{old},{before} +{new},{after} @@"


def _lines(edits: tuple[Edit, ...]) -> Iterator[str]:
    for edit in edits:
        if edit.kind not in {"replace", "part"}:
            continue
        before, after = (text.split("\n") if text else [] for text in (edit.old, edit.new))
        if len(before) + len(after) > _MAX_LINES:
            yield f"@@ -1,{len(before)} +1,{len(after)} @@"
            yield from (f"-{line}" for line in before)
            yield from (f"+{line}" for line in after)
        else:
            # The first two lines name the files, which are already in the summary of the call.
            yield from list(unified_diff(before, after, lineterm=""))[2:]
