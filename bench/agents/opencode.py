"""The texts, calls and results in sessions of OpenCode: databases, trees of JSON files, and exports."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import SCREEN, TITLES
from memtui_core.text.redaction import redact

AGENT = "opencode"
REASONS = {
    "*:session.title": "the title of a subagent is shown without its type",
    "*:info.title": "the title of a subagent is shown without its type",
    "*.state.metadata.*": SCREEN,
    "*.snapshot.title": SCREEN,
    "*.summary.title": TITLES,
}
_EDITORS = {"edit", "write", "apply_patch", "patch", "multiedit"}
UNFINISHED = {"pending", "running"}


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and results."""
    return counted(folder, AGENT)


def counted(folder: Path, prefix: str) -> Counts:
    """The same, in databases whose names start with a prefix."""
    found = no_counts()
    for message, parts in _messages(folder, prefix):
        tokens = message.get("tokens") or {}
        count_tokens(found, tokens.get("input"), tokens.get("output", 0) + _thinking(tokens))
        is_summary = message.get("summary") is True
        for part in parts if message["role"] == "assistant" and not is_summary else []:
            kind, state = part.get("type"), part.get("state") or {}
            if kind == "text" and part.get("text", "").strip() and not part.get("synthetic"):
                found["text"][redact(part["text"])] += 1
            elif kind == "tool":
                tool_id = part.get("callID") or part["id"]
                count_call(found, tool_id, part.get("tool") or part.get("name"), _EDITORS)
                if state.get("status") not in UNFINISHED:
                    failed = state.get("status") == "error" or (state.get("metadata") or {}).get("exit")
                    count_result(found, tool_id, failed)
    return found


def _thinking(tokens: dict[str, Any]) -> int:
    """The tokens of thinking, unless those of the answer include them."""
    cache = tokens.get("cache") or {}
    known = tokens.get("input", 0) + tokens.get("output", 0) + cache.get("read", 0) + cache.get("write", 0)
    return int(tokens.get("reasoning", 0)) if tokens.get("total") != known else 0


def _messages(folder: Path, prefix: str) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".db" and path.name.startswith(prefix):
            yield from _rows(path)
        elif path.match("message/*/*.json"):
            message = json.loads(path.read_bytes())
            yield message, _parts(path.parents[2] / "part", message["id"])
        elif path.suffix in {".json", ".jsonl"} and path.is_file():
            try:
                value = json.loads(path.read_bytes())
            except ValueError:
                continue
            if isinstance(value, dict) and isinstance(value.get("info"), dict):
                for message in value.get("messages", []):
                    yield message["info"], message["parts"]


def _parts(folder: Path, message: str) -> list[Any]:
    """The parts of a message in a tree: in a folder of its name, or with its id."""
    parts = [(file.parent.name, json.loads(file.read_bytes())) for file in sorted(folder.rglob("*.json"))]
    return [part for name, part in parts if part.get("messageID", name) == message]


def _rows(path: Path) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if "message" in tables:
            for number, data in connection.execute("SELECT id, data FROM message"):
                parts = connection.execute("SELECT data FROM part WHERE message_id = ?", [number])
                yield json.loads(data), [json.loads(part) for (part,) in parts]
        if "session_message" in tables:
            for kind, data in connection.execute("SELECT type, data FROM session_message"):
                yield json.loads(data) | {"role": kind}, json.loads(data).get("content", [])
