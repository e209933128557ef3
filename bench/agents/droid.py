"""What the transcripts of Droid hold."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from memtui_core.text.redaction import redact

AGENT = "droid"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant and the ids of calls and results, in all sessions below a folder."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("*.jsonl")):
        entries = [orjson.loads(line) for line in path.read_bytes().splitlines() if line]
        if entries and entries[0]["type"] == "session_start":
            for entry in entries[1:]:
                _count(entry.get("message") or entry, found)
    return found


def _count(message: dict[str, Any], found: dict[str, Counter[str]]) -> None:
    content = message.get("content")
    for part in content if isinstance(content, list) else []:
        if part["type"] == "text" and message["role"] == "assistant":
            found["text"][redact(part["text"])] += 1
        elif part["type"] == "tool_use":
            found["tool_call"][part["id"]] += 1
        elif part["type"] == "tool_result":
            found["tool_result"][part["tool_use_id"]] += 1
