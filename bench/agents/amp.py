"""What the threads of Amp hold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from memtui_core.text.redaction import redact

AGENT = "amp"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and of the runs that ended."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in folder.rglob("T-*.json"):
        for message in json.loads(path.read_bytes())["messages"]:
            for part in message["content"]:
                if part["type"] == "text" and message["role"] == "assistant":
                    found["text"][redact(part["text"])] += 1
                elif part["type"] == "tool_use":
                    found["tool_call"][part["id"]] += 1
                elif part["type"] == "tool_result":
                    found["tool_result"][part["toolUseID"]] += 1
    return found
