"""The texts, calls and results in databases of the Amazon Q Developer command line."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "amazonq"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and results, of both tables."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in folder.rglob("data.sqlite3"):
        documents: dict[str, Any] = {}
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for table in ("conversations", "conversations_v2"):
                for (value,) in connection.execute(f"SELECT value FROM {table}"):
                    document = json.loads(value)
                    documents[document["conversation_id"]] = document
        for document in documents.values():
            for entry in document["history"]:
                user, assistant = entry if isinstance(entry, list) else (entry["user"], entry["assistant"])
                for said in assistant.values():
                    if said["content"]:
                        found["text"][redact(said["content"])] += 1
                    found["tool_call"].update(call["id"] for call in said.get("tool_uses", []))
                for content in user["content"].values():
                    found["tool_result"].update(result["tool_use_id"] for result in content.get("tool_use_results", []))
    return found
