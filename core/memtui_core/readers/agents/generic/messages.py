"""Convert messages with a role and a content; calls of tools as the APIs of OpenAI and Anthropic write them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import orjson

from memtui_core.readers.conversion.anthropic_parts import add_media, add_returned, add_said
from memtui_core.readers.conversion.content import result_text, unknown_entry
from memtui_core.readers.conversion.json_values import epoch_seconds, items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_call,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
    results,
)
from memtui_core.readers.formats.conversations import Conversation, id_in_file
from memtui_core.readers.formats.document import content_of
from memtui_core.readers.formats.jsonl import decode, json_content
from memtui_core.readers.records import BadLine, Message, Record

_TIMES: Final = ("timestamp", "created_at", "time", "date", "ts", "created")
_UNIQUE: Final = 16
"""Characters from which on an id counts as unique everywhere."""


def conversations(path: Path) -> list[Conversation]:
    """The conversations of a file: one, or one for each object with `messages`. Raises SourceUnreadable."""
    content = content_of(path)
    try:
        value = json_content(content)
        entries = value if isinstance(value, list) else [value]
    except ValueError:
        entries = list(_lines(content))
    if entries and all(isinstance(mapping(entry).get("messages"), list) for entry in entries):
        return [_conversation(path, mapping(entry), place) for place, entry in enumerate(entries, 1)]
    return [Conversation(id_in_file(path, path.stem), entries)]


def _lines(content: bytes) -> Iterator[Any]:
    for number, line in enumerate(content.split(b"\n")):
        entries, reason = decode(line) if line.strip() else ([], None)
        yield from entries
        if reason:
            yield BadLine(number, reason)


def _conversation(path: Path, value: dict[str, Any], place: int) -> Conversation:
    own_id = next((text for name in ("id", "session_id", "uuid") if (text := string(value.get(name)))), None)
    title = string(value.get("title")) or string(value.get("name")) or ""
    number = id_in_file(path, own_id or f"{path.stem}-{place}")
    if own_id is not None and len(own_id) >= _UNIQUE:
        number = own_id.replace("#", "-")
    return Conversation(number, items(value.get("messages")), title, cwd=string(value.get("cwd")) or "")


def records(entry: Any, line: int) -> Iterator[Record]:
    """The records of a message."""
    entry = mapping(entry)
    role, at = entry.get("role"), _time(entry)
    own_id = string(entry.get("id")) or ""
    # An id that is unique in its file only would be taken for the same entry in another file.
    number = own_id if len(own_id) >= _UNIQUE else None
    content = entry.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []
    if role in ("user", "human"):
        yield from _user(parts, line, at, number)
    elif role in ("assistant", "ai", "model"):
        message = answer(line, line, at, uuid=number, message_id=number, model=string(entry.get("model")))
        add_thinking(message, string(entry.get("reasoning_content")) or string(entry.get("reasoning")) or "")
        for part in parts:
            _add_part(message, part)
        for call in items(entry.get("tool_calls")):
            _add_function(message, mapping(call))
        if message.blocks:
            yield message
    elif role in ("tool", "function"):
        message = results(line, line, at, uuid=number)
        add_result(message, result_text(content), string(entry.get("tool_call_id")) or string(entry.get("name")))
        yield message
    elif role in ("system", "developer"):
        yield note(line, line, result_text(content), "meta", at, uuid=number)
    else:
        yield unknown_entry(entry, line, role)


def _user(parts: list[Any], line: int, at: datetime | None, number: str | None) -> Iterator[Message]:
    """A prompt, and before it the tool results that are in the same message."""
    found = [part for part in parts if mapping(part).get("type") == "tool_result"]
    if found:
        message = results(line, line, at)
        for part in found:
            add_returned(message, part)
        yield message
    texts = [part if isinstance(part, str) else string(mapping(part).get("text")) or "" for part in parts]
    pictures = [mapping(part) for part in parts if string(mapping(part).get("type")) in _PICTURES]
    if any(text.strip() for text in texts) or pictures:
        message = prompt(line, line, "\n\n".join(text for text in texts if text), at, uuid=number)
        for picture in pictures:
            add_media(message, picture)
        yield message


_PICTURES: Final = frozenset({"image", "image_url", "input_image", "document", "file"})


def _add_part(message: Message, part: Any) -> None:
    if isinstance(part, str):
        add_text(message, part)
    elif not add_said(message, mapping(part)):
        add_text(message, string(mapping(part).get("text")) or "")


def _add_function(message: Message, call: dict[str, Any]) -> None:
    """Add a call as OpenAI writes it; its arguments are a text of JSON."""
    function = mapping(call.get("function"))
    text = function.get("arguments")
    try:
        arguments = orjson.loads(text) if isinstance(text, str) else text
    except orjson.JSONDecodeError:
        arguments = {"input": text}
    name = string(function.get("name"))
    add_call(message, name, arguments, string(call.get("id")) or name)


def _time(entry: dict[str, Any]) -> datetime | None:
    value = next((entry[name] for name in _TIMES if name in entry), None)
    return epoch_seconds(value) or timestamp(value)
