"""The texts, calls and results in databases of Zed."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import zstandard

from memtui_core.text.redaction import redact

AGENT = "zed"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and results."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in folder.rglob("threads.db"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for kind, data in connection.execute("SELECT data_type, data FROM threads"):
                plain = zstandard.ZstdDecompressor().decompressobj().decompress(data) if kind == "zstd" else data
                for message in json.loads(plain)["messages"]:
                    _count(message, found)
    return found


def _count(message: Any, found: dict[str, Counter[str]]) -> None:
    if not isinstance(message, dict):
        return
    texts, calls, results = [], [], []
    if "Agent" in message:
        content = message["Agent"]["content"]
        texts = [part["Text"] for part in content if "Text" in part]
        calls = [part["ToolUse"]["id"] for part in content if "ToolUse" in part]
        results = list(message["Agent"]["tool_results"])
    elif message.get("role") == "assistant":
        texts = [part["text"] for part in message["segments"] if part["type"] == "text"]
        calls = [call["id"] for call in message.get("tool_uses", [])]
        results = [result["tool_use_id"] for result in message.get("tool_results", [])]
    found["text"].update(redact(text) for text in texts)
    found["tool_call"].update(calls)
    found["tool_result"].update(results)
