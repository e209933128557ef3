"""What the databases of Hermes Agent contain, and the files with sessions that are in no database."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "hermes"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for message in _messages(folder):
        if message["role"] == "tool":
            counted["tool_result"][str(message.get("tool_call_id"))] += 1
        elif message["role"] == "assistant":
            if (message.get("content") or "").strip():
                counted["text"][redact(message["content"])] += 1
            for call in message.get("tool_calls") or []:
                counted["tool_call"][str(call.get("id"))] += 1
    return counted


def _messages(folder: Path) -> Iterator[dict[str, Any]]:
    stored = set()
    for path in folder.rglob("state.db"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            columns = "session_id, role, content, tool_calls, tool_call_id"
            for session, role, content, calls, answered in connection.execute(f"SELECT {columns} FROM messages"):
                stored.add(session)
                found = {"role": role, "content": content, "tool_call_id": answered}
                yield found | {"tool_calls": json.loads(calls) if calls else None}
    for path in folder.rglob("*.jsonl"):
        if path.stem not in stored:
            stored.add(path.stem)
            yield from map(json.loads, path.read_text("utf-8").splitlines())
    for path in folder.rglob("session_*.json"):
        if path.stem.removeprefix("session_") not in stored:
            yield from json.loads(path.read_text("utf-8"))["messages"]
