"""The keys of the transcript."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from textual.binding import Binding, BindingType

KEYS: list[BindingType] = [
    Binding("j,down", "scroll(1)", "Down", tooltip="Scroll down a line", show=False, id="transcript.down"),
    Binding("k,up", "scroll(-1)", "Up", tooltip="Scroll up a line", show=False, id="transcript.up"),
    Binding("ctrl+d", "half(1)", "Half down", tooltip="Scroll down half a page", show=False, id="transcript.half-down"),
    Binding("ctrl+u", "half(-1)", "Half up", tooltip="Scroll up half a page", show=False, id="transcript.half-up"),
    Binding(
        "pagedown,space", "page(1)", "Page down", tooltip="Scroll down a page", show=False, id="transcript.page-down"
    ),
    Binding("pageup", "page(-1)", "Page up", tooltip="Scroll up a page", show=False, id="transcript.page-up"),
    Binding("g,home", "top", "Top", tooltip="Go to the first turn", show=False, id="transcript.top"),
    Binding(
        "G,end", "bottom", "End", tooltip="Go to the end, and follow new turns", show=False, id="transcript.bottom"
    ),
    Binding(
        "left_square_bracket",
        "human(-1)",
        "Previous prompt",
        tooltip="Go to your previous prompt",
        id="transcript.prompt-up",
    ),
    Binding(
        "right_square_bracket",
        "human(1)",
        "Next prompt",
        tooltip="Go to your next prompt",
        show=False,
        id="transcript.prompt-down",
    ),
    Binding(
        "right_curly_bracket",
        "edit(1)",
        "Next edit",
        tooltip="Go to the next edit",
        show=False,
        id="transcript.edit-down",
    ),
    Binding(
        "left_curly_bracket",
        "edit(-1)",
        "Previous edit",
        tooltip="Go to the previous edit",
        show=False,
        id="transcript.edit-up",
    ),
    Binding(
        "full_stop", "call(1)", "Next tool", tooltip="Go to the next tool call", show=False, id="transcript.tool-down"
    ),
    Binding(
        "comma",
        "call(-1)",
        "Previous tool",
        tooltip="Go to the previous tool call",
        show=False,
        id="transcript.tool-up",
    ),
    Binding(
        "enter,v",
        "view_call",
        "View",
        tooltip="Show the tool call on the whole screen",
        show=False,
        id="transcript.view",
    ),
    Binding(
        "o", "edit_file", "Editor", tooltip="Open the visible file in your editor", show=False, id="transcript.edit"
    ),
    Binding("J", "turn(1)", "Next turn", tooltip="Go to the next turn", show=False, id="transcript.turn-down"),
    Binding("K", "turn(-1)", "Previous turn", tooltip="Go to the previous turn", show=False, id="transcript.turn-up"),
    Binding(
        "right_parenthesis",
        "compaction(1)",
        "Compaction",
        tooltip="Go to the next compaction",
        show=False,
        id="transcript.compaction",
    ),
    Binding(
        "left_parenthesis",
        "compaction(-1)",
        "Previous compaction",
        tooltip="Go to the previous compaction",
        show=False,
        id="transcript.compaction-up",
    ),
    Binding(
        "S",
        "subagent",
        "Subagent",
        tooltip="Go from a call to its subagent's session, back to the call, or to the next such call",
        show=False,
        id="transcript.subagent",
    ),
    Binding("f,ctrl+f", "find", "Find", tooltip="Find in this session", id="transcript.find"),
    Binding(
        "n", "match(1)", "Match", tooltip="Go to the next passage or match", show=False, id="transcript.match-down"
    ),
    Binding(
        "N",
        "match(-1)",
        "Previous match",
        tooltip="Go to the previous passage or match",
        show=False,
        id="transcript.match-up",
    ),
    Binding("t", "tools", "Tools", tooltip="Show tools on one line, in short or in full", id="transcript.tools"),
    Binding(
        "T",
        "thinking",
        "Thinking",
        tooltip="Hide thinking, or show it on one line or in full",
        show=False,
        id="transcript.thinking",
    ),
    Binding(
        "m",
        "minimap",
        "Minimap",
        tooltip="Show or hide the marks in the scroll bar",
        show=False,
        id="transcript.minimap",
    ),
    Binding("y", "copy", "Copy", tooltip="Copy the turn", show=False, id="transcript.copy"),
]

_BESIDE: Final = frozenset(
    {
        "prompt-up",
        "prompt-down",
        "edit-up",
        "edit-down",
        "tool-up",
        "tool-down",
        "compaction",
        "compaction-up",
        "match-up",
        "match-down",
        "subagent",
        "tools",
        "thinking",
        "minimap",
    }
)
KEYS_BESIDE: Final[list[BindingType]] = [
    replace(binding, action=f"in_transcript({binding.action!r})", show=False)
    for binding in KEYS
    if isinstance(binding, Binding) and (binding.id or "").removeprefix("transcript.") in _BESIDE
]
"""The keys of the transcript that work from the list beside it, for the action `in_transcript` of the screen."""
