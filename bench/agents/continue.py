"""What the sessions of Continue hold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from memtui_core.text.redaction import redact

AGENT = "continue"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and of those with an output."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in folder.rglob("*.json"):
        if path.name == "sessions.json":
            continue
        for item in json.loads(path.read_bytes())["history"]:
            message = item["message"]
            if message["role"] == "assistant" and message["content"]:
                found["text"][redact(message["content"])] += 1
            for call in message.get("toolCalls", []):
                found["tool_call"][call["id"]] += 1
            for state in item.get("toolCallStates", []):
                found["tool_result"][state["toolCallId"]] += len(state.get("output", [])) > 0
    return found
