"""What the files of Junie contain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import TITLES
from memtui_core.text.redaction import redact

AGENT = "junie"
REASONS = {
    "*<AgentCurrentStatusUpdatedEvent>.status": "what the program waits for",
    "*<ToolBlockUpdatedEvent>.text": "a later event of the step says what it did",
    "*<ResultBlockUpdatedEvent>.title": TITLES,
}
_EDITORS = {"FileChangesBlockUpdatedEvent"}


def expected(folder: Path) -> Counts:
    """The last text of each step, and the ids of the calls and results, of which a step can have several."""
    counted = no_counts()
    for path in sorted(folder.rglob("events.jsonl")):
        texts: dict[str, str] = {}
        parts: dict[str, int] = {}
        tools: dict[str, str] = {}
        ended: dict[str, str] = {}
        for line in path.read_text("utf-8", "replace").splitlines():
            step: dict[str, Any] = json.loads(line).get("event", {}).get("agentEvent", {})
            for usage in step.get("modelUsage", []):
                count_tokens(counted, usage.get("inputTokens"), usage.get("outputTokens"))
            said = step.get("text") if step.get("kind") == "MarkdownBlockUpdatedEvent" else step.get("result")
            if said:
                texts[step["stepId"]] = said
            elif "status" in step and "stepId" in step:
                parts[step["stepId"]] = len(step.get("changes") or step.get("files") or [0])
                tools[step["stepId"]] = step["kind"]
                if step["status"] in {"COMPLETED", "FAILED", "FINISHED"}:
                    ended[step["stepId"]] = step["status"]
        counted["text"].update(redact(text) for text in texts.values())
        for name, number in parts.items():
            ids = [name] if number == 1 else [f"{name}:{part}" for part in range(number)]
            for call in ids:
                count_call(counted, call, tools[name], _EDITORS)
                if name in ended:
                    count_result(counted, call, ended[name] == "FAILED")
    return counted
