"""What the transcripts of Antigravity hold. Calls and results have no ids: only texts are counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson

from memtui_core.text.redaction import redact

AGENT = "antigravity"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant in all sessions below a folder."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            try:
                step = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            is_answer = step.get("type", "PLANNER_RESPONSE") == "PLANNER_RESPONSE"
            if step["source"] in {"MODEL", "planner"} and is_answer and step.get("content"):
                found["text"][redact(step["content"])] += 1
    return found
