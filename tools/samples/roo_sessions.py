"""Tasks of Roo Code in `infra`: a backup that is checked in a task of its own, and a condensed conversation."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]
TASKS = "roo/globalStorage/rooveterinaryinc.roo-cline/tasks"
PARENT = "0198a7d0-11aa-7b2c-8d3e-4f5061728394"
CHILD = "0198a7d4-22bb-7c3d-9e4f-506172839405"
ROOT = "/home/ana/code/infra"
_CONDENSED = "5c0e"
_START = 1_785_168_000_000
_MESSAGE = "Restore the newest backup into a scratch database and compare the row counts."


def build() -> dict[str, str]:
    """The content of every file by its path."""
    return {
        f"{TASKS}/{PARENT}/api_conversation_history.json": _json(_backup()),
        f"{TASKS}/{PARENT}/history_item.json": _json(
            {"id": PARENT, "workspace": ROOT, "number": 7, "mode": "orchestrator"}
        ),
        f"{TASKS}/{CHILD}/api_conversation_history.json": _json(_check()),
        f"{TASKS}/{CHILD}/history_item.json": _json({"id": CHILD, "workspace": ROOT, "parentTaskId": PARENT}),
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _message(number: int, role: str, *parts: Json | str, **more: Any) -> Json:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"role": role, "content": content, "ts": _START + number * 30_000, **more}


def _use(tool_id: str, name: str, arguments: Json) -> Json:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": arguments}


def _result(tool_id: str, content: str, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": tool_id, "content": content, **more}


def _backup() -> list[Json]:
    diff = "<<<<<<< SEARCH\n:start_line:4\n-------\nkeep: 3\n=======\nkeep: 14\n>>>>>>> REPLACE"
    replaced = {"condenseParent": _CONDENSED}
    return [
        _message(0, "user", "<user_message>\nDo the backups work, and are enough of them kept?\n</user_message>"),
        _message(1, "assistant", _use("n1", "new_task", {"mode": "debug", "message": _MESSAGE}), **replaced),
        _message(9, "user", _result("n1", "The counts are equal."), **replaced),
        _message(
            10, "user", "The newest backup can be restored; three are kept.", isSummary=True, condenseId="condense-1"
        ),
        _message(
            11,
            "assistant",
            "Three are few for a fault that shows after a week.",
            _use("d1", "apply_diff", {"path": "backup.yml", "diff": diff}),
        ),
        _message(12, "user", _result("d1", "The user denied this operation.", is_error=True)),
        _message(13, "assistant", _use("a1", "attempt_completion", {"result": "The backups work; three are kept."})),
    ]


def _check() -> list[Json]:
    return [
        _message(2, "user", f"<user_message>\n{_MESSAGE}\n</user_message>"),
        _message(3, "assistant", _use("e1", "execute_command", {"command": "./restore --into scratch && ./counts"})),
        _message(6, "user", _result("e1", "orders 18204 18204\ncustomers 911 911")),
        _message(7, "assistant", _use("a2", "attempt_completion", {"result": "The counts are equal."})),
    ]
