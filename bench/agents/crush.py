"""The texts, calls and results in databases of Crush."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "crush"
_EDITORS = {"edit", "multiedit", "write"}


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and results; a summary is not a text of the assistant."""
    found = no_counts()
    for path in folder.rglob("crush.db"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for tokens in connection.execute("SELECT prompt_tokens, completion_tokens FROM sessions"):
                count_tokens(found, *tokens)
            for role, parts, summary in connection.execute("SELECT role, parts, is_summary_message FROM messages"):
                for part in json.loads(parts):
                    data = part["data"]
                    if part["type"] == "text" and role == "assistant" and not summary:
                        found["text"][redact(data["text"])] += 1
                    elif part["type"] == "tool_call":
                        count_call(found, data["id"], data["name"], _EDITORS)
                    elif part["type"] == "tool_result":
                        count_result(found, data["tool_call_id"], data.get("is_error"))
    return found
