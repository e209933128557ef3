"""What the files of Gemini CLI hold, every message once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from memtui_core.text.redaction import redact

AGENT = "gemini"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant and the ids of calls and results, in all sessions below a folder."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
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


def _count(message: dict[str, Any], found: dict[str, Counter[str]]) -> None:
    if message.get("type") not in {"gemini", "model"}:
        return
    content = message.get("content") or message.get("parts") or ""
    for part in [{"text": content}] if isinstance(content, str) else content:
        if part.get("text", "").strip() and not part.get("thought"):
            found["text"][redact(part["text"])] += 1
    for number, call in enumerate(message.get("toolCalls", [])):
        # The reader gives an id to a call without one.
        call_id = call.get("id") or f"{message['id']}.{number}"
        found["tool_call"][call_id] += 1
        if call.get("result"):
            found["tool_result"][call_id] += 1
