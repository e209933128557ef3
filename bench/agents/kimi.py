"""What the files of Kimi Code and of Kimi CLI contain."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import INSTRUCTIONS, SCREEN
from memtui_core.text.redaction import redact

AGENT = "kimi"
REASONS = {
    "*.systemPrompt": INSTRUCTIONS,
    "*<llm.tools_snapshot>*": INSTRUCTIONS,
    "*<permission.*": SCREEN,
    "*<tool.call>.description": SCREEN,
    "*<tool.call>.display*": SCREEN,
    "*.result.note": "what the program adds to a result about its size",
    "*.contextSummary": "the summary with words of the program around it",
}
_EDITORS = {"Edit", "Write", "WriteFile", "StrReplaceFile", "MultiEdit"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted = no_counts()
    for path in sorted(folder.rglob("*.jsonl")):
        if _repeats_events(path):
            continue
        calls: Counter[str] = Counter()
        for record in _records(path):
            if "timestamp" in record:
                _count_cli_event(record.get("message") or {}, counted, calls, "")
            elif "role" in record:
                _count_cli_message(record, counted, calls)
            else:
                _count_record(record, counted)
    return counted


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8", "replace").splitlines():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(record, dict):
            yield record


def _repeats_events(path: Path) -> bool:
    """Whether Kimi CLI has written the messages of a file as events, too."""
    events = path.with_name("wire.jsonl")
    return path.name.startswith("context") and events.is_file() and events.stat().st_size > 0


def _count_record(record: dict[str, Any], counted: Counts) -> None:
    message, event = record.get("message") or {}, record.get("event") or {}
    if message.get("role") == "assistant":
        for part in message["content"]:
            _count_text(part, counted)
    if event.get("type") == "content.part":
        _count_text(event["part"], counted)
    elif event.get("type") == "tool.call":
        count_call(counted, str(event.get("toolCallId")), event.get("name") or event.get("toolName"), _EDITORS)
    elif event.get("type") == "tool.result":
        count_result(counted, str(event.get("toolCallId")), (event.get("result") or {}).get("isError"))
    if record.get("type") == "usage.record":
        usage = record.get("usage", {})
        sent, received = usage.get("inputOther"), usage.get("output")
        count_tokens(counted, sent or usage.get("input_tokens"), received or usage.get("output_tokens"))


def _count_cli_event(event: dict[str, Any], counted: Counts, calls: Counter[str], subagent: str) -> None:
    kind, payload = event.get("type"), event.get("payload") or {}
    if kind == "SubagentEvent" and not payload.get("agent_id"):
        _count_cli_event(payload["event"], counted, calls, f"{payload.get('task_tool_call_id')} ")
    elif kind == "ContentPart":
        _count_text(payload, counted)
    elif kind == "ToolCall":
        calls[subagent + payload["id"]] += 1
        number = calls[subagent + payload["id"]]
        count_call(counted, _numbered(payload["id"], number), payload["function"]["name"], _EDITORS)
    elif kind == "ToolResult":
        number = calls[subagent + payload["tool_call_id"]]
        failed = (payload.get("return_value") or {}).get("is_error")
        count_result(counted, _numbered(payload["tool_call_id"], number), failed)
    elif kind == "StatusUpdate" and payload.get("token_usage"):
        count_tokens(counted, payload["token_usage"].get("input_other"), payload["token_usage"].get("output"))


def _numbered(name: str, use: int) -> str:
    """The id of a call: the model can use the same several times."""
    return f"{name}~{use}" if use > 1 else name


def _count_cli_message(message: dict[str, Any], counted: Counts, calls: Counter[str]) -> None:
    if message["role"] == "tool":
        failed = "<system>ERROR" in str(message.get("content"))
        count_result(counted, _numbered(message["tool_call_id"], calls[message["tool_call_id"]]), failed)
    elif message["role"] == "assistant":
        content = message.get("content") or []
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            _count_text(part, counted)
        for call in message.get("tool_calls") or []:
            calls[call["id"]] += 1
            count_call(counted, _numbered(call["id"], calls[call["id"]]), call["function"]["name"], _EDITORS)


def _count_text(part: dict[str, Any], counted: Counts) -> None:
    if part["type"] == "text" and part["text"].strip():
        counted["text"][redact(part["text"])] += 1
