"""Convert the conversations of ChatGPT: a tree of messages, of which every branch is kept in the order of its time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui_core.readers.agents.chat_exports import archive
from memtui_core.readers.base import is_part
from memtui_core.readers.conversion.content import json_text, unknown_entry
from memtui_core.readers.conversion.json_values import epoch_seconds, items, mapping, string
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_call,
    add_result,
    add_text,
    add_thinking,
    answer,
    prompt,
    results,
)
from memtui_core.readers.formats.conversations import Conversation
from memtui_core.readers.records import Message, Record

_WITHOUT_TEXT = frozenset({"user_editable_context", "model_editable_context", "reasoning_recap", "app_pairing_content"})
"""Contents with settings of the user, or about the time that the model needed."""


def conversations(path: Path) -> list[Conversation]:
    """The conversations of an export. Raises SourceUnreadable."""
    return archive.conversations(path, _conversation)


def _conversation(value: dict[str, Any], spare_id: str) -> Conversation:
    """A conversation with its messages in the order of their time."""
    own_ids = [own_id for name in ("conversation_id", "id") if is_part(own_id := value.get(name))]
    number = own_ids[0] if own_ids else spare_id
    nodes = [node for node in mapping(value.get("mapping")).values() if isinstance(node, dict) and node.get("message")]
    nodes.sort(key=lambda node: _seconds(mapping(node.get("message")).get("create_time")))
    return Conversation(number, nodes, string(value.get("title")) or "", epoch_seconds(value.get("update_time")))


def records(entry: Any, line: int) -> Iterator[Record]:
    """The records of a node of the tree."""
    body = mapping(mapping(entry).get("message"))
    role, at, number = (
        mapping(body.get("author")).get("role"),
        epoch_seconds(body.get("create_time")),
        string(body.get("id")),
    )
    content, meta = mapping(body.get("content")), mapping(body.get("metadata"))
    kind = string(content.get("content_type")) or "text"
    if kind in _WITHOUT_TEXT or role == "system":
        return
    if kind not in _TEXTS:
        yield unknown_entry(content, line, kind)
        return
    if role == "user":
        message = prompt(line, line, _text(content), at, uuid=number)
        _add_pictures(message, content)
    elif role == "assistant":
        message = answer(line, line, at, uuid=number, message_id=number, model=string(meta.get("model_slug")))
        _add_answer(message, content, kind, string(body.get("recipient")) or "all")
    elif role == "tool":
        message = results(line, line, at, uuid=number)
        add_result(message, _text(content), string(mapping(entry).get("parent")))
        _add_pictures(message, content)
    else:
        yield unknown_entry(body, line, role)
        return
    if message.blocks:
        yield message


def _add_answer(message: Message, content: dict[str, Any], kind: str, recipient: str) -> None:
    if kind == "thoughts":
        for thought in items(content.get("thoughts")):
            parts = (string(mapping(thought).get(name)) for name in ("summary", "content"))
            add_thinking(message, "\n".join(part for part in parts if part))
    elif recipient != "all":
        add_call(message, recipient, {"input": _text(content)}, message.uuid)
    else:
        add_text(message, _text(content))
        _add_pictures(message, content)


def _text(content: dict[str, Any]) -> str:
    """The text of a content: its parts, or one of the fields that have the text of the other kinds."""
    parts = [part for part in items(content.get("parts")) if isinstance(part, str) and part]
    texts = (string(content.get(name)) for name in ("text", "result", "content"))
    return "\n\n".join(parts) or next((text for text in texts if text), "")


_TEXTS = frozenset(
    {
        "text",
        "code",
        "execution_output",
        "multimodal_text",
        "thoughts",
        "tether_browsing_display",
        "tether_quote",
        "system_error",
        "computer_output",
        "citable_code_output",
    }
)


def _add_pictures(message: Message, content: dict[str, Any]) -> None:
    for part in items(content.get("parts")):
        if isinstance(part, dict):
            kind = string(part.get("content_type")) or json_text(part)[:40]
            add_attachment(message, kind.removesuffix("_asset_pointer"))


def _seconds(value: Any) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
