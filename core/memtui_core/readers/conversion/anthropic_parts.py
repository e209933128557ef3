"""The parts of messages as the API of Anthropic defines them; several agents store them as they are."""

from __future__ import annotations

from typing import Any, Final

from memtui_core.readers.conversion.content import result_text
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.conversion.messages import add_attachment, add_call, add_result, add_text, add_thinking
from memtui_core.readers.records import Message

MEDIA: Final = frozenset({"image", "document"})
"""The types of parts with a picture or a document."""
TOKENS: Final = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
"""The names of the tokens of an answer, in the order of `Usage`."""


def parts_of(content: Any) -> list[dict[str, Any]]:
    """The parts of a content, which can be a text, or a list of parts and texts."""
    parts = [content] if isinstance(content, str) else items(content)
    return [{"type": "text", "text": part} if isinstance(part, str) else mapping(part) for part in parts]


def texts_of(parts: list[dict[str, Any]]) -> list[str]:
    """The texts of parts."""
    return [text for part in parts if part.get("type") == "text" and (text := string(part.get("text")))]


def add_said(message: Message, part: dict[str, Any]) -> bool:
    """Add a text, thinking or a tool call of the assistant; False if the part is of another type."""
    kind = part.get("type")
    if kind == "text":
        add_text(message, string(part.get("text")) or "")
    elif kind == "thinking":
        add_thinking(message, string(part.get("thinking")) or string(part.get("text")) or "")
    elif kind == "tool_use":
        add_call(message, string(part.get("name")), part.get("input"), string(part.get("id")))
    else:
        return False
    return True


def add_returned(message: Message, part: dict[str, Any]) -> None:
    """Add a tool result."""
    text, tool_id = result_text(part.get("content")), string(part.get("tool_use_id"))
    add_result(message, text, tool_id, is_error=part.get("is_error") is True)


def add_media(message: Message, part: dict[str, Any]) -> None:
    """Add the placeholder of a picture or a document."""
    source = mapping(part.get("source"))
    add_attachment(message, string(source.get("media_type")) or string(part.get("type")) or "", source.get("data"))
