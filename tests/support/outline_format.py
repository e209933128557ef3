"""An export format that memtui does not have: a line for each turn."""

from __future__ import annotations

from collections.abc import Sequence

from memtui_core.export.contents import EVERYTHING, Contents
from memtui_core.export.formats import ExportFormat
from memtui_core.model import Session, Turn
from memtui_core.text.controls import one_line


def outline(session: Session, turns: Sequence[Turn], contents: Contents = EVERYTHING) -> str:
    """The requests of the turns, each with the kinds of blocks that are not left out."""
    included = {"thinking": contents.thinking, "tool_call": contents.tools, "tool_result": contents.tools}
    lines = [session.session_id]
    for turn in turns:
        kinds = [block.kind for block in turn.blocks if included.get(block.kind, True)]
        lines.append(f"{turn.number} {one_line(turn.user_text)} ({', '.join(kinds)})")
    return "\n".join(lines)


OUTLINE = ExportFormat("outline", "Outline, a line a turn", (".txt",), "support.outline_format:outline")
