"""What the files of iFlow CLI contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from memtui_core.text.redaction import redact

AGENT = "iflow"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant, and the ids of tool calls and results; repeated calls count once."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("session-*.jsonl")):
        calls: set[str] = set()
        for line in path.read_text("utf-8", "replace").splitlines():
            message = json.loads(line)["message"]
            for part in message["content"] if isinstance(message["content"], list) else []:
                if part["type"] == "text" and message["role"] == "assistant" and part["text"].strip():
                    counted["text"][redact(part["text"])] += 1
                elif part["type"] == "tool_use":
                    calls.add(part["id"])
                elif part["type"] == "tool_result":
                    counted["tool_result"][part["tool_use_id"]] += 1
        counted["tool_call"].update(calls)
    return counted
