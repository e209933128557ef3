"""A hand-off put before the first thing that a person says in a new session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def prepend_to_messages(messages: Sequence[Mapping[str, Any]], context: str) -> tuple[list[dict[str, Any]], bool]:
    """The messages with a context in the first one of role `user`, and whether it is in; the argument stays as it is.

    A content that is a string gets it in front, one that is a list in its first text block, or in a new one that
    stands first. False: no message can take it, the messages are as they were, and the caller still has the context to
    deliver with a later one.
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
    for place, block in enumerate(content):
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            changed = {**block, "text": f"{context}\n\n{block['text']}"}
            return [*content[:place], changed, *content[place + 1 :]]
    return [{"type": "text", "text": context}, *content]
