"""A message of Brook to the record that all agents share."""

from __future__ import annotations

from typing import Any

from memtui_core.model import Block
from memtui_core.readers.json_values import mapping, string, timestamp
from memtui_core.readers.records import AgentCall, BadLine, Message


def message_of(value: Any, session: str, line: int, offset: int) -> Message | BadLine:
    """The record of `{"role", "text", "at", "started"}`: `started` is the session of a subagent."""
    role, text = string(mapping(value).get("role")), string(mapping(value).get("text"))
    if role not in ("person", "agent") or text is None:
        return BadLine(line, "no message")
    at = timestamp(value.get("at"))
    if role == "person":
        message = Message(line, offset, "human", "user", [Block(0, line, "user", text, at=at)], at=at)
    else:
        message = Message(line, offset, "assistant", "assistant", [Block(0, line, "text", text, at=at)], at=at)
    message.uuid = f"{session}/{line}"
    if started := string(value.get("started")):
        message.agent_calls.append(AgentCall(message.uuid, started, "helper"))
    return message
