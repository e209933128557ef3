"""What the files of Qwen Code hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._leaves import entries_in
from bench.agents._reasons import TITLES
from memtui_core.text.redaction import redact

AGENT = "qwen"
REASONS = {
    "*.customTitle": TITLES,
    "*.systemPayload.summary": "a snapshot of what the program made repeats the conversation",
}
_EDITORS = {"edit", "write_file", "replace", "Write", "Edit"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant and the ids of calls and results, in all sessions below a folder."""
    found = no_counts()
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text("utf-8", "replace").split("\n"):
            for entry in entries_in(line):
                if isinstance(entry, dict):
                    _count(entry, found)
    return found


def _count(entry: dict[str, Any], found: Counts) -> None:
    message = entry.get("message") or {}
    usage = entry.get("usageMetadata") or {}
    sent, received = (
        usage.get(new, usage.get(old, 0))
        for new, old in (("promptTokenCount", "inputTokens"), ("candidatesTokenCount", "outputTokens"))
    )
    if usage.get("totalTokenCount") != sent + received:
        received += usage.get("thoughtsTokenCount", 0)
    count_tokens(found, sent - usage.get("cachedContentTokenCount", 0), received)
    parts = message.get("parts") or message.get("content") or []
    for part in parts if isinstance(parts, list) else []:
        if entry.get("type") == "assistant" and part.get("text", "").strip() and not part.get("thought"):
            found["text"][redact(part["text"])] += 1
        if "functionCall" in part:
            count_call(found, str(part["functionCall"].get("id")), part["functionCall"].get("name"), _EDITORS)
        if "functionResponse" in part:
            status = (entry.get("toolCallResult") or {}).get("status")
            count_result(found, str(part["functionResponse"].get("id")), status in {"error", "cancelled"})
        if part.get("type") == "tool_use":
            count_call(found, str(part["id"]), part.get("name"), _EDITORS)
        elif part.get("type") == "tool_result":
            count_result(found, str(part["tool_use_id"]), part.get("is_error"))
