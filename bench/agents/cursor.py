"""What the transcripts of Cursor and the database of its editor hold.

Calls in transcripts have no ids, so calls and results are counted under the names that the reader gives: `call-1`, ...
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson

from memtui_core.text.redaction import redact

AGENT = "cursor"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant and the ids of calls and results, in all chats below a folder."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("*.jsonl")):
        _count_transcript(path, found)
    for path in sorted(folder.rglob("state.vscdb")):
        for bubble in _bubbles(path):
            if bubble.get("type") == 2 and bubble.get("text", "").strip():
                found["text"][redact(bubble["text"])] += 1
            if tool := bubble.get("toolFormerData"):
                found["tool_call"][str(tool["toolCallId"])] += 1
                if tool.get("result") or tool.get("error"):
                    found["tool_result"][str(tool["toolCallId"])] += 1
    return found


def _count_transcript(path: Path, found: dict[str, Counter[str]]) -> None:
    calls = 0
    waiting: list[str] = []
    for line in path.read_bytes().splitlines():
        try:
            entry = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        for part in (entry.get("message") or {}).get("content") or []:
            kind = str(part.get("type")).replace("-", "_")
            if kind == "text" and entry.get("role") == "assistant" and part["text"].strip():
                found["text"][redact(part["text"])] += 1
            elif kind in {"tool_use", "tool_call"}:
                calls += 1
                waiting.append(part.get("id") or f"call-{calls}")
                found["tool_call"][waiting[-1]] += 1
            elif kind == "tool_result":
                found["tool_result"][waiting.pop(0)] += 1


def _bubbles(path: Path) -> Iterator[dict[str, Any]]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT value FROM cursorDiskKV WHERE key LIKE 'bubbleId:%'").fetchall()
    yield from (orjson.loads(value) for (value,) in rows)
