"""The parts of a turn, which each document format renders in its own way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memtui_core.export import labels
from memtui_core.export.contents import Contents
from memtui_core.export.tool_calls import ToolCallPart, tool_call_part
from memtui_core.model import Block, Session, Turn
from memtui_core.text.controls import plain
from memtui_core.text.machine_folders import own_folders
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import calls_by_seq

TextKind = Literal["said", "prompt", "summary", "answer", "error", "thinking", "note", "image"]
_CALLS = frozenset({"tool_call", "tool_result"})
_BY_AGENT = _CALLS | {"text", "thinking"}
_AGENT_ONLY_NOTES = frozenset({"meta", "reminder"})
"""Notes that only the agent saw: they are left out with the tool calls."""


@dataclass(frozen=True, slots=True)
class SpeakerHeading:
    """The name of who speaks from here on within a turn, with facts about it."""

    name: str
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextPart:
    """A text without control characters and without blank lines at its ends."""

    kind: TextKind
    """said: by the user, shown as it was typed; prompt: by a parent agent, Markdown; summary: of a compaction,
    Markdown; answer: by the agent, Markdown; thinking: Markdown; error, note and image: by the agent's program."""
    text: str
    label: str = ""
    """The kind of a note: command, interrupt, shell, recap, notification, reminder, meta or error."""

    @property
    def lines(self) -> int:
        """The number of lines."""
        return self.text.count("\n") + 1

    @property
    def folded_title(self) -> str:
        """The line that is shown of a text that is folded: `Thinking (12 lines)`."""
        name = {"thinking": "Thinking", "summary": "What was said before, summed up"}.get(self.kind, self.label)
        return f"{name} ({labels.counted(self.lines, 'line')})"


TurnPart = SpeakerHeading | TextPart | ToolCallPart


def selected_blocks(turn: Turn, *, thinking: bool, tools: bool) -> list[Block]:
    """The blocks to export; without `tools` neither tool calls nor notes that only the agent saw."""
    return [
        block
        for block in turn.blocks
        if (thinking or block.kind != "thinking") and (tools or not _is_tool_block(block))
    ]


def turn_parts(session: Session, turn: Turn, contents: Contents) -> Iterator[TurnPart]:
    """The parts of a turn to export, in file order; a tool call has its result with it.

    The heading of a turn names who started it, so its first text has no heading of its own.
    """
    blocks = selected_blocks(turn, thinking=contents.thinking, tools=contents.tools)
    calls = calls_by_seq(blocks)
    speaker = "agent" if turn.kind == "opening" else "nobody"
    facts = tuple(labels.answer_facts(turn))
    if turn.user_text and not any(block.kind == "user" for block in blocks):
        yield _opening_text(turn, turn.user_text)
    for block in blocks:
        call = calls.get(block.seq)
        if call is None and block.kind in _CALLS:
            continue
        if block.kind == "user":
            if speaker != "nobody":
                yield SpeakerHeading("You", (labels.local_time(block.at),) if block.at else ())
            yield _opening_text(turn, block.text) if speaker == "nobody" else TextPart("said", _body(block.text))
            speaker = "user"
        else:
            if block.kind in _BY_AGENT and speaker != "agent":
                yield SpeakerHeading(labels.agent_name(session), facts)
                speaker, facts = "agent", ()
            yield from _other_part(block, call, own_folders(session.root, session.worktree)[0], contents)


def _other_part(block: Block, call: ToolCall | None, root: str, contents: Contents) -> Iterator[TurnPart]:
    if call is not None:
        yield tool_call_part(call, root).limited_to(contents)
    elif block.text.strip():
        yield TextPart(_kind(block), _body(block.text), (block.tool or "note") if block.kind == "note" else "")


def _kind(block: Block) -> TextKind:
    if block.kind == "thinking" or block.kind == "note" or block.kind == "image":
        return block.kind
    return "error" if block.is_error else "answer"


def _is_tool_block(block: Block) -> bool:
    return block.kind in _CALLS or (block.kind == "note" and block.tool in _AGENT_ONLY_NOTES)


def _opening_text(turn: Turn, text: str) -> TextPart:
    if turn.kind == "compaction":
        return TextPart("summary", _body(text))
    return TextPart("prompt" if turn.kind == "agent" else "said", _body(text))


def _body(text: str) -> str:
    return plain(text).strip("\n")
