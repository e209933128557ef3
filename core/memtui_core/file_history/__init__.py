"""What a file contained at a turn, as far as one session knew.

`known` reads the session's tool calls and gives the answer, `calls` tells which of them concern the file, `state` takes
them one after another, `patches` does the edits, and `lines` holds the lines.
"""

from __future__ import annotations

from memtui_core.file_history.known import known_at, known_content
from memtui_core.file_history.lines import Known, KnownLine

__all__ = ["Known", "KnownLine", "known_at", "known_content"]
