"""Convert the messages of Factory Droid, whose parts are those of the Anthropic API."""

from __future__ import annotations

from datetime import datetime

from memtui_core.readers.conversion.anthropic_parts import MEDIA, add_media, add_returned, add_said, parts_of, texts_of
from memtui_core.readers.conversion.content import attachment, result_text
from memtui_core.readers.conversion.json_values import string
from memtui_core.readers.conversion.messages import (
    add_note,
    answer,
    note,
    prompt,
    results,
)
from memtui_core.readers.conversion.user_text import classify
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message


def user_message(
    body: Entry, line: int, offset: int, at: datetime | None, uuid: str | None, by_agent: bool
) -> Message | None:
    """A prompt, results, or a text of a program; None if it is empty. `by_agent` is whether an agent wrote it."""
    parts = parts_of(body.get("content"))
    texts = texts_of(parts)
    answers = [part for part in parts if part.get("type") == "tool_result"]
    if body.get("visibility") == "llm_only":
        text = "\n\n".join(texts)
        return note(line, offset, text, "reminder", at, uuid=uuid) if text.strip() else None
    said = [classify(text) for text in texts]
    typed = "\n\n".join(one.text for one in said if one.kind != "note")
    media = [part for part in parts if string(part.get("type")) in MEDIA]
    if typed.strip() or (media and not answers):
        message = prompt(line, offset, typed, at, kind="agent" if by_agent else "human", uuid=uuid)
    elif answers:
        message = results(line, offset, at, uuid=uuid)
    else:
        message = note(line, offset, "", "meta", at, uuid=uuid)
    for part in answers:
        add_returned(message, part)
    for one in said:
        for aside in one.asides if one.kind != "note" else (one.text,):
            add_note(message, aside, one.label or "reminder")
    for part in media:
        add_media(message, part)
    return message if message.blocks else None


def assistant_message(
    body: Entry, line: int, offset: int, at: datetime | None, uuid: str | None, model: str | None
) -> Message | None:
    """An answer; None if it is empty."""
    message = answer(line, offset, at, uuid=uuid, model=string(body.get("model")) or model)
    for part in parts_of(body.get("content")):
        kind = string(part.get("type"))
        if add_said(message, part):
            continue
        if kind == "tool_result":
            add_returned(message, part)
        elif kind in MEDIA:
            add_note(message, attachment(part), "meta")
        elif kind != "redacted_thinking" and part:
            add_note(message, result_text([part]), "meta")
    return message if message.blocks else None
