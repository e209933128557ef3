"""What the transcripts of Antigravity hold. Calls and results have no ids."""

from __future__ import annotations

from pathlib import Path

import orjson

from bench.agents._counts import Counts, count_call, count_result, no_counts
from memtui_core.text.redaction import redact

AGENT = "antigravity"
REASONS = {
    "calls": "a result without a call gets one, so that it is shown as a tool call",
    "*:content | *<ADDITIONAL_METADATA>*": "the metadata that the program adds to a prompt",
}
_EDITORS = {"replace_file_content", "multi_replace_file_content", "write_to_file", "write_file"}
_NO_RESULTS = {"PLANNER_RESPONSE", "USER_INPUT", "CHECKPOINT", "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the numbers of calls and results, in all sessions below a folder."""
    found = no_counts()
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            try:
                step = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            is_answer = step.get("type", "PLANNER_RESPONSE") == "PLANNER_RESPONSE"
            if step["source"] in {"MODEL", "planner"} and is_answer and step.get("content"):
                found["text"][redact(step["content"])] += 1
            for call in step.get("tool_calls") or []:
                count_call(found, None, call.get("name"), _EDITORS)
            if step["source"] in {"MODEL", "planner"} and not is_answer and step["type"] not in _NO_RESULTS:
                count_result(found, None, step.get("status") == "ERROR")
    return found
