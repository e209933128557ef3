"""What the threads of Amp hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "amp"
_EDITORS = {"edit_file", "create_file", "undo_edit"}


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and of the runs that ended."""
    found = no_counts()
    for path in folder.rglob("T-*.json"):
        for message in json.loads(path.read_bytes())["messages"]:
            usage = message.get("usage", {})
            count_tokens(found, usage.get("inputTokens"), usage.get("outputTokens"))
            for part in message["content"]:
                if part["type"] == "text" and message["role"] == "assistant":
                    found["text"][redact(part["text"])] += 1
                elif part["type"] == "tool_use":
                    count_call(found, part["id"], part["name"], _EDITORS)
                elif part["type"] == "tool_result":
                    count_result(found, part["toolUseID"], _failed(part["run"]))
    return found


def _failed(run: dict[str, Any]) -> bool:
    result = run.get("result")
    return run["status"] != "done" or (isinstance(result, dict) and bool(result.get("exitCode")))
