"""The keys of the transcript."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memtui.keys.declarations import Key, keys

KEYS: Final[list[Key]] = keys(
    "transcript",
    Key("j,down", "scroll(1)", "Down", "Scroll down a line", "transcript.down", moves=True),
    Key("k,up", "scroll(-1)", "Up", "Scroll up a line", "transcript.up", moves=True),
    Key("ctrl+d", "half(1)", "Half down", "Scroll down half a page", "transcript.half-down", moves=True),
    Key("ctrl+u", "half(-1)", "Half up", "Scroll up half a page", "transcript.half-up", moves=True),
    Key("pagedown,space", "page(1)", "Page down", "Scroll down a page", "transcript.page-down", moves=True),
    Key("pageup", "page(-1)", "Page up", "Scroll up a page", "transcript.page-up", moves=True),
    Key("g,home", "top", "Top", "Go to the first turn", "transcript.top", moves=True),
    Key("G,end", "bottom", "End", "Go to the end, and follow new turns", "transcript.bottom", moves=True),
    Key("left_square_bracket", "human(-1)", "Previous prompt", "Go to your previous prompt", "transcript.prompt-up",
        show=True, beside=True),
    Key("right_square_bracket", "human(1)", "Next prompt", "Go to your next prompt", "transcript.prompt-down",
        beside=True),
    Key("right_curly_bracket", "edit(1)", "Next edit", "Go to the next edit", "transcript.edit-down",
        synonyms="change diff write", beside=True, spare=4),
    Key("left_curly_bracket", "edit(-1)", "Previous edit", "Go to the previous edit", "transcript.edit-up",
        synonyms="change diff write", beside=True),
    Key("full_stop", "call(1)", "Next tool", "Go to the next tool call", "transcript.tool-down",
        synonyms="call command result cursor", beside=True),
    Key("comma", "call(-1)", "Previous tool", "Go to the previous tool call", "transcript.tool-up",
        synonyms="call command result cursor", beside=True),
    Key("enter,v", "view_call", "View", "Show the tool call on the whole screen", "transcript.view",
        synonyms="full screen zoom result open"),
    Key("o", "edit_file", "Editor", "Open the visible file in your editor", "transcript.edit",
        synonyms="editor vim open"),
    Key("b", "blame", "Blame", "Show who wrote each line of the visible file", "transcript.blame",
        synonyms="annotate lines why author origin git"),
    Key("J", "turn(1)", "Next turn", "Go to the next turn", "transcript.turn-down"),
    Key("K", "turn(-1)", "Previous turn", "Go to the previous turn", "transcript.turn-up"),
    Key("right_parenthesis", "compaction(1)", "Compaction", "Go to the next compaction", "transcript.compaction",
        synonyms="context summary", beside=True),
    Key("left_parenthesis", "compaction(-1)", "Previous compaction",
        "Go to the previous compaction", "transcript.compaction-up", beside=True),
    Key("S", "subagent", "Subagent",
        "Go from a call to its subagent's session, back to the call, or to the next such call",
        "transcript.subagent", beside=True, spare=6),
    Key("f,ctrl+f", "find", "Find", "Find in this session", "transcript.find", synonyms="search grep text", show=True),
    Key("n", "match(1)", "Match", "Go to the next passage or match", "transcript.match-down",
        synonyms="hit result", beside=True, spare=5),
    Key("N", "match(-1)", "Previous match", "Go to the previous passage or match", "transcript.match-up",
        synonyms="hit result", beside=True),
    Key("t", "tools", "Tools", "Show tools on one line, in short or in full", "transcript.tools",
        synonyms="fold unfold calls results output expand collapse", show=True, beside=True),
    Key("T", "thinking", "Thinking", "Hide thinking, or show it on one line or in full", "transcript.thinking",
        synonyms="reasoning fold unfold expand collapse", beside=True),
    Key("m", "minimap", "Minimap", "Show or hide the marks in the scroll bar", "transcript.minimap", beside=True),
    Key("y", "copy", "Copy", "Copy the turn", "transcript.copy", synonyms="clipboard yank text"),
)  # fmt: skip

KEYS_BESIDE: Final[list[Key]] = [
    replace(key, action=f"in_transcript({key.action!r})", show=False, needs_turn=True) for key in KEYS if key.beside
]
"""The keys of the transcript that work from the list beside it, for the action `in_transcript` of the screen."""
