"""What rollouts of Codex contain, counted with plain JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import INSTRUCTIONS, SCREEN
from memtui_core.readers.formats.jsonl import opened
from memtui_core.text.redaction import redact

AGENT = "codex"
REASONS = {
    "*:<session_meta>.*": INSTRUCTIONS,
    "*<message,developer>*": INSTRUCTIONS,
    "*<turn_context>*": INSTRUCTIONS,
    "*<world_state>*": INSTRUCTIONS,
    "*<message,user>* | # AGENTS.md instructions*": INSTRUCTIONS,
    "*<message,user>* | <filesystem>*": INSTRUCTIONS,
    "*<message,user>* | Here is a list of plugins*": INSTRUCTIONS,
    "*<web_search_end>*": "a search is shown with its first query",
    "*<patch_apply_end>.stdout": SCREEN,
    "*<function_call>.summary": SCREEN,
    "*<function_call_output>.stderr": "a field that no version of Codex writes",
    "*<context_compacted>.*": "a field that no version of Codex writes",
    "*:<user>.message": "an entry of no version of Codex",
    "calls": "an entry of no version of Codex",
}
_PATCH = "*** Begin Patch"
_CALLS = {
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "web_search_call",
    "tool_search_call",
    "image_generation_call",
}
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:?) (-?\d+)", re.MULTILINE)
_FAILURES = ("exec_command failed", "apply_patch verification failed", "failed to", "aborted", "unsupported call")
_HEAD = 400
_RESULTS = {"function_call_output", "custom_tool_call_output", "tool_search_output"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of calls and results, of all rollouts in a folder."""
    found = no_counts()
    for path in sorted([*folder.rglob("*.jsonl"), *folder.rglob("*.jsonl.zst")]):
        entries = [entry for line in _lines(path) if isinstance(entry := _json(line), dict)]
        if entries and (entries[0].get("type") == "session_meta" or "instructions" in entries[0]):
            _count(entries, found)
    return found


def _count(entries: list[dict[str, Any]], found: Counts) -> None:
    """Every text once, although it can be an item and an event."""
    items: Counter[str] = Counter()
    events: Counter[str] = Counter()
    finished: Counter[str] = Counter()
    ends: set[str] = set()
    total: Any = None
    for entry in entries:
        inner = entry.get("payload")
        payload: dict[str, Any] = inner if isinstance(inner, dict) else entry
        kind, of = payload.get("type"), entry.get("type")
        if of == "event_msg" and kind == "agent_message":
            events[redact(str(payload.get("message")))] += 1
        elif of == "event_msg" and kind == "item_completed" and payload["item"].get("type") == "AgentMessage":
            finished[redact("".join(part.get("text", "") for part in payload["item"].get("content", [])))] += 1
        elif of == "event_msg" and kind == "task_complete":
            ends.add(redact(str(payload.get("last_agent_message") or "")))
        elif of != "event_msg" and payload.get("role") == "assistant":
            items[redact("".join(part.get("text", "") for part in payload.get("content", [])))] += 1
        elif of != "event_msg" and kind in _CALLS:
            call = str(payload.get("call_id") or payload.get("id"))
            arguments = json.dumps([payload.get(key) for key in ("input", "arguments", "action")])
            count_call(found, call, _PATCH if _PATCH in arguments else "", {_PATCH})
            if kind == "web_search_call" and payload.get("status") == "completed":
                count_result(found, call, failed=False)
        elif of != "event_msg" and kind in _RESULTS:
            count_result(found, str(payload.get("call_id")), _failed(payload.get("output")))
        elif of == "event_msg" and kind == "token_count" and isinstance(info := payload.get("info"), dict):
            last = info.get("last_token_usage") or {}
            if info.get("total_token_usage") != total:
                sent = last.get("input_tokens", 0) - last.get("cached_input_tokens", 0)
                count_tokens(found, sent, last.get("output_tokens"))
            total = info.get("total_token_usage")
    texts = items | events | finished
    found["text"] += texts + Counter(text for text in ends if text and text not in texts)


def _failed(output: Any) -> bool:
    """Whether an output says that it is one of a failure, as JSON or in its first lines."""
    if isinstance(output, list):
        output = "\n".join(str(part.get("text", "")) for part in output if isinstance(part, dict))
    text = output.get("content", "") if isinstance(output, dict) else output
    if isinstance(output, dict) and output.get("success") is False:
        return True
    value = _json(text.encode()) if isinstance(text, str) else None
    if isinstance(value, dict) and isinstance(value.get("metadata"), dict):
        return bool(value["metadata"].get("exit_code"))
    code = _EXIT.search(str(text)[:_HEAD])
    return bool(code and code[1] != "0") or str(text).startswith(_FAILURES)


def _lines(path: Path) -> list[bytes]:
    with opened(path) as file:
        return file.read().splitlines()


def _json(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
