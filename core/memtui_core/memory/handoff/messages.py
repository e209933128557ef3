"""Put a hand-off before the first message of the user in a new session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def prepend_to_messages(messages: Sequence[Mapping[str, Any]], context: str) -> tuple[list[dict[str, Any]], bool]:
    """Copies of the messages with a context in the first message of role `user`, and whether there was such a message.

    The context is prepended to a content that is a string, or to the first text block of a list; a list without text
    blocks gets a new first block. If no message can take it (False), the copies are unchanged, and the caller must
    deliver the context with a later message.
    """
    copies = [dict(message) for message in messages]
    if not context:
        return copies, True
    for message in copies:
        content = message.get("content")
        if message.get("role") != "user":
            continue
        if isinstance(content, str):
            message["content"] = f"{context}\n\n{content}"
            return copies, True
        if isinstance(content, list):
            message["content"] = _with_context(content, context)
            return copies, True
    return copies, False


def _with_context(content: Sequence[Any], context: str) -> list[Any]:
    for index, block in enumerate(content):
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            changed = {**block, "text": f"{context}\n\n{block['text']}"}
            return [*content[:index], changed, *content[index + 1 :]]
    return [{"type": "text", "text": context}, *content]
