"""The texts, calls and results in databases and JSON lines files of Goose."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "goose"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and results."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for role, parts in _messages(folder):
        for part in parts:
            if part["type"] == "text" and role == "assistant":
                found["text"][redact(part["text"])] += 1
            elif part["type"] == "toolRequest":
                found["tool_call"][str(part.get("id") or part["toolCall"].get("id"))] += 1
            elif part["type"] == "toolResponse":
                found["tool_result"][str(part.get("id") or part.get("toolCallId"))] += 1
    return found


def _messages(folder: Path) -> Iterator[tuple[str, list[Any]]]:
    for path in folder.rglob("sessions.db"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for role, content in connection.execute("SELECT role, content_json FROM messages"):
                yield role, json.loads(content)
    for path in folder.rglob("*.jsonl"):
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            if "role" in entry:
                yield entry["role"], entry["content"]
