"""What the sessions of Auggie hold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from memtui_core.text.redaction import redact

AGENT = "augment"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and results."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in folder.rglob("*.json"):
        for entry in json.loads(path.read_bytes())["chatHistory"]:
            exchange = entry["exchange"]
            if exchange["response_text"]:
                found["text"][redact(exchange["response_text"])] += 1
            for node in exchange["response_nodes"]:
                if "tool_use" in node:
                    found["tool_call"][node["tool_use"]["tool_use_id"]] += 1
            for node in exchange["request_nodes"]:
                if "tool_result_node" in node:
                    found["tool_result"][node["tool_result_node"]["tool_use_id"]] += 1
    return found
