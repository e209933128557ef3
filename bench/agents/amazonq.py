"""The texts, calls and results in databases of the Amazon Q Developer command line."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, no_counts
from memtui_core.text.redaction import redact

AGENT = "amazonq"
_EDITORS = {"fs_write"}


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and results, of both tables."""
    found = no_counts()
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
                    for call in said.get("tool_uses", []):
                        count_call(found, call["id"], call["name"], _EDITORS)
                for content in user["content"].values():
                    for result in content.get("tool_use_results", []):
                        count_result(found, result["tool_use_id"], failed(result))
    return found


def failed(result: dict[str, Any]) -> bool:
    """Whether a result is an error, or of a command that ended with one."""
    codes = [part["Json"].get("exit_status", "0") for part in result["content"] if isinstance(part.get("Json"), dict)]
    return result["status"] != "Success" or any(str(code) != "0" for code in codes)
