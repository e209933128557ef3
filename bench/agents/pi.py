"""What the files of Pi contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "pi"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant, and the ids of tool calls and results; every entry once."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    seen: set[tuple[str, str]] = set()
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text("utf-8", "replace").splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            if not isinstance(entry, dict) or entry.get("type") != "message":
                continue
            key = (entry.get("id") or f"{path}{line}", entry.get("timestamp") or "")
            if key not in seen:
                seen.add(key)
                _count(entry["message"], counted)
    return counted


def _count(message: dict[str, Any], counted: dict[str, Counter[str]]) -> None:
    if message["role"] == "toolResult":
        counted["tool_result"][str(message.get("toolCallId"))] += 1
    if message["role"] != "assistant":
        return
    content = message["content"]
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if part["type"] == "text" and part["text"].strip():
            counted["text"][redact(part["text"])] += 1
        elif part["type"] == "toolCall":
            counted["tool_call"][str(part.get("id"))] += 1
