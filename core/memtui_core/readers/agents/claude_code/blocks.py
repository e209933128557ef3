"""Convert the content blocks of Claude Code messages to blocks of the model."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memtui_core.model import Block
from memtui_core.readers.conversion.content import json_text, result_text
from memtui_core.readers.conversion.json_values import string
from memtui_core.readers.records import AgentCall
from memtui_core.text.redaction import redact

TOOL_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
AGENT_TOOLS = frozenset({"Task", "Agent"})
_DETAIL = ("agentId", "agentType", "status", "totalTokens", "totalDurationMs", "totalToolUseCount", "isAsync")


def assistant_block(item: Any, line: int, at: datetime | None, failed: bool) -> Block | None:
    """A block of an assistant's message; None if it has no text, such as a signature without thinking."""
    if isinstance(item, str):
        return Block(0, line, "text", redact(item), is_error=failed, at=at) if item.strip() else None
    if not isinstance(item, dict):
        return None
    kind = string(item.get("type"))
    if kind == "text":
        text = string(item.get("text"))
        return Block(0, line, "text", redact(text), is_error=failed, at=at) if text else None
    if kind == "thinking":
        text = string(item.get("thinking")) or ""
        return Block(0, line, "thinking", redact(text), at=at) if text.strip() else None
    if kind in TOOL_CALLS:
        return Block(
            0, line, "tool_call", json_text(item.get("input")), string(item.get("name")), string(item.get("id")), at=at
        )
    if kind is not None and kind.endswith("_tool_result"):
        return result_block(item, None, line, at)
    return None


def result_block(item: dict[str, Any], result: Any, line: int, at: datetime | None) -> Block:
    """A tool result; of `result`, the entry's `toolUseResult`, only fields that are not in the text are kept."""
    return Block(
        0,
        line,
        "tool_result",
        redact(result_text(item.get("content"))),
        None,
        string(item.get("tool_use_id")),
        item.get("is_error") is True,
        at,
        _detail(result),
    )


def agent_call(item: dict[str, Any]) -> AgentCall | None:
    """The subagent that a Task or Agent call starts."""
    call_id, arguments = string(item.get("id")), item.get("input")
    if string(item.get("name")) not in AGENT_TOOLS or call_id is None or not isinstance(arguments, dict):
        return None
    return AgentCall(
        call_id,
        None,
        string(arguments.get("subagent_type")),
        string(arguments.get("description")),
        string(arguments.get("prompt")),
    )


def _detail(result: Any) -> str | None:
    if not isinstance(result, dict):
        return None
    kept = {key: result[key] for key in _DETAIL if result.get(key) is not None} if "agentId" in result else {}
    if patch := result.get("structuredPatch"):
        kept["patch"] = patch
    return json_text(kept) if kept else None
