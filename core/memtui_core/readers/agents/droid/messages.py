"""Convert the messages of Factory Droid, whose parts are those of the Anthropic API."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from memtui_core.readers.conversion.content import attachment, result_text
from memtui_core.readers.conversion.json_values import items, mapping, string
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
from memtui_core.readers.conversion.user_text import classify
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message

_MEDIA: Final = frozenset({"image", "document"})


def user_message(
    body: Entry, line: int, offset: int, at: datetime | None, uuid: str | None, by_agent: bool
) -> Message | None:
    """A prompt, results, or a text of a program; None if it is empty. `by_agent` is whether an agent wrote it."""
    parts = parts_of(body.get("content"))
    texts = [text for part in parts if part.get("type") == "text" and (text := string(part.get("text")))]
    answers = [part for part in parts if part.get("type") == "tool_result"]
    if body.get("visibility") == "llm_only":
        text = "\n\n".join(texts)
        return note(line, offset, text, "reminder", at, uuid=uuid) if text.strip() else None
    said = [classify(text) for text in texts]
    typed = "\n\n".join(one.text for one in said if one.kind != "note")
    media = [part for part in parts if string(part.get("type")) in _MEDIA]
    if typed.strip() or (media and not answers):
        message = prompt(line, offset, typed, at, kind="agent" if by_agent else "human", uuid=uuid)
    elif answers:
        message = results(line, offset, at, uuid=uuid)
    else:
        message = note(line, offset, "", "meta", at, uuid=uuid)
    for part in answers:
        _add_result(message, part)
    for one in said:
        for aside in one.asides if one.kind != "note" else (one.text,):
            add_note(message, aside, one.label or "reminder")
    for part in media:
        source = mapping(part.get("source"))
        add_attachment(message, string(source.get("media_type")) or str(part["type"]), source.get("data"))
    return message if message.blocks else None


def assistant_message(
    body: Entry, line: int, offset: int, at: datetime | None, uuid: str | None, model: str | None
) -> Message | None:
    """An answer; None if it is empty."""
    message = answer(line, offset, at, uuid=uuid, model=string(body.get("model")) or model)
    for part in parts_of(body.get("content")):
        kind = string(part.get("type"))
        if kind == "text":
            add_text(message, string(part.get("text")) or "")
        elif kind == "thinking":
            add_thinking(message, string(part.get("thinking")) or string(part.get("text")) or "")
        elif kind == "tool_use":
            add_call(message, string(part.get("name")), part.get("input"), string(part.get("id")))
        elif kind == "tool_result":
            _add_result(message, part)
        elif kind in _MEDIA:
            add_note(message, attachment(part), "meta")
        elif kind != "redacted_thinking" and part:
            add_note(message, result_text([part]), "meta")
    return message if message.blocks else None


def parts_of(content: Any) -> list[Entry]:
    """The parts of a content, which can be a text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [{"type": "text", "text": part} if isinstance(part, str) else mapping(part) for part in items(content)]


def _add_result(message: Message, part: Entry) -> None:
    text, tool_id = result_text(part.get("content")), string(part.get("tool_use_id"))
    add_result(message, text, tool_id, is_error=part.get("is_error") is True)
