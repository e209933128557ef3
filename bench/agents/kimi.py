"""What the files of Kimi Code contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "kimi"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text("utf-8", "replace").splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            message, event = record.get("message") or {}, record.get("event") or {}
            if message.get("role") == "assistant":
                for part in message["content"]:
                    _count_text(part, counted)
            if event.get("type") == "content.part":
                _count_text(event["part"], counted)
            elif event.get("type") in {"tool.call", "tool.result"}:
                counted[event["type"].replace(".", "_")][str(event.get("toolCallId"))] += 1
    return counted


def _count_text(part: dict[str, Any], counted: dict[str, Counter[str]]) -> None:
    if part["type"] == "text" and part["text"].strip():
        counted["text"][redact(part["text"])] += 1
