"""What the files of Copilot CLI contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "copilot"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant, and the ids of tool calls and results; every call once."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("*.jsonl")):
        calls: set[str] = set()
        for line in path.read_text("utf-8", "replace").splitlines():
            try:
                event = json.loads(line)
            except json.JSONDecodeError:
                continue
            kind, data = event.get("type"), event.get("data") or {}
            if kind == "assistant.message":
                if data["content"].strip():
                    counted["text"][redact(data["content"])] += 1
                calls |= {_id_of(request) for request in data.get("toolRequests") or []}
            elif kind == "tool.execution_start":
                calls.add(_id_of(data))
            elif kind == "tool.execution_complete":
                counted["tool_result"][_id_of(data)] += 1
        counted["tool_call"].update(calls)
    return counted


def _id_of(call: dict[str, Any]) -> str:
    """The id of a call; anything but a text is none."""
    value = call.get("toolCallId")
    return value if isinstance(value, str) else "None"
