"""What sessions did to a file, and its content at a turn, as far as one session knew it.

`content` reads the session's tool calls and selects those that concern the file, `state` applies them one after
another, `patches` computes the lines after an edit, and `lines` has the values. `touches` lists what the turns of all
sessions did, and `hunks` makes the diffs.
"""

from __future__ import annotations

from memtui_core.queries.file_history.content import content_from_calls, file_content_at
from memtui_core.queries.file_history.hunks import DiffHunk, line_counts, patch_text
from memtui_core.queries.file_history.lines import ContentLine, FileContent, numbered_lines
from memtui_core.queries.file_history.touches import TouchCall, TouchDetails, TurnTouch, file_history, touch_details

__all__ = [
    "ContentLine",
    "DiffHunk",
    "FileContent",
    "TouchCall",
    "TouchDetails",
    "TurnTouch",
    "content_from_calls",
    "file_content_at",
    "file_history",
    "line_counts",
    "numbered_lines",
    "patch_text",
    "touch_details",
]
