"""What the files of Pi contain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "pi"
REASONS = {
    "*.partialJson": "a part of the input that was received, which the whole input has",
    "*.details.*": "the text of a result is what the model got, details are for the screen",
}
_EDITORS = {"edit", "write"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of tool calls and results; every entry once."""
    counted = no_counts()
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


def _count(message: dict[str, Any], counted: Counts) -> None:
    if message["role"] == "toolResult":
        count_result(counted, str(message.get("toolCallId")), message.get("isError"))
    if message["role"] != "assistant":
        return
    usage = message.get("usage") or {}
    count_tokens(counted, usage.get("input"), usage.get("output"))
    content = message["content"]
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if part["type"] == "text" and part["text"].strip():
            counted["text"][redact(part["text"])] += 1
        elif part["type"] == "toolCall":
            count_call(counted, str(part.get("id")), part.get("name"), _EDITORS)
