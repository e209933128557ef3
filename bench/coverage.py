"""How much of what the files hold the index holds.

The files are counted by a reader of their own, a few lines of plain JSON, so that a fault of ours cannot hide.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.redaction import redact

Key = tuple[Any, Any]
Counts = dict[str, Counter[str]]
"""How often each text, call and result occurs."""


def held(data_dir: Path, agent: str | None = None) -> Counts:
    """The texts in the index, or those of one agent: the assistant's, and the ids of tool calls and results."""
    rows = Snapshot(DataDir(data_dir)).rows(
        "SELECT b.kind, b.text, b.tool_id FROM blocks b JOIN turns t ON t.id = b.turn JOIN sessions s"
        " ON s.key = t.session WHERE ? IN ('', s.agent)",
        [agent or ""],
    )
    found: Counts = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for kind, text, tool_id in rows:
        if kind in found:
            found[kind][text if kind == "text" else str(tool_id)] += 1
    return found


def expected(source: Path) -> Counts:
    """The same of the files, every entry once."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    seen: set[Key] = set()
    for path in sorted(source.rglob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            for entry in entries(line):
                _count(entry, found, seen)
    return found


def shares(source: Path, data_dir: Path) -> dict[str, float]:
    """Share of assistant text (characters), tool calls and tool results that the index holds, 0 to 1."""
    want, have = expected(source), held(data_dir)
    result = {}
    for kind in want:
        result[kind] = share(kind, want[kind], have[kind])
    return result


def share(kind: str, want: Counter[str], have: Counter[str]) -> float:
    """The share of one kind that the index holds: of texts by characters, of calls and results by number."""
    weights = {key: len(key) if kind == "text" else 1 for key in want}
    total = sum(weights[key] * count for key, count in want.items())
    found = sum(weights[key] * min(count, have[key]) for key, count in want.items())
    return found / total if total else 1.0


def entries(line: bytes) -> list[dict[str, Any]]:
    """The objects of a line: an agent that was stopped may have written two into one."""
    try:
        value = orjson.loads(line)
        return [value] if isinstance(value, dict) else []
    except orjson.JSONDecodeError:
        cut = line.find(b"}{")
        return [] if cut < 0 else [*entries(line[: cut + 1]), *entries(line[cut + 1 :])]


def _count(entry: dict[str, Any], found: dict[str, Counter[str]], seen: set[Key]) -> None:
    message, key = entry.get("message"), (entry.get("uuid"), entry.get("timestamp"))
    if entry.get("type") not in {"user", "assistant"} or not isinstance(message, dict) or (key[0] and key in seen):
        return
    seen.add(key)
    content = message.get("content")
    if entry["type"] == "assistant" and isinstance(content, str) and content.strip():
        found["text"][redact(content)] += 1
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if kind == "text" and entry["type"] == "assistant" and block.get("text"):
            found["text"][redact(block["text"])] += 1
        elif kind == "tool_use":
            found["tool_call"][str(block.get("id"))] += 1
        elif kind == "tool_result":
            found["tool_result"][str(block.get("tool_use_id"))] += 1
