"""The texts, calls and results in databases of Kiro."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from bench.agents._counts import Counts, count_call, count_result, no_counts
from bench.agents.amazonq import failed
from memtui_core.text.redaction import redact

AGENT = "kiro"
_EDITORS = {"fs_write"}


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and results."""
    found = no_counts()
    for path in folder.rglob("data.sqlite3"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for (value,) in connection.execute("SELECT value FROM conversations_v2"):
                try:
                    history = json.loads(value)["history"]
                except ValueError:
                    continue
                for entry in history:
                    for said in entry.get("assistant", {}).values():
                        if isinstance(said, dict) and said.get("content"):
                            found["text"][redact(said["content"])] += 1
                        calls = said.get("tool_uses", []) if isinstance(said, dict) else []
                        for call in calls:
                            count_call(found, call["id"], call["name"], _EDITORS)
                    content = entry.get("user", {}).get("content", {})
                    results = content.get("ToolUseResults", {}).get("tool_use_results", [])
                    for result in results:
                        count_result(found, result["tool_use_id"], failed(result))
    return found
