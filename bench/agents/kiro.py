"""The texts, calls and results in databases of Kiro."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from memtui_core.text.redaction import redact

AGENT = "kiro"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and results."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
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
                        found["tool_call"].update(call["id"] for call in calls)
                    content = entry.get("user", {}).get("content", {})
                    results = content.get("ToolUseResults", {}).get("tool_use_results", [])
                    found["tool_result"].update(result["tool_use_id"] for result in results)
    return found
