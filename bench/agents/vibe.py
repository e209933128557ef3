"""What the messages of Mistral Vibe contain."""

from __future__ import annotations

import json
from pathlib import Path

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "vibe"
_EDITORS = {"search_replace", "edit", "write_file"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted = no_counts()
    for path in sorted(folder.rglob("messages.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            message = json.loads(line)
            if message["role"] == "tool":
                content = message.get("content") or ""
                count_result(counted, str(message.get("tool_call_id")), content.startswith("<tool_error>"))
            elif message["role"] == "assistant":
                if message.get("content", "").strip():
                    counted["text"][redact(message["content"])] += 1
                for call in message.get("tool_calls") or []:
                    count_call(counted, str(call.get("id")), call["function"]["name"], _EDITORS)
    for path in folder.rglob("meta.json"):
        stats = json.loads(path.read_bytes()).get("stats", {})
        count_tokens(counted, stats.get("session_prompt_tokens"), stats.get("session_completion_tokens"))
    return counted
