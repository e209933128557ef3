"""What the transcripts of Cursor and the database of its editor hold.

Calls in transcripts have no ids, so calls and results are counted under the names that the reader gives: `call-1`, ...
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "cursor"
REASONS = {
    "*<user>.message.content.#<text>.text | <timestamp>*": "the time of a prompt is read as its time",
    "*:message.content.#<text>.text | turn complete": "the text of an event that ends a turn",
}
_EDITORS = {
    "StrReplace",
    "Delete",
    "Write",
    "ApplyPatch",
    "EditNotebook",
    "edit_file",
    "write_file",
    "edit_file_v2",
    "search_replace",
    "delete_file",
    "apply_patch",
    "MultiStrReplace",
}


def expected(folder: Path) -> Counts:
    """The texts of the assistant and the ids of calls and results, in all chats below a folder."""
    found = no_counts()
    for path in sorted(folder.rglob("*.jsonl")):
        _count_transcript(path, found)
    for path in sorted(folder.rglob("state.vscdb")):
        for bubble in _bubbles(path):
            if bubble.get("type") == 2 and bubble.get("text", "").strip():
                found["text"][redact(bubble["text"])] += 1
            tokens = bubble.get("tokenCount") or {}
            count_tokens(found, tokens.get("inputTokens"), tokens.get("outputTokens"))
            if tool := bubble.get("toolFormerData"):
                count_call(found, str(tool["toolCallId"]), tool.get("name"), _EDITORS)
                if tool.get("result") or tool.get("error"):
                    count_result(found, str(tool["toolCallId"]), tool.get("error") or tool.get("status") == "error")
    return found


def _count_transcript(path: Path, found: Counts) -> None:
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
                count_call(found, waiting[-1], part.get("name"), _EDITORS)
            elif kind == "tool_result":
                count_result(found, waiting.pop(0), part.get("is_error"))


def _bubbles(path: Path) -> Iterator[dict[str, Any]]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT value FROM cursorDiskKV WHERE key LIKE 'bubbleId:%'").fetchall()
    yield from (orjson.loads(value) for (value,) in rows)
