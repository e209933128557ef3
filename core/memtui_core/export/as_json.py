"""Sessions and turns as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memtui_core.export.contents import EVERYTHING, Contents
from memtui_core.model import Block, Session, Turn
from memtui_core.text.json_text import json_text

_SESSION_FIELDS = (
    "session_id",
    "agent",
    "project",
    "root",
    "worktree",
    "machine",
    "branch",
    "version",
    "models",
    "title",
    "agent_title",
    "pinned",
    "archived",
    "tags",
    "notes",
    "started_at",
    "ended_at",
    "turns",
    "tool_calls",
    "input_tokens",
    "output_tokens",
    "compactions",
    "forked_from",
)
_BLOCK_FIELDS = ("kind", "line", "text", "tool", "tool_id", "is_error", "at")


def as_json(session: Session, turns: Sequence[Turn], contents: Contents = EVERYTHING) -> str:
    """A JSON object with `session`, and `turns` with the fields of `turn_object`; times are ISO 8601 in UTC.

    Of `contents`, thinking and tools count: those blocks are left out; the counts and the line of each tool call stay.
    """
    objects = turn_objects(session, turns, thinking=contents.thinking, tools=contents.tools)
    return json_text({"session": session_object(session), "turns": objects})


def session_object(session: Session) -> dict[str, Any]:
    """The metadata of a session."""
    return {name: getattr(session, name) for name in _SESSION_FIELDS}


def turn_objects(session: Session, turns: Sequence[Turn], *, thinking: bool, tools: bool) -> list[dict[str, Any]]:
    """Turns with their blocks; thinking and tool calls can be left out."""
    if thinking and tools:
        # The most frequent case imports nothing that interprets calls.
        return [turn_object(session, turn, turn.blocks) for turn in turns]
    from memtui_core.export.turn_parts import selected_blocks

    return [turn_object(session, turn, selected_blocks(turn, thinking=thinking, tools=tools)) for turn in turns]


def turn_object(session: Session, turn: Turn, blocks: Sequence[Block]) -> dict[str, Any]:
    """A turn with the given blocks."""
    return {
        "session_id": session.session_id,
        "turn": turn.number,
        "line": turn.line,
        "end_line": turn.end_line,
        "kind": turn.kind,
        "role": turn.role,
        "started_at": turn.started_at,
        "ended_at": turn.ended_at,
        "active_seconds": None if turn.active is None else turn.active.total_seconds(),
        "user": turn.user_text,
        "tools": list(turn.tool_summary),
        "models": list(turn.models),
        "pinned": turn.pinned,
        "tags": list(turn.tags),
        "notes": list(turn.notes),
        "input_tokens": turn.input_tokens,
        "output_tokens": turn.output_tokens,
        "blocks": [{name: getattr(block, name) for name in _BLOCK_FIELDS} for block in blocks],
    }
