"""Convert the messages of the editor, which Cursor calls bubbles.

One is a prompt, or a text, thinking or a call with its result of the assistant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as field_of
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.cursor.edit_diffs import content_names, hunks_in, hunks_of_result
from memtui_core.readers.agents.cursor.user_text import split
from memtui_core.readers.conversion.content import json_text, unknown_entry
from memtui_core.readers.conversion.json_values import count, epoch, items, mapping, object_from, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_call,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
    results,
    tokens_in,
    with_notes,
)
from memtui_core.readers.records import AgentCall, Message, Record

_USER, _ASSISTANT = 1, 2
_RUNNING: Final = frozenset({"loading", "pending", "running"})
_FAILED: Final = frozenset({"error", "cancelled", "rejected"})
_OUTPUTS: Final = ("output", "contents", "content", "text", "message")
"""The fields of a result with its text."""
_MESSAGES: Final = ("modelVisibleErrorMessage", "clientVisibleErrorMessage", "message")
_NUMBERED_TOOLS: Final = {1: "read_file", 5: "read_file", 7: "edit_file", 15: "run_terminal_cmd"}
"""The names of tools in versions that wrote only a number."""


@dataclass(slots=True)
class ChatContext:
    """What the messages of a chat do not say themselves."""

    model: str | None = None
    is_subagent: bool = False
    at: datetime | None = None
    """The time of the message, or of the last one before it that has a time; at first when the chat began."""
    contents: Mapping[str, str] = field_of(default_factory=dict)
    """The contents of files before and after edits, by their names."""


def bubble_records(bubble: dict[str, Any], line: int, key: str, chat: ChatContext) -> Iterator[Record]:
    """The records of a message."""
    kind = bubble.get("type")
    if kind == _USER:
        yield from _user_records(bubble, line, key, chat)
    elif kind == _ASSISTANT:
        yield from _assistant_records(bubble, line, key, chat)
    else:
        yield unknown_entry(bubble, line, "bubble")


def time_of(entry: dict[str, Any]) -> datetime | None:
    """When a message was written or a chat began; None if it does not say so."""
    times = (entry.get("createdAt"), entry.get("timestamp"), mapping(entry.get("timingInfo")).get("clientStartTime"))
    return next((at for value in times if (at := _time(value)) is not None), None)


def named_contents(bubbles: Iterable[Any]) -> set[str]:
    """The names of the contents before and after the edits of messages."""
    tools = (mapping(mapping(bubble).get("toolFormerData")) for bubble in bubbles)
    return {name for tool in tools for name in content_names(object_from(tool.get("result"))) if name}


def _user_records(bubble: dict[str, Any], line: int, key: str, chat: ChatContext) -> Iterator[Record]:
    at = chat.at
    text = split(string(bubble.get("text")) or string(bubble.get("rawText")) or "")
    if bubble.get("isSimulatedMsg") is True:
        message = note(line, line, text.typed, "meta", at, uuid=key)
    else:
        message = prompt(line, line, text.typed, at, kind="agent" if chat.is_subagent else "human", uuid=key)
        for image in map(mapping, items(bubble.get("images"))):
            add_attachment(message, string(image.get("mimeType")) or "", image.get("data"))
    yield from with_notes(message, [(text.added, "reminder")])


def _assistant_records(bubble: dict[str, Any], line: int, key: str, chat: ChatContext) -> Iterator[Record]:
    at = chat.at
    own_model = string(mapping(bubble.get("modelInfo")).get("modelName"))
    usage = tokens_in(bubble.get("tokenCount"), ("inputTokens", "outputTokens"))
    message = answer(line, line, at, uuid=key, message_id=key, model=own_model or chat.model, usage=usage)
    add_thinking(message, string(mapping(bubble.get("thinking")).get("text")) or "")
    add_text(message, string(bubble.get("text")) or "")
    tool = mapping(bubble.get("toolFormerData"))
    returned = results(line, line, _time(bubble.get("completedAtMs")) or at, uuid=f"{key}/results")
    # A message that failed has a call without content.
    if tool.keys() - {"additionalData", "status"}:
        _add_call(message, returned, tool, key, chat.contents)
    if message.blocks or message.usage:
        yield message
    if returned.blocks:
        yield returned


def _add_call(message: Message, returned: Message, tool: dict[str, Any], key: str, contents: Mapping[str, str]) -> None:
    number = tool.get("tool")
    name = string(tool.get("name")) or string(number) or _NUMBERED_TOOLS.get(count(number)) or "tool"
    call_id = string(tool.get("toolCallId")) or key
    params, given = object_from(tool.get("params")), object_from(tool.get("rawArgs"))
    add_call(message, name, given or params or tool.get("rawArgs") or tool.get("params"), call_id)
    more = mapping(tool.get("additionalData"))
    child = string(more.get("subagentComposerId")) or string(object_from(tool.get("result")).get("agentId"))
    if child:
        agent_type = string(params.get("subagentType")) or string(given.get("subagent_type"))
        texts = [string(params.get(field)) or string(given.get(field)) for field in ("description", "prompt")]
        message.agent_calls.append(AgentCall(call_id, child, agent_type, *texts))
    status = string(tool.get("status")) or ""
    text, has_error = _result(tool)
    if text or (status and status not in _RUNNING):
        hunks = hunks_in(more.get("precomputedDiff")) or hunks_of_result(object_from(tool.get("result")), contents)
        detail = {"patch": hunks} if hunks else None
        add_result(returned, text, call_id, is_error=has_error or status in _FAILED, detail=detail)


def _result(tool: dict[str, Any]) -> tuple[str, bool]:
    """The text of a result, and whether it is an error."""
    if error := tool.get("error"):
        fields = object_from(error)
        shown = next((text for field in _MESSAGES if (text := string(fields.get(field)))), None)
        return shown or (error if isinstance(error, str) else json_text(error)), True
    result = tool.get("result")
    fields = object_from(result)
    for field in _OUTPUTS:
        if text := string(fields.get(field)):
            code = fields.get("exitCode", fields.get("exitCodeV2"))
            return (f"Exit code: {code}\n{text}" if isinstance(code, int) and code else text), False
    if isinstance(result, str):
        return result, False
    return (json_text(result) if result else ""), False


def _time(value: Any) -> datetime | None:
    at = timestamp(value) or epoch(value)
    # Some versions measured from the start of the editor.
    return at if at is not None and at.year > 2000 else None
