"""Convert the events of Copilot CLI that contain something to read."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any, Final

import orjson

from memtui_core.readers.conversion.content import placeholder, result_text
from memtui_core.readers.conversion.json_values import count, items, mapping, string, timestamp
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
)
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message, Usage

_NOTES: Final = {
    "session.error": ("error", "message"),
    "session.warning": ("meta", "message"),
    "session.info": ("meta", "message"),
    "session.task_complete": ("recap", "summary"),
    "subagent.failed": ("error", "error"),
    "system.notification": ("notification", "content"),
}
"""The label of a note, and the field with its text."""


def is_note(kind: str) -> bool:
    """Whether `note_of` converts the events of a type."""
    return kind in _NOTES or kind in {"abort", "skill.invoked"}


def note_of(kind: str, data: Entry, line: int, offset: int, at: datetime | None, uuid: str | None) -> Message | None:
    """The note of an event; None if it has no text."""
    if kind == "abort":
        label, text = "interrupt", f"Interrupted: {string(data.get('reason')) or 'no reason'}"
    elif kind == "skill.invoked":
        name = string(data.get("name"))
        label, text = "meta", f"Skill: {name}" if name else ""
    else:
        label, field = _NOTES[kind]
        text = string(data.get(field)) or ""
    return note(line, offset, text, label, at, is_error=label == "error", uuid=uuid) if text.strip() else None


def user_message(data: Entry, line: int, offset: int, at: datetime | None, uuid: str | None) -> Message | None:
    """A prompt of the user, or a text that a program sent in the name of the user; None if it is empty."""
    text = string(data.get("content")) or ""
    source = string(data.get("source"))
    if source is not None and source != "user":
        text = text or string(data.get("transformedContent")) or ""
        return note(line, offset, text, "reminder", at, uuid=uuid) if text.strip() else None
    message = prompt(line, offset, text, at, uuid=uuid)
    for part in map(mapping, items(data.get("attachments"))):
        media_type, content = string(part.get("mimeType")), string(part.get("data"))
        if media_type or content:
            add_attachment(message, media_type or "image", content)
    return message if message.blocks else None


def assistant_message(
    data: Entry, line: int, offset: int, at: datetime | None, uuid: str | None, model: str | None
) -> Message:
    """An answer without its tool calls."""
    usage = Usage(output=count(data.get("outputTokens")))
    message = answer(
        line,
        offset,
        at,
        uuid=uuid,
        # The parts of one answer have the same number of tokens.
        message_id=string(data.get("apiCallId")) or string(data.get("messageId")),
        model=string(data.get("model")) or model,
        usage=usage if usage.output else None,
    )
    add_thinking(message, string(data.get("reasoningText")) or "")
    add_text(message, string(data.get("content")) or "")
    return message


def add_tool_call(message: Message, name: str | None, arguments: Any, tool_id: str | None) -> None:
    """Add a call; arguments that are written as a text of JSON are decoded."""
    if isinstance(arguments, str) and arguments.lstrip()[:1] == "{":
        with suppress(orjson.JSONDecodeError):
            arguments = orjson.loads(arguments)
    add_call(message, name, arguments, tool_id)


def tool_name(data: Entry) -> str | None:
    """The name of the tool that an event starts; without one, that of the server and its tool."""
    server, tool = string(data.get("mcpServerName")), string(data.get("mcpToolName"))
    return string(data.get("toolName")) or (f"{server}-{tool}" if server and tool else tool or server)


def result_message(data: Entry, line: int, offset: int, at: datetime | None, uuid: str | None) -> Message:
    """The result of a tool call."""
    message = results(line, offset, at, uuid=uuid)
    failed = data.get("success") is False
    result = mapping(data.get("result"))
    text = result_text(result.get("content") or [_image(part) for part in items(result.get("contents"))])
    if failed:
        error = data.get("error")
        reason = string(error) or string(mapping(error).get("message")) or ""
        text = "\n".join(part for part in (text, reason) if part)
    detail = patch_detail(result.get("detailedContent"))
    add_result(message, text, string(data.get("toolCallId")), is_error=failed, detail=detail)
    return message


def tokens_of(data: Entry) -> Usage:
    """The tokens of a session, given the event of its end, without those that the answers tell themselves."""
    total = Usage()
    for metrics in mapping(data.get("modelMetrics")).values():
        usage = mapping(mapping(metrics).get("usage"))
        read, written = count(usage.get("cacheReadTokens")), count(usage.get("cacheWriteTokens"))
        total.input += max(0, count(usage.get("inputTokens")) - read - written)
        total.cache_read += read
        total.cache_write += written
    return total


def time_of(entry: Entry) -> datetime | None:
    """The time of an event."""
    return timestamp(entry.get("timestamp"))


def _image(part: Any) -> Any:
    """A part of a result, with a placeholder for an image."""
    fields = mapping(part)
    return placeholder(string(fields.get("mimeType")) or "image", fields.get("data")) if _is_image(fields) else part


def _is_image(part: Entry) -> bool:
    return part.get("type") == "image"
