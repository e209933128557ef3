"""The sample conversation of Kiro, with a written file and a failed command."""

from __future__ import annotations

from typing import Any

from .opencode_sessions import compact, literal

DATABASE = "kiro-cli/data.sqlite3"
START = 1_786_350_000_000
"""2026-08-10 08:20 UTC, in milliseconds."""
_TABLES = """
CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,
 created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id));
"""
_ID = "d94e1b07-2c6f-4a38-8b5d-77f0e3a1c246"
_SHOP = "/home/ana/code/shop-api"
_TEST = """from shop.money import as_text


def test_as_text() -> None:
    assert as_text(1234) == "12.34"
"""


def build() -> dict[str, str]:
    """The script of the database, by its path."""
    write = {"command": "create", "path": f"{_SHOP}/tests/test_money.py", "file_text": _TEST}
    history = [
        _entry(
            0, {"Prompt": {"prompt": "as_text in shop/money.py has no test. Add one."}}, _use("c1", "fs_write", write)
        ),
        _entry(
            1, _results("c1", {"Text": ""}), _use("c2", "execute_bash", {"command": "pytest -q tests/test_money.py"})
        ),
        _entry(
            2,
            _results("c2", {"Json": {"exit_status": "1", "stdout": "assert '12,34' == '12.34'", "stderr": ""}}),
            {"Response": {"message_id": "m3", "content": "The test fails: as_text writes a comma, not a point."}},
        ),
        _entry(
            3,
            {"Prompt": {"prompt": "The comma is right, it is for invoices."}},
            {"Response": {"message_id": "m4", "content": "Then the test was wrong. It now expects 12,34."}},
        ),
    ]
    value = {"conversation_id": _ID, "history": history, "model_info": {"model_id": "claude-sonnet-4.5"}}
    row = ", ".join(map(literal, (_SHOP, _ID, compact(value), START, START + 240_000)))
    return {DATABASE: f"{_TABLES.strip()}\nINSERT INTO conversations_v2 VALUES ({row});\n"}


def _entry(number: int, content: dict[str, Any], assistant: dict[str, Any]) -> dict[str, Any]:
    user = {
        "env_context": {"env_state": {"current_working_directory": _SHOP}},
        "content": content,
        "timestamp": f"2026-08-10T08:2{number}:00Z",
    }
    metadata = {"stream_end_timestamp_ms": START + number * 60_000 + 20_000}
    return {"user": user, "assistant": assistant, "request_metadata": metadata}


def _use(tool_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    use = {"id": tool_id, "name": name, "args": arguments}
    return {"ToolUse": {"message_id": f"m-{tool_id}", "content": "", "tool_uses": [use]}}


def _results(tool_id: str, content: dict[str, Any]) -> dict[str, Any]:
    return {
        "ToolUseResults": {"tool_use_results": [{"tool_use_id": tool_id, "content": [content], "status": "Success"}]}
    }
