"""The change of a file as the agent stores it with the result of an edit: a diff, or both contents."""

from __future__ import annotations

from typing import Any

from memtui_core.readers.conversion.unified_diff import hunks_between, patch_detail


def detail_of(old: Any, new: Any, diff: Any = None) -> dict[str, Any] | None:
    """The change as `detail` of a tool result; None if it is not known."""
    if (found := patch_detail(diff)) is not None:
        return found
    if not isinstance(new, str) or not isinstance(old, str | None) or old == new:
        return None
    hunks = hunks_between(old or "", new)
    return {"patch": hunks} if hunks else None
