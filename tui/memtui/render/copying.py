"""What goes to the clipboard: selected lines as they were before they were wrapped, or a whole turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memtui.render.calls import rendered_calls
from memtui.render.rows import Line
from memtui.render.tool_headings import heading
from memtui.render.view import View
from memtui_core.model import Block, Turn


def copied(lines: Iterable[tuple[Line, int, int]], indent: int) -> str:
    """The text of (line, first character, end) pieces.

    What was wrapped is one line again; the `indent` of the transcript and signs that were only drawn are left out.
    """
    text = ""
    before: Line | None = None
    for line, start, end in lines:
        plain = line.plain[start:end]
        if before is not None and line.row == before.row and line.start > before.start:
            seen = before.start + len(before.text) - before.lead
            text = text.rstrip("\n") + (" " if line.start > seen else "") + plain[max(0, line.lead - start) :]
        else:
            drawn = indent if line.plain[: line.lead].strip() else line.lead
            blanks = len(plain) - len(plain.lstrip(" "))
            text += plain[min(max(0, drawn - start), blanks) :].rstrip()
        text += "\n"
        before = line
    return text.removesuffix("\n")


def turn_text(turn: Turn, blocks: Sequence[Block] | None, view: View) -> str:
    """A turn as text: the person's words, the agent's as Markdown, a line a tool call."""
    calls = rendered_calls(blocks or (), view.root)
    pieces: list[tuple[bool, str]] = []
    for block in blocks or ():
        if block.kind == "text" or block.kind == "user":
            pieces.append((False, block.text.strip()))
        elif block.seq in calls:
            pieces.append((True, "".join(text for text, _ in heading(calls[block.seq], 200))))
    if not any(block.kind == "user" for block in blocks or ()) and turn.user_text:
        pieces.insert(0, (False, turn.user_text.strip()))
    text = ""
    tool_before = False
    for is_tool, piece in pieces:
        text += ("\n" if is_tool and tool_before else "\n\n") + piece
        tool_before = is_tool
    return text.strip()
