"""What the databases of Hermes Agent contain, and the files with sessions that are in no database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import INSTRUCTIONS
from memtui_core.text.redaction import redact

AGENT = "hermes"
REASONS = {
    "*:system_prompt": INSTRUCTIONS,
    "*:tools.*": INSTRUCTIONS,
    "*.codex_reasoning_items.*": "the text of the thinking is shown, not its summary",
}
_EDITORS = {"write_file", "patch"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted = no_counts()
    for message in _messages(folder):
        if message["role"] == "tool":
            count_result(counted, str(message.get("tool_call_id")), _failed(message.get("content")))
        elif message["role"] == "assistant":
            if (message.get("content") or "").strip():
                counted["text"][redact(message["content"])] += 1
            for call in message.get("tool_calls") or []:
                count_call(counted, str(call.get("id")), call["function"]["name"], _EDITORS)
    for path in folder.rglob("state.db"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for tokens in connection.execute("SELECT input_tokens, output_tokens FROM sessions"):
                count_tokens(counted, *tokens)
    return counted


def _failed(content: str | None) -> bool:
    """Whether the JSON of a result has an error, or the exit code of a command that failed."""
    try:
        result = json.loads(content or "")
    except ValueError:
        return False
    return isinstance(result, dict) and bool(result.get("error") or result.get("exit_code"))


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
