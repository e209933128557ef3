"""What the files of Junie contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "junie"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The last text of each step, and the ids of the calls and results, of which a step can have several."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("events.jsonl")):
        texts: dict[str, str] = {}
        parts: dict[str, int] = {}
        ended: set[str] = set()
        for line in path.read_text("utf-8", "replace").splitlines():
            step: dict[str, Any] = json.loads(line).get("event", {}).get("agentEvent", {})
            said = step.get("text") if step.get("kind") == "MarkdownBlockUpdatedEvent" else step.get("result")
            if said:
                texts[step["stepId"]] = said
            elif "status" in step and "stepId" in step:
                parts[step["stepId"]] = len(step.get("changes") or step.get("files") or [0])
                if step["status"] in {"COMPLETED", "FAILED", "FINISHED"}:
                    ended.add(step["stepId"])
        counted["text"].update(redact(text) for text in texts.values())
        for name, number in parts.items():
            ids = [name] if number == 1 else [f"{name}:{part}" for part in range(number)]
            counted["tool_call"].update(ids)
            counted["tool_result"].update(ids if name in ended else [])
    return counted
