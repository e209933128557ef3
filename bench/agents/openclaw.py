"""What the files and the databases of OpenClaw contain."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "openclaw"
REASONS = {
    "*<user>.content.#<text>.text | [[]Subagent *]*": "words that the program puts before the task of a subagent",
}
_EDITORS = {"edit", "write", "apply_patch", "edit_file"}


def expected(folder: Path) -> Counts:
    """The texts that a model wrote, and the ids of tool calls and results."""
    counted = no_counts()
    for entry in map(json.loads, _lines(folder)):
        message = entry.get("message") or {}
        if message.get("role") == "toolResult":
            count_result(counted, str(message.get("toolCallId")), message.get("isError"))
        elif message.get("role") == "assistant" and message.get("provider") != "openclaw":
            usage = message.get("usage") or {}
            count_tokens(counted, usage.get("input"), usage.get("output"))
            for part in message["content"]:
                _count(counted, part)
    return counted


def _count(counted: Counts, part: dict[str, Any]) -> None:
    if part["type"] == "text" and part["text"].strip():
        counted["text"][redact(part["text"])] += 1
    elif part["type"] == "toolCall":
        count_call(counted, str(part.get("id")), part.get("name"), _EDITORS)


def _lines(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.jsonl"):
        yield from path.read_text("utf-8").splitlines()
    for path in folder.rglob("openclaw-agent.sqlite"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for (event,) in connection.execute("SELECT event_json FROM transcript_events"):
                yield event
