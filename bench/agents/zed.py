"""The texts, calls and results in databases of Zed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import DIFFS
from memtui_core.system.compression import zstd
from memtui_core.text.redaction import redact

AGENT = "zed"
REASONS = {
    "search": DIFFS,
    "*.detailed_summary": "a summary for other threads repeats the conversation",
}
_EDITORS = {"edit_file", "create_file", "write_file", "streaming_edit_file", "delete_path"}


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and results."""
    found = no_counts()
    for path in folder.rglob("threads.db"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for kind, data in connection.execute("SELECT data_type, data FROM threads"):
                plain = zstd.decompress(data) if kind == "zstd" else data
                thread = json.loads(plain)
                by_prompt = list((thread.get("request_token_usage") or {}).values())
                for usage in by_prompt or [thread.get("cumulative_token_usage") or {}]:
                    count_tokens(found, usage.get("input_tokens"), usage.get("output_tokens"))
                for message in thread["messages"]:
                    _count(message, found)
    return found


def _count(message: Any, found: Counts) -> None:
    if not isinstance(message, dict):
        return
    texts, calls, results = [], [], []
    if "Agent" in message:
        content = message["Agent"]["content"]
        texts = [part["Text"] for part in content if "Text" in part]
        calls = [part["ToolUse"] for part in content if "ToolUse" in part]
        results = list(message["Agent"]["tool_results"].values())
    elif message.get("role") == "assistant":
        texts = [part["text"] for part in message["segments"] if part["type"] == "text"]
        calls = message.get("tool_uses", [])
        results = message.get("tool_results", [])
    found["text"].update(redact(text) for text in texts)
    for call in calls:
        count_call(found, call["id"], call.get("name"), _EDITORS)
    for result in results:
        count_result(found, result["tool_use_id"], result.get("is_error"))
