"""What the files of iFlow CLI contain."""

from __future__ import annotations

import json
from pathlib import Path

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import SCREEN
from memtui_core.text.redaction import redact

AGENT = "iflow"
REASONS = {
    "*.resultDisplay": SCREEN,
}
_EDITORS = {"replace", "write_file", "multi_edit", "edit"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of tool calls and results; repeated calls count once."""
    counted = no_counts()
    for path in sorted(folder.rglob("session-*.jsonl")):
        calls: dict[str, str] = {}
        for line in path.read_text("utf-8", "replace").splitlines():
            entry = json.loads(line)
            message = entry["message"]
            usage = message.get("usage", {})
            count_tokens(counted, usage.get("input_tokens"), usage.get("output_tokens"))
            for part in message["content"] if isinstance(message["content"], list) else []:
                if part["type"] == "text" and message["role"] == "assistant" and part["text"].strip():
                    counted["text"][redact(part["text"])] += 1
                elif part["type"] == "tool_use":
                    calls[part["id"]] = part["name"]
                elif part["type"] == "tool_result":
                    status = entry.get("toolUseResult", {}).get("status")
                    count_result(counted, part["tool_use_id"], status == "error" or part.get("is_error"))
        for call, name in calls.items():
            count_call(counted, call, name, _EDITORS)
    return counted
