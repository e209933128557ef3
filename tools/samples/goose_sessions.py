"""The sample sessions of Goose: one with a failed command, an edit and a compaction, and its subagent."""

from __future__ import annotations

from typing import Any

from .opencode_sessions import compact, literal

DATABASE = "goose/sessions/sessions.db"
START = 1_786_090_000
"""2026-08-07 08:06:40 UTC, in seconds."""
_TABLES = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
INSERT INTO schema_version VALUES (15);
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, user_set_name BOOLEAN,
 session_type TEXT NOT NULL, working_dir TEXT NOT NULL, created_at TEXT, updated_at TEXT,
 accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, provider_name TEXT, model_config_json TEXT,
 parent_session_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL,
 content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TEXT, tokens INTEGER, metadata_json TEXT);
"""
_INFRA = "/home/ana/code/infra"
_MODEL = '{"model_name":"claude-sonnet-4-5"}'
_PAST = '{"userVisible":true,"agentVisible":false}'
_UNSEEN = '{"userVisible":false,"agentVisible":true}'
_SUMMARY = """The user wants backups that are older than 30 days to be deleted.
scripts/prune.sh now deletes them with find -mtime +30; its dry run lists 4 files."""


def build() -> dict[str, str]:
    """The script of the database, by its path."""
    lines = [_TABLES.strip()]
    times = ("2026-08-07 08:06:40", "2026-08-07 08:15:00")
    about = ("user", _INFRA, *times, 9400, 610, "anthropic", _MODEL)
    _insert(lines, "sessions", "20260807_1", "20260807_1", "Delete backups after 30 days", 0, *about, None)
    about = ("sub_agent", _INFRA, *times, 1200, 80, "anthropic", _MODEL)
    _insert(lines, "sessions", "20260807_2", "20260807_2", "Find the folder of the backups", 0, *about, "20260807_1")
    command = {"command": "scripts/prune.sh --dry-run"}
    edit = {
        "command": "str_replace",
        "path": f"{_INFRA}/scripts/prune.sh",
        "old_str": "find backups -mtime 30",
        "new_str": "find backups -mtime +30",
    }
    messages: list[tuple[str, str, list[dict[str, Any]], str | None]] = [
        ("20260807_1", "user", [_text("Backups older than 30 days should be deleted. prune.sh finds none.")], _PAST),
        (
            "20260807_1",
            "assistant",
            [
                {
                    "type": "thinking",
                    "thinking": "-mtime 30 means exactly 30 days. A dry run shows it.",
                    "signature": "",
                },
                _text("I run it once without deleting anything."),
                _request("toolu_01", "developer__shell", command),
            ],
            _PAST,
        ),
        ("20260807_1", "user", [_response("toolu_01", "find: no file matches\nexit code: 1", failed=True)], _PAST),
        ("20260807_1", "assistant", [_request("toolu_02", "developer__text_editor", edit)], _PAST),
        ("20260807_1", "user", [_response("toolu_02", "The file was edited.")], _PAST),
        ("20260807_1", "assistant", [_text("prune.sh now finds the files that are older than 30 days.")], _PAST),
        ("20260807_1", "user", [_text(_SUMMARY)], _UNSEEN),
        ("20260807_1", "user", [_text("Good. Write the command into the README.")], None),
        ("20260807_1", "assistant", [_text("The README has a section about backups now.")], None),
        ("20260807_2", "user", [_text("In which folder are the backups?")], None),
        ("20260807_2", "assistant", [_text("In backups/, one file a day.")], None),
    ]
    for number, (session, role, content, metadata) in enumerate(messages, start=1):
        at = START + 30 * number
        row = (number, f"msg_{number:03}", session, role, compact(content), at, None, None, metadata)
        _insert(lines, "messages", *row)
    return {DATABASE: "\n".join(lines) + "\n"}


def _insert(lines: list[str], table: str, *values: Any) -> None:
    lines.append(f"INSERT INTO {table} VALUES ({', '.join(map(literal, values))});")


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _request(tool_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    call = {"status": "success", "value": {"name": name, "arguments": arguments}}
    return {"type": "toolRequest", "id": tool_id, "toolCall": call}


def _response(tool_id: str, text: str, *, failed: bool = False) -> dict[str, Any]:
    value = {"content": [_text(text)], "isError": failed}
    return {"type": "toolResponse", "id": tool_id, "toolResult": {"status": "success", "value": value}}
