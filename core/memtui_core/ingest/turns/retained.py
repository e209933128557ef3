"""What is stored of a turn of which not everything is kept.

| what | `text` | `titles` |
|---|---|---|
| session: title, project, branch, times, models, tokens, pull requests | kept | kept |
| turn: number, kind, times, models, tokens, numbers of calls and errors | kept | kept |
| prompt, answer, summary of a compaction | kept | dropped |
| a command of the user, an interruption, an error of the agent's program | kept | dropped |
| call: the name of the tool and whether it failed | kept | kept |
| call: its line, its paths, the beginning of its command, its exit code | kept | dropped |
| call: everything else of its input; its result; a patch | dropped | dropped |
| thinking, all other notes, entries of unknown kinds | dropped | dropped |
| file mentions | kept | dropped |

A block of which something was dropped stays, with the level in its detail: its entry has an owner, and it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from memtui_core.model import KEPT, Block, Retention
from memtui_core.tools.call import object_of
from memtui_core.tools.summary import BASH_LENGTH, cut, first_line
from memtui_core.tools.turn_text import tool_of_line
from memtui_core.tools.vocabulary import vocabulary

_TEXTS: Final = frozenset({"user", "text", "image"})
KEPT_NOTES: Final = frozenset({"command", "interrupt", "error"})
"""The kinds of notes that stay at the level `text`."""
_DETAILS: Final = ("exit", "agentId")
"""What stays of the detail of a call at the level `text`."""
_WORDS: Final = ("pattern", "query", "description")
"""The arguments besides paths and commands that are in the line of a call."""


def retained_blocks(blocks: Sequence[Block], level: Retention) -> list[Block]:
    """The blocks as they are stored at a level."""
    return list(blocks) if level == "full" else [_retained(block, level) for block in blocks]


def retained_prompt(text: str, level: Retention) -> str:
    """The text of a prompt as it is stored at a level."""
    return "" if level == "titles" else text


def retained_lines(lines: Sequence[str], level: Retention) -> list[str]:
    """The lines of the calls of a turn as they are stored at a level."""
    return [tool_of_line(line) for line in lines] if level == "titles" else list(lines)


def _retained(block: Block, level: Retention) -> Block:
    detail: dict[str, Any] = {KEPT: level}
    if level == "text":
        if block.kind in _TEXTS or (block.kind == "note" and block.tool in KEPT_NOTES):
            return block
        detail |= {name: value for name, value in object_of(block.detail).items() if name in _DETAILS}
        if block.kind == "tool_call":
            return replace(block, text=_input_line(block.text), detail=orjson.dumps(detail).decode())
    if not block.text and block.detail is None:
        return block
    return replace(block, text="", detail=orjson.dumps(detail).decode())


def _input_line(text: str) -> str:
    """What the line of a call needs of its input, as JSON; empty if that is nothing."""
    names = vocabulary().names
    kept: dict[str, str] = {}
    for name, value in object_of(text).items():
        if isinstance(value, str) and name in names.paths:
            kept[name] = first_line(value)
        elif isinstance(value, str) and (name in names.commands or name in _WORDS):
            kept[name] = cut(first_line(value), BASH_LENGTH)
    return orjson.dumps(kept).decode() if kept else ""
