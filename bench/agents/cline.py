"""What the tasks and sessions of Cline hold. Calls in texts are no texts, and not counted: they have no ids."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from memtui_core.text.redaction import redact

AGENT = "cline"
_HISTORIES = ("api_conversation_history.json", "claude_messages.json", "*.messages.json")

_ANSWER = re.compile(r"<attempt_completion>\s*<result>(.*?)</result>.*?</attempt_completion>", re.DOTALL)
_ELEMENT = re.compile(r"<(thinking|[a-z]+(?:_[a-z]+)+)>.*?</\1>", re.DOTALL)
"""Thinking, and calls of tools as older versions wrote them into the text."""


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant and the ids of calls and results, in all sessions below a folder."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for pattern in _HISTORIES:
        for path in sorted(folder.rglob(pattern)):
            content = orjson.loads(path.read_bytes())
            for message in content["messages"] if isinstance(content, dict) else content:
                _count(message, found)
    return found


def _count(message: dict[str, Any], found: dict[str, Counter[str]]) -> None:
    content = message["content"]
    parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for part in parts:
        if part["type"] == "text" and message["role"] == "assistant":
            found["text"].update(redact(text) for text in _texts(part["text"]))
        elif part["type"] == "tool_use":
            found["tool_call"][str(part["id"])] += 1
            answer = part["input"].get("result") if part["name"] == "attempt_completion" else None
            if answer:
                found["text"][redact(answer)] += 1
        elif part["type"] == "tool_result":
            found["tool_result"][str(part["tool_use_id"])] += 1


def _texts(text: str) -> list[str]:
    """A text without the elements in it, and the answers that are in elements."""
    parts = [_ELEMENT.sub("", _ANSWER.sub("", text)), *_ANSWER.findall(text)]
    return [part.strip() for part in parts if part.strip()]
