"""The sample threads of Zed: one with an edit and a subagent, and the thread of the subagent."""

from __future__ import annotations

from typing import Any

from .opencode_sessions import compact, literal

DATABASE = "zed/threads/threads.db"
_TABLE = """CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL,
 data_type TEXT NOT NULL, data BLOB NOT NULL, parent_id TEXT, folder_paths TEXT, folder_paths_order TEXT,
 created_at TEXT);"""
_SITE = "/home/ana/code/site"
_PARENT, _CHILD = "6a2f1c90-8d3e-4b57-9f21-0c4be1d7a911", "b81d40e2-55a6-4f0c-8e37-f2a9c6603d18"
_DIFF = """@@ -8,3 +8,3 @@
 .entry img {
-  width: 640px;
+  max-width: 100%;
 }
"""


def build() -> dict[str, str]:
    """The script of the database, by its path."""
    calls = [
        {
            "id": "c1",
            "name": "spawn_agent",
            "input": {"label": "Find the widths", "message": "Find fixed widths in css/"},
        },
        {"id": "c2", "name": "edit_file", "input": {"path": "site/css/blog.css", "mode": "edit"}},
        {"id": "c3", "name": "terminal", "input": {"command": "npm run lint:css", "cd": "site"}},
    ]
    results = {
        "c1": _result("c1", "spawn_agent", "css/blog.css, line 9: 640px", output={"session_id": _CHILD}),
        "c2": _result("c2", "edit_file", "Edited css/blog.css", output={"diff": _DIFF}),
        "c3": _result("c3", "terminal", "css/blog.css: expected a newline at the end\nexit status: 1", is_error=True),
    }
    content = [
        {"Thinking": {"text": "A fixed width does not shrink. Which rules have one?", "signature": None}},
        {"Text": "A fixed width is the likely cause. I have all of them listed."},
        *({"ToolUse": {**call, "raw_input": compact(call["input"]), "is_input_complete": True}} for call in calls),
        {"Text": "Pictures now shrink with the page. The check still wants a newline at the end of the file."},
    ]
    parent = _thread(
        "Pictures wider than the page",
        [_user("u1", "On phones, the pictures of the blog are wider than the page."), _agent(content, results)],
        {"u1": {"input_tokens": 4100, "output_tokens": 320, "cache_read_input_tokens": 900}},
    )
    child = _thread(
        "Find the widths",
        [_user("u2", "Find fixed widths in css/"), _agent([{"Text": "css/blog.css, line 9: 640px"}], {})],
        {"u2": {"input_tokens": 800, "output_tokens": 30}},
    )
    rows = [
        (_PARENT, "Pictures wider than the page", "2026-08-08T09:12:00Z", "json", compact(parent), None),
        (_CHILD, "Find the widths", "2026-08-08T09:05:00Z", "json", compact(child), _PARENT),
    ]
    lines = [_TABLE]
    for row in rows:
        values = ", ".join(map(literal, (*row, _SITE, "0", "2026-08-08T09:01:00Z")))
        lines.append(f"INSERT INTO threads VALUES ({values});")
    return {DATABASE: "\n".join(lines) + "\n"}


def _thread(title: str, messages: list[Any], usage: dict[str, Any]) -> dict[str, Any]:
    model = {"provider": "zed.dev", "model": "claude-sonnet-4-5"}
    return {"version": "0.3.0", "title": title, "messages": messages, "request_token_usage": usage, "model": model}


def _user(message_id: str, text: str) -> dict[str, Any]:
    return {"User": {"id": message_id, "content": [{"Text": text}]}}


def _agent(content: list[Any], results: dict[str, Any]) -> dict[str, Any]:
    return {"Agent": {"content": content, "tool_results": results, "reasoning_details": None}}


def _result(tool_id: str, name: str, text: str, *, output: Any = None, is_error: bool = False) -> dict[str, Any]:
    content = [{"Text": text}]
    return {"tool_use_id": tool_id, "tool_name": name, "is_error": is_error, "content": content, "output": output}
