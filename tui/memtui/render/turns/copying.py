"""The text for the clipboard: selected lines without their wrapping, or a whole turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memtui.render.options import RenderOptions
from memtui.render.rows import UNWRAPPED, Line
from memtui.render.tools.calls import rendered_calls
from memtui.render.tools.headings import heading
from memtui_core.model import Block, Turn


def copied(lines: Iterable[tuple[Line, int, int]], indent: int) -> str:
    """Return the text of (line, first character, end) pieces.

    Wrapped lines are joined; the `indent` of the transcript and decorations are left out.
    """
    text = ""
    previous: Line | None = None
    for line, start, end in lines:
        plain = line.plain[start:end]
        if previous is not None and line.row == previous.row and line.start > previous.start:
            previous_end = previous.start + len(previous.text.rstrip()) - previous.lead
            blanks = line.start - max(previous.start, previous_end)
            text = text.rstrip("\n") + " " * blanks + plain[max(0, line.lead - start) :].rstrip()
        else:
            drawn = indent if line.plain[: line.lead].strip() else line.lead
            blanks = len(plain) - len(plain.lstrip(" "))
            text += plain[min(max(0, drawn - start), blanks) :].rstrip()
        text += "\n"
        previous = line
    return text.removesuffix("\n")


def turn_text(turn: Turn, blocks: Sequence[Block] | None, options: RenderOptions) -> str:
    """A turn as text: the user's and the agent's texts, and one line for each tool call."""
    calls = rendered_calls(blocks or (), options.root)
    pieces: list[tuple[bool, str]] = []
    for block in blocks or ():
        if block.kind == "text" or block.kind == "user":
            pieces.append((False, block.text.strip()))
        elif block.seq in calls:
            pieces.append((True, "".join(text for text, _ in heading(calls[block.seq], UNWRAPPED))))
    if not any(block.kind == "user" for block in blocks or ()) and turn.user_text:
        pieces.insert(0, (False, turn.user_text.strip()))
    text = ""
    tool_before = False
    for is_tool, piece in pieces:
        text += ("\n" if is_tool and tool_before else "\n\n") + piece
        tool_before = is_tool
    return text.strip()
