"""The texts, calls and results in sessions of OpenCode: databases, trees of JSON files, and exports."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "opencode"
UNFINISHED = {"pending", "running"}


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and results."""
    return counted(folder, AGENT)


def counted(folder: Path, prefix: str) -> dict[str, Counter[str]]:
    """The same, in databases whose names start with a prefix."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for role, parts in _messages(folder, prefix):
        for part in parts if role == "assistant" else []:
            kind, state = part.get("type"), part.get("state") or {}
            if kind == "text" and part.get("text", "").strip() and not part.get("synthetic"):
                found["text"][redact(part["text"])] += 1
            elif kind == "tool":
                tool_id = part.get("callID") or part["id"]
                found["tool_call"][tool_id] += 1
                found["tool_result"][tool_id] += state.get("status") not in UNFINISHED
    return found


def _messages(folder: Path, prefix: str) -> Iterator[tuple[str, list[Any]]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".db" and path.name.startswith(prefix):
            yield from _rows(path)
        elif path.match("message/*/*.json"):
            message = json.loads(path.read_bytes())
            yield message["role"], _parts(path.parents[2] / "part", message["id"])
        elif path.suffix in {".json", ".jsonl"} and path.is_file():
            try:
                value = json.loads(path.read_bytes())
            except ValueError:
                continue
            if isinstance(value, dict) and isinstance(value.get("info"), dict):
                for message in value.get("messages", []):
                    if message["info"].get("summary") is not True:
                        yield message["info"]["role"], message["parts"]


def _parts(folder: Path, message: str) -> list[Any]:
    """The parts of a message in a tree: in a folder of its name, or with its id."""
    parts = [(file.parent.name, json.loads(file.read_bytes())) for file in sorted(folder.rglob("*.json"))]
    return [part for name, part in parts if part.get("messageID", name) == message]


def _rows(path: Path) -> Iterator[tuple[str, list[Any]]]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if "message" in tables:
            for number, data in connection.execute("SELECT id, data FROM message"):
                parts = connection.execute("SELECT data FROM part WHERE message_id = ?", [number])
                if json.loads(data).get("summary") is not True:
                    yield json.loads(data)["role"], [json.loads(part) for (part,) in parts]
        if "session_message" in tables:
            for kind, data in connection.execute("SELECT type, data FROM session_message"):
                yield kind, json.loads(data).get("content", [])
