"""The keys of the transcript."""

from __future__ import annotations

from textual.binding import Binding, BindingType

KEYS: list[BindingType] = [
    Binding("j,down", "scroll(1)", "Down", tooltip="A line down", show=False, id="transcript.down"),
    Binding("k,up", "scroll(-1)", "Up", tooltip="A line up", show=False, id="transcript.up"),
    Binding("ctrl+d", "half(1)", "Half down", tooltip="Half a page down", show=False, id="transcript.half-down"),
    Binding("ctrl+u", "half(-1)", "Half up", tooltip="Half a page up", show=False, id="transcript.half-up"),
    Binding("pagedown,space", "page(1)", "Page down", tooltip="A page down", show=False, id="transcript.page-down"),
    Binding("pageup", "page(-1)", "Page up", tooltip="A page up", show=False, id="transcript.page-up"),
    Binding("g,home", "top", "Top", tooltip="To the first turn", show=False, id="transcript.top"),
    Binding("G,end", "bottom", "End", tooltip="To the last line", show=False, id="transcript.bottom"),
    Binding(
        "left_square_bracket", "human(-1)", "Prompts", tooltip="To your previous prompt", id="transcript.prompt-up"
    ),
    Binding(
        "right_square_bracket",
        "human(1)",
        "Next prompt",
        tooltip="To your next prompt",
        show=False,
        id="transcript.prompt-down",
    ),
    Binding(
        "right_curly_bracket",
        "edit(1)",
        "Next edit",
        tooltip="To the next edit",
        show=False,
        id="transcript.edit-down",
    ),
    Binding(
        "left_curly_bracket",
        "edit(-1)",
        "Previous edit",
        tooltip="To the previous edit",
        show=False,
        id="transcript.edit-up",
    ),
    Binding(
        "enter,v",
        "view_call",
        "View",
        tooltip="The visible tool call on the whole screen",
        show=False,
        id="transcript.view",
    ),
    Binding("o", "edit_file", "Editor", tooltip="The visible file in your editor", show=False, id="transcript.edit"),
    Binding("J", "turn(1)", "Next turn", tooltip="To the next turn", show=False, id="transcript.turn-down"),
    Binding("K", "turn(-1)", "Previous turn", tooltip="To the previous turn", show=False, id="transcript.turn-up"),
    Binding(
        "c", "compaction(1)", "Compaction", tooltip="To the next compaction", show=False, id="transcript.compaction"
    ),
    Binding(
        "C",
        "compaction(-1)",
        "Previous compaction",
        tooltip="To the previous compaction",
        show=False,
        id="transcript.compaction-up",
    ),
    Binding("f,ctrl+f", "find", "Find", tooltip="Find in this session", id="transcript.find"),
    Binding("n", "match(1)", "Match", tooltip="To the next passage or match", show=False, id="transcript.match-down"),
    Binding(
        "N",
        "match(-1)",
        "Previous match",
        tooltip="To the previous passage or match",
        show=False,
        id="transcript.match-up",
    ),
    Binding("t", "tools", "Tools", tooltip="Tools: on a line, in short, in full", id="transcript.tools"),
    Binding(
        "T", "thinking", "Thinking", tooltip="Thinking: hidden, a line, in full", show=False, id="transcript.thinking"
    ),
    Binding("y", "copy", "Copy", tooltip="Copy the turn", show=False, id="transcript.copy"),
]
