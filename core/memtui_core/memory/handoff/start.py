"""How a new session goes on from a hand-off: by the prompt of an agent, or by the first message of the user."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.store.data_folder import DataDir

_UNSAFE: Final = re.compile(r"[^\w.-]")
_MAX_ARGUMENT: Final = 100_000
"""Bytes of an argument, of which Linux accepts 131,072. A longer text is passed in a file."""


def fits_argument(text: str) -> bool:
    """Whether a text can be passed to a program as an argument."""
    return len(text.encode()) <= _MAX_ARGUMENT


def prompt_in_file(text: str, data_dir: Path, name: str) -> str:
    """Write a text to the data folder, and return the prompt that names the file. Raises OSError.

    Replaces the file that was written under the same name before.
    """
    path = DataDir(data_dir).handoffs / _UNSAFE.sub("-", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return f"Read {path} first: it is the context of an earlier session, to go on from."


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
