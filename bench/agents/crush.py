"""The texts, calls and results in databases of Crush."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from memtui_core.text.redaction import redact

AGENT = "crush"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and results; a summary is not a text of the assistant."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in folder.rglob("crush.db"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for role, parts, summary in connection.execute("SELECT role, parts, is_summary_message FROM messages"):
                for part in json.loads(parts):
                    data = part["data"]
                    if part["type"] == "text" and role == "assistant" and not summary:
                        found["text"][redact(data["text"])] += 1
                    elif part["type"] == "tool_call":
                        found["tool_call"][data["id"]] += 1
                    elif part["type"] == "tool_result":
                        found["tool_result"][data["tool_call_id"]] += 1
    return found
