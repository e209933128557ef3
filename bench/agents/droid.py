"""What the files of Factory Droid contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from memtui_core.text.redaction import redact

AGENT = "droid"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text("utf-8", "replace").splitlines():
            entry = json.loads(line) if line.strip() else {}
            message = entry.get("message") or entry
            if entry.get("type") != "message":
                continue
            content = message["content"]
            for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                if part["type"] == "text" and message["role"] == "assistant" and part["text"].strip():
                    counted["text"][redact(part["text"])] += 1
                elif part["type"] == "tool_use":
                    counted["tool_call"][str(part.get("id"))] += 1
                elif part["type"] == "tool_result":
                    counted["tool_result"][str(part.get("tool_use_id"))] += 1
    return counted
