"""A message of Brook to the record that all agents share."""

from __future__ import annotations

from typing import Any

from memtui_core.readers.conversion.json_values import mapping, string, timestamp
from memtui_core.readers.conversion.messages import add_call, add_result, add_text, answer, prompt
from memtui_core.readers.records import AgentCall, BadLine, Message


def message_of(value: Any, session: str, line: int, offset: int) -> Message | BadLine:
    """The record of `{"role", "text", "at", "started", "call"}`.

    `started` is the session of a subagent, `call` is `{"tool", "input", "result"}`.
    """
    role, text = string(mapping(value).get("role")), string(mapping(value).get("text"))
    if role not in ("person", "agent") or text is None:
        return BadLine(line, "no message")
    at, uuid = timestamp(value.get("at")), f"{session}/{line}"
    if role == "person":
        return prompt(line, offset, text, at, uuid=uuid)
    message = answer(line, offset, at, uuid=uuid)
    add_text(message, text)
    if call := mapping(value.get("call")):
        add_call(message, string(call.get("tool")), call.get("input"), uuid)
        add_result(message, string(call.get("result")) or "", uuid)
    if started := string(value.get("started")):
        message.agent_calls.append(AgentCall(uuid, started, "helper"))
    return message
