"""What the files of Gemini CLI hold, every message once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import INSTRUCTIONS
from memtui_core.text.redaction import redact

AGENT = "gemini"
REASONS = {
    "*.toolCalls.#.description": INSTRUCTIONS,
}
_EDITORS = {"replace", "write_file", "edit"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant and the ids of calls and results, in all sessions below a folder."""
    found = no_counts()
    for path in sorted({*folder.rglob("*.json"), *folder.rglob("*.jsonl")}):
        for message in _messages(path.read_bytes()).values():
            _count(message, found)
    return found


def _messages(content: bytes) -> dict[str, dict[str, Any]]:
    messages: dict[str, dict[str, Any]] = {}
    try:
        entries = [orjson.loads(content)]
    except orjson.JSONDecodeError:
        entries = [value for line in content.splitlines() if isinstance(value := _loaded(line), dict)]
    for entry in entries if all(isinstance(entry, dict) for entry in entries) else []:
        known = entry.get("messages", entry.get("$set", {}).get("messages", []))
        for message in known or ([entry] if "id" in entry else []):
            messages[message["id"]] = message
    return messages


def _loaded(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def _count(message: dict[str, Any], found: Counts) -> None:
    if message.get("type") not in {"gemini", "model"}:
        return
    tokens = message.get("tokens") or {}
    sent = tokens.get("input", 0) - tokens.get("cached", 0) + tokens.get("tool", 0)
    count_tokens(found, sent, tokens.get("output", 0) + tokens.get("thoughts", 0))
    content = message.get("content") or message.get("parts") or ""
    for part in [{"text": content}] if isinstance(content, str) else content:
        if part.get("text", "").strip() and not part.get("thought"):
            found["text"][redact(part["text"])] += 1
    for number, call in enumerate(message.get("toolCalls", [])):
        # The reader gives an id to a call without one.
        call_id = call.get("id") or f"{message['id']}.{number}"
        count_call(found, call_id, call.get("name"), _EDITORS)
        if call.get("result") or call.get("status") in {"success", "error", "cancelled"}:
            count_result(found, call_id, call.get("status") in {"error", "cancelled"})
