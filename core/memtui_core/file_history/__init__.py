"""The content of a file at a turn, as far as one session knew it.

`content` reads the session's tool calls and selects those that concern the file, `state` applies them one after
another, `patches` computes the lines after an edit, and `lines` has the values.
"""

from __future__ import annotations

from memtui_core.file_history.content import content_from_calls, file_content_at
from memtui_core.file_history.lines import ContentLine, FileContent

__all__ = ["ContentLine", "FileContent", "content_from_calls", "file_content_at"]
