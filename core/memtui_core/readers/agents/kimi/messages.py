"""Convert the records of Kimi Code that contain something to read."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from memtui_core.readers.conversion.content import image_in, placeholder, result_text
from memtui_core.readers.conversion.json_values import count, from_json, items, mapping, string
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_call,
    add_note,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
    results,
)
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message, Usage

_LABELS: Final = {
    "background_task": "notification",
    "cron_job": "notification",
    "cron_missed": "notification",
    "hook_result": "meta",
    "injection": "reminder",
    "shell_command": "shell",
    "system_trigger": "notification",
    "task": "notification",
}
"""The kind of the note for each origin of a text that the user did not write."""
_COMMANDS: Final = {
    "plugin_command": ("commandName", "commandArgs"),
    "skill_activation": ("skillName", "skillArgs"),
}
"""The fields with the name and the arguments of a command."""
_MEDIA: Final = {"image_url": "image", "audio_url": "audio", "video_url": "video"}


def text_of(content: Any) -> str:
    """The texts of a content, joined by newlines."""
    if isinstance(content, str):
        return content
    texts = (string(mapping(part).get("text")) for part in items(content) if mapping(part).get("type") == "text")
    return "\n".join(text for text in texts if text)


def input_message(
    content: Any, origin: Entry, line: int, offset: int, at: datetime | None, by_agent: bool
) -> Message | None:
    """The message of a text for the agent, by its origin; None if it is empty or repeats another record."""
    text, kind = text_of(content), string(origin.get("kind")) or "user"
    uuid = f"{kind} {text[:200]}"
    if kind == "compaction_summary":
        return None
    if kind in _COMMANDS and origin.get("trigger") == "user-slash":
        message = prompt(line, offset, _command(kind, origin), at, kind="command", uuid=uuid)
        add_note(message, text, "reminder")
        return message
    is_subagent = kind == "system_trigger" and origin.get("name") == "subagent"
    if kind == "user" or is_subagent:
        message = prompt(line, offset, text, at, kind="agent" if is_subagent or by_agent else "human", uuid=uuid)
        add_media(message, content)
        return message if message.blocks else None
    if kind == "shell_command" and origin.get("phase") == "input":
        text = f"! {text}"
    failed = origin.get("isError") is True
    label = _LABELS.get(kind, "meta")
    return note(line, offset, text, label, at, is_error=failed, uuid=uuid) if text.strip() else None


def part_message(part: Entry, line: int, offset: int, at: datetime | None, **of_message: Any) -> Message:
    """A part of an answer."""
    message = answer(line, offset, at, **of_message)
    kind = part.get("type")
    if kind == "text":
        add_text(message, string(part.get("text")) or "")
    elif kind == "think":
        add_thinking(message, string(part.get("think")) or string(part.get("text")) or "")
    elif string(kind) in _MEDIA:
        add_media(message, [part])
    elif part:
        add_note(message, result_text([part]), "meta")
    return message


def stored_message(body: Entry, line: int, offset: int, at: datetime | None, model: str | None) -> Message | None:
    """An answer or a result that is stored as a whole message; None for other roles."""
    role, content = body.get("role"), body.get("content")
    uuid = f"{string(role)} {text_of(content)[:200]}"
    if role == "assistant":
        message = answer(line, offset, at, uuid=uuid, model=model)
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else map(mapping, items(content)):
            message.blocks += part_message(part, line, offset, at).blocks
        for call in map(mapping, items(body.get("toolCalls"))):
            function = mapping(call.get("function"))
            name, arguments = call.get("name") or function.get("name"), call.get("args") or call.get("arguments")
            add_call(message, string(name), from_json(arguments or function.get("arguments")), string(call.get("id")))
        return message
    if role == "tool":
        message = results(line, offset, at, uuid=uuid)
        add_result(message, result_text(content), string(body.get("toolCallId")), is_error=body.get("isError") is True)
        return message
    return None


def add_tool_call(message: Message, event: Entry) -> None:
    """Add the call of an event."""
    name = string(event.get("name")) or string(event.get("toolName"))
    arguments = event["args"] if "args" in event else event.get("input")
    add_call(message, name, from_json(arguments), string(event.get("toolCallId")))


def result_message(event: Entry, line: int, offset: int, at: datetime | None, uuid: str | None) -> Message:
    """The result of a call."""
    result = mapping(event.get("result"))
    message = results(line, offset, at, uuid=uuid)
    content = result.get("output", event.get("output"))
    if isinstance(content, list):
        content = [media_text(mapping(part)) or part for part in content]
    failed = result.get("isError") is True
    add_result(message, result_text(content), string(event.get("toolCallId")), is_error=failed)
    return message


def usage_of(value: Any) -> Usage:
    """The tokens of a request."""
    fields = mapping(value)
    return Usage(
        count(fields.get("inputOther")) or count(fields.get("input_tokens")),
        count(fields.get("output")) or count(fields.get("output_tokens")),
        count(fields.get("inputCacheRead")),
        count(fields.get("inputCacheCreation")),
    )


def _command(kind: str, origin: Entry) -> str:
    name, arguments = (string(origin.get(field)) or "" for field in _COMMANDS[kind])
    return f"/{name} {arguments}".rstrip()


def add_media(message: Message, content: Any) -> None:
    """Add the images, sounds and videos of a content."""
    for part in map(mapping, items(content)):
        if media := _MEDIA.get(string(part.get("type")) or ""):
            add_attachment(message, *_type_and_data(part, media))


def media_text(part: Entry) -> str:
    """The placeholder for an image in a result; empty for other parts."""
    media = _MEDIA.get(string(part.get("type")) or "")
    return placeholder(*_type_and_data(part, media)) if media else ""


def _type_and_data(part: Entry, media: str) -> tuple[str, str | None]:
    """The media type and the data of an address like `data:image/png;base64,...`."""
    value = part.get(f"{media}Url") or part.get(f"{media}_url")
    return image_in(string(value) or mapping(value).get("url"), media)
