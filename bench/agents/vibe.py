"""What the messages of Mistral Vibe contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from memtui_core.text.redaction import redact

AGENT = "vibe"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("messages.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            message = json.loads(line)
            if message["role"] == "tool":
                counted["tool_result"][str(message.get("tool_call_id"))] += 1
            elif message["role"] == "assistant":
                if message.get("content", "").strip():
                    counted["text"][redact(message["content"])] += 1
                for call in message.get("tool_calls") or []:
                    counted["tool_call"][str(call.get("id"))] += 1
    return counted
