"""What an edit changed as a unified diff: from the agent's own patch when there is one, else from the two texts."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

_OLD = ("old_string", "oldString", "old_str", "old_text")
_NEW = ("new_string", "newString", "new_str", "new_source")
_SLOW = 1500
"""Lines; the difference of longer texts takes too long to find."""


def from_patch(hunks: Any) -> str:
    """The diff of a patch as Claude Code writes it, a list of {oldStart, oldLines, newStart, newLines, lines}.

    Empty for anything else.
    """
    lines: list[str] = []
    for hunk in hunks if isinstance(hunks, list) else []:
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list):
            lines.append(_place(hunk))
            lines += [line for line in hunk["lines"] if isinstance(line, str)]
    return "\n".join(lines)


def from_input(arguments: dict[str, Any]) -> str:
    """The diff of an edit's old and new text, or of its list of edits; empty when it has neither.

    The place in the file is not known, so the line numbers count from the edited text.
    """
    edits = arguments.get("edits")
    parts = edits if isinstance(edits, list) else [arguments]
    return "\n".join(line for part in parts if isinstance(part, dict) for line in _between(part))


def counts(diff: str) -> tuple[int, int]:
    """(lines added, lines removed)."""
    signs = [line[:1] for line in diff.split("\n")]
    return signs.count("+"), signs.count("-")


def _place(hunk: dict[str, Any]) -> str:
    old, before, new, after = (
        value if isinstance(value := hunk.get(name), int) else 1
        for name in ("oldStart", "oldLines", "newStart", "newLines")
    )
    return f"@@ -{old},{before} +{new},{after} @@"


def _between(edit: dict[str, Any]) -> Iterator[str]:
    old, new = _text(edit, _OLD), _text(edit, _NEW)
    before, after = old.split("\n") if old else [], new.split("\n") if new else []
    if len(before) + len(after) > _SLOW:
        yield f"@@ -1,{len(before)} +1,{len(after)} @@"
        yield from (f"-{line}" for line in before)
        yield from (f"+{line}" for line in after)
        return
    # The first two lines name the files, which the summary of the call does.
    yield from list(unified_diff(before, after, lineterm=""))[2:]


def _text(values: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := values.get(name), str)), "")
