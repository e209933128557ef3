"""Sessions of Cline: one of the program for the terminal in `shop-api`, and a task of an older extension in `site`."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]
SESSION = "1786095000000_k3v9q"
TASK = "1771234500000"
_START = 1_786_095_000_000
_DETAILS = (
    "<environment_details>\n# VSCode Open Tabs\nsrc/menu.ts\n\n# Current Time\n2/16/2026, 10:35:{} AM (Europe/Vienna,"
    " UTC+1:00)\n\n# Current Working Directory (/home/ana/code/site) Files\nsrc/menu.ts\n</environment_details>"
)


def build() -> dict[str, str]:
    """The content of every file by its path."""
    session, task = f"cline/data/sessions/{SESSION}/{SESSION}", f"cline/data/tasks/{TASK}"
    return {
        f"{session}.json": _json(_about()),
        f"{session}.messages.json": _json(_messages()),
        f"{session}.compaction.json": _json(_compaction()),
        f"{task}/api_conversation_history.json": _json(_menu()),
        f"{task}/ui_messages.json": _json(_screen()),
        f"{task}/task_metadata.json": _json(_metadata()),
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _message(number: int, role: str, *parts: Json | str, **more: Any) -> Json:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"id": f"msg_{number:02}", "role": role, "content": content, "ts": _START + number * 20_000, **more}


def _about() -> Json:
    return {
        "session_id": SESSION,
        "created_at": "2026-08-07T08:10:00.000Z",
        "provider": "cline",
        "model": "claude-sonnet-5",
        "cwd": "/home/ana/code/shop-api",
        "workspace_root": "/home/ana/code/shop-api",
        "prompt": "Which settings does nobody use any more?",
        "metadata": {"title": "Settings that nobody uses"},
        "messages_path": f"/home/ana/old-laptop/sessions/{SESSION}.messages.json",
    }


def _messages() -> Json:
    def metrics(given: int, written: int) -> Json:
        counts = {"inputTokens": given, "outputTokens": written, "cacheReadTokens": 4_096, "cacheWriteTokens": 0}
        return {"modelInfo": {"id": "claude-sonnet-5", "provider": "cline"}, "metrics": counts}

    commands = {"commands": json.dumps(["rg -o 'settings\\.\\w+' src", "make test"])}
    outputs = [
        {"query": "rg -o 'settings\\.\\w+' src", "result": "settings.currency\nsettings.timeout", "success": True},
        {"query": "make test", "result": "1 failed", "error": "Command exited with code 2", "success": False},
    ]
    edit = {"path": "settings.toml", "old_text": "legacy_tax = true\n", "new_text": ""}
    messages = [
        _message(0, "user", "Which settings does nobody use any more?"),
        _message(
            1, "assistant", {"type": "thinking", "thinking": "Compare the file with the code."},
            {"type": "tool_use", "id": "toolu_01", "name": "run_commands", "input": commands}, **metrics(310, 70),
        ),
        _message(2, "user", {"type": "tool_result", "tool_use_id": "toolu_01", "content": outputs}),
        _message(
            3, "assistant", "Only legacy_tax is not used; a test still names it.",
            {"type": "tool_use", "id": "toolu_02", "name": "editor", "input": edit}, **metrics(420, 51),
        ),
        _message(4, "user", {"type": "tool_result", "tool_use_id": "toolu_02", "content": "Edited settings.toml"}),
        _message(6, "assistant", "The setting and its test are gone.", **metrics(190, 12)),
    ]  # fmt: skip
    return {"version": 1, "agent": "lead", "sessionId": SESSION, "messages": messages}


def _compaction() -> Json:
    summary = {"kind": "compaction_summary", "summary": "legacy_tax was removed from settings.toml; its test remains."}
    return {"messages": [_message(5, "user", "Summary", metadata=summary)]}


def _menu() -> list[Json]:
    def said(role: str, *texts: str) -> Json:
        return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}

    diff = "------- SEARCH\nopen = true\n=======\nopen = false\n+++++++ REPLACE"
    return [
        said("user", "<task>\nThe menu is open when the page loads\n</task>", _DETAILS.format("01")),
        said(
            "assistant",
            "<thinking>\nIts first state is wrong.\n</thinking>\n\nThe menu starts open.\n\n<replace_in_file>\n"
            f"<path>src/menu.ts</path>\n<diff>\n{diff}\n</diff>\n</replace_in_file>",
        ),
        said("user", "[replace_in_file for 'src/menu.ts'] Result:", "The content was saved.", _DETAILS.format("20")),
        said("assistant", "<attempt_completion>\n<result>\nThe menu starts closed.\n</result>\n</attempt_completion>"),
    ]


def _screen() -> list[Json]:
    def request(number: int, given: int, written: int) -> Json:
        text = json.dumps({"tokensIn": given, "tokensOut": written, "cacheWrites": 0, "cacheReads": 0, "cost": 0.01})
        return {"ts": int(TASK) + number, "type": "say", "say": "api_req_started", "text": text}

    shown = {"ts": int(TASK), "type": "say", "say": "text", "text": "The menu is open when the page loads"}
    return [shown, request(900, 5_400, 88), request(20_900, 5_700, 31)]


def _metadata() -> Json:
    use = {"ts": int(TASK), "model_id": "claude-sonnet-4-5", "model_provider_id": "anthropic", "mode": "act"}
    return {"files_in_context": [], "model_usage": [use], "environment_history": [{"cline_version": "3.38.1"}]}
