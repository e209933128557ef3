"""A session of Qwen Code: a slow query in `shop-api`, with a subagent and a compression."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]
ROOT = "/home/ana/code/shop-api"
QUERY = "0198f3c1-7a20-7c4e-9d1b-3e5f60718293"
FOLDER = "qwen/projects/-home-ana-code-shop-api"
AGENT = "explore-4d1e"
_TASK = "Which queries of the order list have no index?"
_DIFF = (
    "--- orders.sql\n+++ orders.sql\n@@ -12,1 +12,2 @@\n );\n+CREATE INDEX orders_by_customer ON orders (customer);\n"
)


def build() -> dict[str, str]:
    """The content of every file by its path."""
    return {
        f"{FOLDER}/chats/{QUERY}.jsonl": _lines(_query()),
        f"{FOLDER}/subagents/{QUERY}/agent-{AGENT}.jsonl": _lines(_child()),
    }


def _lines(entries: list[Json]) -> str:
    return "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries)


class _Script:
    """The entries of one file, numbered."""

    def __init__(self, name: str, minute: int) -> None:
        self.entries: list[Json] = []
        self._name, self._second = name, minute * 60

    def add(self, kind: str, *parts: Json, **more: Any) -> None:
        """Add an entry, ten seconds after the one before."""
        self._second += 10
        number = len(self.entries) + 1
        entry = {
            "uuid": f"{self._name}-{number:04}",
            "parentUuid": self.entries[-1]["uuid"] if self.entries else None,
            "sessionId": QUERY,
            "timestamp": f"2026-08-03T10:{self._second // 60:02}:{self._second % 60:02}.000Z",
            "type": kind,
            "cwd": ROOT,
            "version": "0.21.13",
            "gitBranch": "orders",
        }
        if parts:
            entry["message"] = {"role": "model" if kind == "assistant" else "user", "parts": list(parts)}
        self.entries.append(entry | more)


def _text(text: str, **more: Any) -> Json:
    return {"text": text, **more}


def _call(tool_id: str, name: str, arguments: Json) -> Json:
    return {"functionCall": {"id": tool_id, "name": name, "args": arguments}}


def _result(tool_id: str, name: str, output: str, *, failed: bool = False) -> Json:
    response = {"error" if failed else "output": output}
    return {"functionResponse": {"id": tool_id, "name": name, "response": response}}


def _query() -> list[Json]:
    script, model = _Script("q", 0), {"model": "qwen3-coder-plus"}
    script.add("system", subtype="session_model", systemPayload={"modelId": "qwen3-coder-plus", "authType": "oauth"})
    script.add(
        "user",
        _text("The order list takes four seconds"),
        _text("<qwen:user-prompt-submit-context>\nBranch: orders\n</qwen:user-prompt-submit-context>"),
        systemPayload={"displayText": "The order list takes four seconds", "hookContext": "Branch: orders"},
    )
    script.add("assistant", _text("An index may be missing.", thought=True), **model)
    task = {"subagent_type": "explore", "description": "Look for missing indexes", "prompt": _TASK}
    usage = {"promptTokenCount": 9_200, "candidatesTokenCount": 84, "cachedContentTokenCount": 8_000}
    script.add("assistant", _text("I let somebody look."), _call("c1", "agent", task), usageMetadata=usage, **model)
    done = {"callId": "c1", "status": "success", "resultDisplay": {"type": "task_execution", "subagentName": "explore"}}
    script.add("tool_result", _result("c1", "agent", "orders.customer has none."), toolCallResult=done)
    old, new = ");", ");\nCREATE INDEX orders_by_customer ON orders (customer);"
    edit = {"file_path": f"{ROOT}/orders.sql", "old_string": old, "new_string": new}
    script.add(
        "assistant", _call("c2", "edit", edit), _call("c3", "run_shell_command", {"command": "make bench"}), **model
    )
    shown = {"fileDiff": _DIFF, "fileName": "orders.sql", "originalContent": "", "newContent": ""}
    changed = {"callId": "c2", "status": "success", "resultDisplay": shown}
    script.add("tool_result", _result("c2", "edit", "Edited orders.sql"), toolCallResult=changed)
    failed = {"callId": "c3", "status": "error"}
    script.add("tool_result", _result("c3", "run_shell_command", "make: no rule", failed=True), toolCallResult=failed)
    script.add("system", subtype="ui_telemetry", systemPayload={"uiEvent": {"event.name": "qwen-code.tool_call"}})
    history = [{"role": "user", "parts": [_text("The order list was slow; orders.sql has a new index now.")]}]
    info = {"originalTokenCount": 31_000, "newTokenCount": 2_100, "trigger": "manual"}
    script.add("system", subtype="chat_compression", systemPayload={"info": info, "compressedHistory": history})
    script.add("assistant", _text("There is no benchmark, so I measured by hand: 40 ms."), **model)
    title = {"customTitle": "Index for the order list", "titleSource": "auto"}
    script.add("system", subtype="custom_title", systemPayload=title)
    return script.entries


def _child() -> list[Json]:
    script = _Script("a", 1)
    script.add("user", _text(_TASK), isSidechain=True, agentId=AGENT)
    script.add("assistant", _call("d1", "grep_search", {"pattern": "CREATE INDEX"}), isSidechain=True, agentId=AGENT)
    script.add("tool_result", _result("d1", "grep_search", "orders.sql:9: orders_by_day"), isSidechain=True)
    script.add("assistant", _text("orders.customer has none."), isSidechain=True, agentId=AGENT)
    return script.entries
