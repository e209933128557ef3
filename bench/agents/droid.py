"""What the files of Factory Droid contain."""

from __future__ import annotations

import json
from pathlib import Path

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "droid"
REASONS = {
    "input": "Droid writes only the sum of a session, in another file than its answers",
    "output": "as for the input",
    "*:<session_start>.title": "`New session` is no title",
}
_EDITORS = {"Edit", "MultiEdit", "Create", "ApplyPatch", "Write"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted = no_counts()
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text("utf-8", "replace").splitlines():
            entry = json.loads(line) if line.strip() else {}
            message = entry.get("message") or entry
            if entry.get("type") != "message":
                continue
            content = message["content"]
            for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                if part["type"] == "text" and message["role"] == "assistant" and part["text"].strip():
                    counted["text"][redact(part["text"])] += 1
                elif part["type"] == "tool_use":
                    count_call(counted, str(part.get("id")), part.get("name"), _EDITORS)
                elif part["type"] == "tool_result":
                    count_result(counted, str(part.get("tool_use_id")), part.get("is_error"))
    for path in folder.rglob("*.settings.json"):
        usage = json.loads(path.read_bytes()).get("tokenUsage", {})
        count_tokens(counted, usage.get("inputTokens"), usage.get("outputTokens"))
    return counted
