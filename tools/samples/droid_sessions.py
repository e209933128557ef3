"""A session of Droid: a missing check of quantities in `shop-api`, with a compaction."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]
ROOT = "/home/ana/code/shop-api"
CHECK = "f5a74203-bd6e-4c51-8a0b-42d3f5061782"
_REMINDER = "<system-reminder>\nBranch: main\n</system-reminder>"
_FILE = f"droid/sessions/-home-ana-code-shop-api/{CHECK}"


def build() -> dict[str, str]:
    """The content of every file by its path."""
    lines = "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in _check())
    return {f"{_FILE}.jsonl": lines, f"{_FILE}.settings.json": json.dumps({"model": "claude-opus-5"}) + "\n"}


def _message(number: int, role: str, *parts: Json | str) -> Json:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    at = f"2026-08-20T16:{number:02}:00.000Z"
    message = {"role": role, "content": content}
    return {"type": "message", "id": f"{CHECK[:8]}-{number:04}", "timestamp": at, "message": message}


def _use(tool_id: str, name: str, arguments: Json) -> Json:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": arguments}


def _result(tool_id: str, content: str) -> Json:
    return {"type": "tool_result", "tool_use_id": tool_id, "content": content}


def _check() -> list[Json]:
    start = {"type": "session_start", "id": CHECK, "title": "Quantities", "sessionTitle": "Refuse negative quantities"}
    edit = {
        "file_path": f"{ROOT}/orders.py",
        "old_str": "quantity: int",
        "new_str": "quantity: Annotated[int, Gt(0)]",
    }
    summary = "orders.py refuses quantities below 1; one test is not adapted."
    return [
        {**start, "cwd": ROOT, "version": "0.92.1"},
        _message(0, "user", f"{_REMINDER}\n\nAn order with -2 items was accepted"),
        _message(1, "assistant", "The type has no limit.", _use("e1", "Edit", edit)),
        _message(2, "user", _result("e1", "Edited orders.py")),
        _message(3, "assistant", _use("x1", "Execute", {"command": "pytest -q tests/test_orders.py"})),
        _message(4, "user", _result("x1", "Error: Command failed (exit code: 1)\n1 failed, 22 passed")),
        {"type": "compaction_state", "id": "c1", "timestamp": "2026-08-20T16:05:00.000Z", "summaryText": summary},
        _message(6, "assistant", "The test ordered 0 items; it orders one now."),
    ]
