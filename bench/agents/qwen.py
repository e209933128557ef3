"""What the files of Qwen Code hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "qwen"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant and the ids of calls and results, in all sessions below a folder."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text("utf-8", "replace").split("\n"):
            for entry in _entries(line):
                _count(entry, found)
    return found


def _entries(line: str) -> Iterator[dict[str, Any]]:
    position = 0
    while line[position:].strip():
        try:
            value, position = json.JSONDecoder().raw_decode(line, position)
        except ValueError:
            return
        if isinstance(value, dict):
            yield value


def _count(entry: dict[str, Any], found: dict[str, Counter[str]]) -> None:
    message = entry.get("message") or {}
    parts = message.get("parts") or message.get("content") or []
    for part in parts if isinstance(parts, list) else []:
        if entry.get("type") == "assistant" and part.get("text", "").strip() and not part.get("thought"):
            found["text"][redact(part["text"])] += 1
        for key, kind in (("functionCall", "tool_call"), ("functionResponse", "tool_result")):
            if key in part:
                found[kind][str(part[key].get("id"))] += 1
        if part.get("type") == "tool_use":
            found["tool_call"][str(part["id"])] += 1
        elif part.get("type") == "tool_result":
            found["tool_result"][str(part["tool_use_id"])] += 1
