"""What the files of Copilot CLI contain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import HOOKS, INSTRUCTIONS, SCREEN
from memtui_core.text.redaction import redact

AGENT = "copilot"
REASONS = {
    "*<system.message>*": INSTRUCTIONS,
    "workspace.yaml:line": "the folder, the branch and the id are in the events, too",
    "*<hook.*": HOOKS,
    "*<permission.*": SCREEN,
    "*.intentionSummary": SCREEN,
    "*<system.notification>*": INSTRUCTIONS,
    "*.detailedContent": "the diff of a read file is its content, which the result has",
}
_EDITORS = {"apply_patch", "edit", "create", "str_replace_editor"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of tool calls and results; every call once."""
    counted = no_counts()
    for path in sorted(folder.rglob("*.jsonl")):
        calls: dict[str, object] = {}
        answers: dict[object, int] = {}
        spent: dict[str, dict[str, int]] = {}
        for line in path.read_text("utf-8", "replace").splitlines():
            try:
                event = json.loads(line)
            except json.JSONDecodeError:
                continue
            kind, data = event.get("type"), event.get("data") or {}
            if kind == "assistant.message":
                if data["content"].strip():
                    counted["text"][redact(data["content"])] += 1
                calls |= {_id_of(request): request.get("name") for request in data.get("toolRequests") or []}
                answers[data.get("apiCallId") or data.get("messageId")] = data.get("outputTokens") or 0
            elif kind == "tool.execution_start":
                calls.setdefault(_id_of(data), data.get("toolName"))
            elif kind == "tool.execution_complete":
                count_result(counted, _id_of(data), data.get("success") is False)
            elif kind == "session.shutdown":
                spent |= {model: one.get("usage", {}) for model, one in (data.get("modelMetrics") or {}).items()}
        for call, name in calls.items():
            count_call(counted, call, name, _EDITORS)
        for usage in spent.values():
            cached = usage.get("cacheReadTokens", 0) + usage.get("cacheWriteTokens", 0)
            count_tokens(counted, usage.get("inputTokens", 0) - cached, 0)
        count_tokens(counted, 0, sum(answers.values()))
    return counted


def _id_of(call: dict[str, Any]) -> str:
    """The id of a call; anything but a text is none."""
    value = call.get("toolCallId")
    return value if isinstance(value, str) else "None"
