"""What the files and the databases of OpenClaw contain."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "openclaw"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts that a model wrote, and the ids of tool calls and results."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for entry in map(json.loads, _lines(folder)):
        message = entry.get("message") or {}
        if message.get("role") == "toolResult":
            counted["tool_result"][str(message.get("toolCallId"))] += 1
        elif message.get("role") == "assistant" and message.get("provider") != "openclaw":
            for part in message["content"]:
                _count(counted, part)
    return counted


def _count(counted: dict[str, Counter[str]], part: dict[str, Any]) -> None:
    if part["type"] == "text" and part["text"].strip():
        counted["text"][redact(part["text"])] += 1
    elif part["type"] == "toolCall":
        counted["tool_call"][str(part.get("id"))] += 1


def _lines(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.jsonl"):
        yield from path.read_text("utf-8").splitlines()
    for path in folder.rglob("openclaw-agent.sqlite"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for (event,) in connection.execute("SELECT event_json FROM transcript_events"):
                yield event
