"""What rollouts of Codex contain, counted with plain JSON."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from memtui_core.readers.jsonl import opened
from memtui_core.text.redaction import redact

AGENT = "codex"
_CALLS = {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"}
_RESULTS = {"function_call_output", "custom_tool_call_output", "tool_search_output"}


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant, and the ids of calls and results, of all rollouts in a folder."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted([*folder.rglob("*.jsonl"), *folder.rglob("*.jsonl.zst")]):
        entries = [entry for line in _lines(path) if isinstance(entry := _json(line), dict)]
        if entries and (entries[0].get("type") == "session_meta" or "instructions" in entries[0]):
            _count(entries, found)
    return found


def _count(entries: list[dict[str, Any]], found: dict[str, Counter[str]]) -> None:
    """Every text once, although it can be an item and an event."""
    items: Counter[str] = Counter()
    events: Counter[str] = Counter()
    finished: Counter[str] = Counter()
    last: set[str] = set()
    for entry in entries:
        inner = entry.get("payload")
        payload: dict[str, Any] = inner if isinstance(inner, dict) else entry
        kind, of = payload.get("type"), entry.get("type")
        if of == "event_msg" and kind == "agent_message":
            events[redact(str(payload.get("message")))] += 1
        elif of == "event_msg" and kind == "item_completed" and payload["item"].get("type") == "AgentMessage":
            finished[redact("".join(part.get("text", "") for part in payload["item"].get("content", [])))] += 1
        elif of == "event_msg" and kind == "task_complete":
            last.add(redact(str(payload.get("last_agent_message") or "")))
        elif of != "event_msg" and payload.get("role") == "assistant":
            items[redact("".join(part.get("text", "") for part in payload.get("content", [])))] += 1
        elif of != "event_msg" and kind in _CALLS:
            call = str(payload.get("call_id") or payload.get("id"))
            found["tool_call"][call] += 1
            if kind == "web_search_call" and payload.get("status") == "completed":
                found["tool_result"][call] += 1
        elif of != "event_msg" and kind in _RESULTS:
            found["tool_result"][str(payload.get("call_id"))] += 1
    texts = items | events | finished
    found["text"] += texts + Counter(text for text in last if text and text not in texts)


def _lines(path: Path) -> list[bytes]:
    with opened(path) as file:
        return file.read().splitlines()


def _json(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
