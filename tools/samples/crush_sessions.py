"""The sample session of Crush: in the database of its project, with an edit, a failed command and a compaction."""

from __future__ import annotations

from typing import Any

from .opencode_sessions import compact, literal

DATABASE = "crush/infra/.crush/crush.db"
START = 1_786_263_000
"""2026-08-09 08:10 UTC, in seconds."""
_TABLES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER,
 prompt_tokens INTEGER, completion_tokens INTEGER, cost REAL, updated_at INTEGER, created_at INTEGER,
 summary_message_id TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL,
 model TEXT, created_at INTEGER, updated_at INTEGER, finished_at INTEGER, provider TEXT, is_summary_message INTEGER);
"""
_SESSION = "2f0c7a54-91be-4d23-b1b5-6f1a0e9d3c72"
_EDIT = {"file_path": "nginx/site.conf", "old_string": "gzip off;", "new_string": "gzip on;\n    gzip_types text/css;"}


def build() -> dict[str, str]:
    """The script of the database, by its path."""
    lines = [_TABLES.strip()]
    title, times = "Compress the style sheets", (START + 600, START)
    _insert(lines, "sessions", _SESSION, None, title, 7, 5200, 340, 0, *times, "msg_06")
    messages: list[tuple[str, list[dict[str, Any]], int]] = [
        ("user", [_text("The style sheets are sent without compression. Turn it on.")], 0),
        (
            "assistant",
            [
                {"type": "reasoning", "data": {"thinking": "gzip is off in site.conf, and CSS must be in gzip_types."}},
                _text("I turn compression on for style sheets."),
                _call("call_1", "edit", _EDIT),
                _call("call_2", "bash", {"command": "nginx -t -c nginx/site.conf"}),
                _end("tool_use"),
            ],
            0,
        ),
        (
            "tool",
            [
                _result("call_1", "edit", "Content replaced in file: nginx/site.conf"),
                _result("call_2", "bash", "nginx: configuration file test failed\nExit code 1", is_error=True),
            ],
            0,
        ),
        ("assistant", [_text("The test needs the main configuration, which is not in this repository."), _end()], 0),
        ("user", [_text("True, it is tested on the server.")], 0),
        ("assistant", [_text("Compression of CSS is on in nginx/site.conf; it is tested on the server."), _end()], 1),
    ]
    for number, (role, parts, is_summary) in enumerate(messages, start=1):
        at = START + 40 * number
        model = "claude-sonnet-4-5" if role == "assistant" else None
        row = (f"msg_{number:02}", _SESSION, role, compact(parts), model, at, at, at, "anthropic", is_summary)
        _insert(lines, "messages", *row)
    return {DATABASE: "\n".join(lines) + "\n"}


def _insert(lines: list[str], table: str, *values: Any) -> None:
    lines.append(f"INSERT INTO {table} VALUES ({', '.join(map(literal, values))});")


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "data": {"text": text}}


def _call(tool_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    data = {"id": tool_id, "name": name, "input": compact(arguments), "finished": True}
    return {"type": "tool_call", "data": data}


def _result(tool_id: str, name: str, content: str, *, is_error: bool = False) -> dict[str, Any]:
    data = {"tool_call_id": tool_id, "name": name, "content": content, "metadata": "", "is_error": is_error}
    return {"type": "tool_result", "data": data}


def _end(reason: str = "end_turn") -> dict[str, Any]:
    return {"type": "finish", "data": {"reason": reason, "time": START}}
