"""Convert the conversations of Claude.ai: `chat_messages` with a sender and typed contents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui_core.readers.agents.chat_exports import archive
from memtui_core.readers.base import is_part
from memtui_core.readers.conversion.anthropic_parts import add_returned, add_said, texts_of
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_note,
    add_text,
    answer,
    prompt,
)
from memtui_core.readers.formats.conversations import Conversation
from memtui_core.readers.records import Message, Record

_WITHOUT_TEXT = frozenset({"token_budget", "flag"})


def conversations(path: Path) -> list[Conversation]:
    """The conversations of an export. Raises SourceUnreadable."""
    return archive.conversations(path, _conversation)


def _conversation(value: dict[str, Any], spare_id: str) -> Conversation:
    """A conversation."""
    own_id = value.get("uuid")
    number = own_id if is_part(own_id) else spare_id
    name, updated = string(value.get("name")) or "", timestamp(value.get("updated_at"))
    return Conversation(number, items(value.get("chat_messages")), name, updated)


def records(entry: Any, line: int) -> Iterator[Record]:
    """The records of a message."""
    entry = mapping(entry)
    sender, at, number = entry.get("sender"), timestamp(entry.get("created_at")), string(entry.get("uuid"))
    parts = [part for part in items(entry.get("content")) if isinstance(part, dict)]
    texts = texts_of(parts)
    if sender == "human":
        message = prompt(line, line, "\n\n".join(texts) or string(entry.get("text")) or "", at, uuid=number)
        _add_files(message, entry)
        yield message
    elif sender == "assistant":
        message = answer(line, line, at, uuid=number, message_id=number)
        if not parts:
            add_text(message, string(entry.get("text")) or "")
        for part in parts:
            kind = part.get("type")
            if kind == "tool_result":
                add_returned(message, part)
            elif not add_said(message, part) and not (isinstance(kind, str) and kind in _WITHOUT_TEXT):
                yield unknown_entry(part, line)
        if message.blocks:
            yield message
    else:
        yield unknown_entry(entry, line, sender)


def _add_files(message: Message, entry: dict[str, Any]) -> None:
    """Add the texts of attached files as notes, and the names of other files."""
    for file in (*items(entry.get("attachments")), *items(entry.get("files"))):
        name, text = string(mapping(file).get("file_name")), string(mapping(file).get("extracted_content"))
        if text:
            add_note(message, f"{name or 'file'}\n{text}", "meta")
        elif name:
            add_attachment(message, name)
