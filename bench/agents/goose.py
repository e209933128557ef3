"""The texts, calls and results in databases and JSON lines files of Goose."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import TITLES
from memtui_core.text.redaction import redact

AGENT = "goose"
REASONS = {
    "sessions.db:sessions.description": TITLES,
}
_TOKENS = (("accumulated_input_tokens", "input_tokens"), ("accumulated_output_tokens", "output_tokens"))
_EDITORS = {"developer__text_editor", "text_editor", "edit", "write"}


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and results."""
    found = no_counts()
    for role, parts in _messages(folder):
        for part in parts:
            if part["type"] == "text" and role == "assistant":
                found["text"][redact(part["text"])] += 1
            elif part["type"] == "toolRequest":
                call = part["toolCall"].get("value", part["toolCall"])
                count_call(found, str(part.get("id") or part["toolCall"].get("id")), call.get("name"), _EDITORS)
            elif part["type"] == "toolResponse":
                result = part.get("toolResult") or {}
                value = result.get("value")
                failed = result.get("status") == "error" or (isinstance(value, dict) and value.get("isError"))
                count_result(found, str(part.get("id") or part.get("toolCallId")), failed)
    for path in folder.rglob("sessions.db"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(sessions)")}
            names = [next((name for name in pair if name in columns), "0") for pair in _TOKENS]
            for tokens in connection.execute(f"SELECT {names[0]}, {names[1]} FROM sessions"):
                count_tokens(found, *tokens)
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
