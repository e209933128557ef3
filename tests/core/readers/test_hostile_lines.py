"""Hostile texts in the files of agents that write JSON lines: each is read like any other text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers import registry
from memtui_core.readers.conversion.user_text import classify
from memtui_core.readers.locations import Location

AT = "2026-11-01T09:00:00.000Z"
Entry = dict[str, Any]


def pi(text: str) -> tuple[str, list[Entry]]:
    content = [{"type": "toolCall", "id": text, "name": text, "arguments": {"path": text, "edits": [text]}}]
    details = {"diff": text, "patch": text, "results": [{"id": text, "task": text}]}
    return f"2026-11-01T09-00-00-000Z_{'a' * 8}.jsonl", [
        {"type": "session", "version": 3, "id": text, "timestamp": AT, "cwd": text, "parentSession": text},
        {"type": "message", "id": text, "timestamp": AT, "message": {"role": "user", "content": text}},
        {"type": "message", "id": "b", "timestamp": AT, "message": {"role": "assistant", "content": content}},
        {"type": "message", "message": {"role": "toolResult", "toolCallId": text, "content": text, "details": details}},
        {"type": "session_info", "name": text},
        {"type": "message", "id": "c", "timestamp": text, "message": {"role": "assistant", "content": "The end"}},
    ]


def omp(text: str) -> tuple[str, list[Entry]]:
    name, entries = pi(text)
    return name, [{"type": "title", "title": text, "updatedAt": AT, "pad": " "}, *entries]


def copilot(text: str) -> tuple[str, list[Entry]]:
    request = {"toolCallId": text, "name": text, "arguments": text}
    context = {"cwd": text, "branch": text}
    data: list[tuple[str, Entry]] = [
        ("session.start", {"sessionId": text, "context": context, "copilotVersion": text}),
        ("user.message", {"content": text}),
        ("assistant.message", {"content": text, "toolRequests": [request], "messageId": text, "model": text}),
        ("subagent.started", {"toolCallId": text, "agentName": text, "agentDisplayName": text}),
        ("tool.execution_complete", {"toolCallId": text, "success": False, "error": {"message": text}}),
        ("assistant.message", {"content": "The end"}),
    ]
    entries = [{"type": kind, "data": fields, "id": str(number)} for number, (kind, fields) in enumerate(data)]
    return "session-state/x/events.jsonl", entries


def kimi(text: str) -> tuple[str, list[Entry]]:
    call = {"type": "tool.call", "toolCallId": text, "name": text, "args": {"subagent_type": text, "path": text}}
    events = [call, {"type": "tool.result", "toolCallId": text, "result": {"output": f"agent_id: {text}"}}]
    events.append({"type": "content.part", "part": {"type": "text", "text": "The end"}})
    return "sessions/w/s/agents/main/wire.jsonl", [
        {"type": "metadata", "protocol_version": text, "app_version": text},
        {"type": "config.update", "cwd": text, "modelAlias": text},
        {"type": "turn.prompt", "input": [{"type": "text", "text": text}], "time": 1e300},
        *({"type": "context.append_loop_event", "event": event} for event in events),
    ]


def droid(text: str) -> tuple[str, list[Entry]]:
    parts = [{"type": "tool_use", "id": text, "name": text, "input": {"input": text}}]
    messages = [("user", text), ("assistant", parts), ("user", [{"type": "tool_result", "content": text}])]
    messages.append(("assistant", "The end"))
    start = {"type": "session_start", "id": text, "cwd": text, "sessionTitle": text, "callingSessionId": None}
    return "a.jsonl", [
        start,
        *({"type": "message", "message": {"role": role, "content": content}} for role, content in messages),
    ]


HOSTILE = {
    "nul": "a\x00b",
    "surrogate": "a\ud800b",
    "brackets": "[" * 20_000,
    "hashes": "[a#" * 5_000,
    "patch": "*** Begin Patch\n*** Update File: \x00\n@@\n-\n+",
    "signs": "@@ -1,99999999 +1,9 @@\n" + "+\n- 1\n" * 3_000,
    "path": "/" * 5_000,
    "dots": "../" * 2_000,
    "mark": "#",
    "controls": "\x1b]0;title\x07\u202e\u2028",
    "option": "--help",
}

BAD_LINES = "SELECT f.path, list(b.line) FROM bad_lines b JOIN sources f ON f.id = b.source GROUP BY f.path"
ENDS = (
    "SELECT f.path, count(*) FROM blocks b JOIN turns t ON t.id = b.turn JOIN sources f ON f.id = t.source"
    " WHERE b.kind = 'text' AND b.text = 'The end' GROUP BY f.path"
)


@pytest.mark.parametrize("make", [pi, omp, copilot, kimi, droid], ids=lambda make: make.__name__)
def test_a_hostile_text_is_read_like_any_other(tmp_path: Path, make: Callable[[str], tuple[str, list[Entry]]]) -> None:
    """Each text is in a file of its own; all files are read into one index."""
    expected = {}
    for name, text in HOSTILE.items():
        file, entries = make(text)
        # The session of Kimi Code has the name of its folder.
        path = tmp_path / "home" / name / file.replace("/s/", f"/{name}/")
        path.parent.mkdir(parents=True)
        for entry in entries:
            # Sessions with an entry of one id would be forks.
            if entry.get("id", text) != text:
                entry["id"] += name
        lines = [json.dumps(entry) for entry in entries]
        # Deeper than any decoder goes.
        lines.insert(2, '{"type":"message","message":' + '{"a":[' * 100_000)
        path.write_text("\n".join(lines) + "\n")
        expected[str(path)] = ("partial", len(lines), [2], 1)
    sources = [Location(make.__name__, tmp_path / "home" / name) for name in HOSTILE]
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update(sources):
            pass
    index = Index.open(tmp_path / "data")
    skipped = {row[0]: row[1:] for row in index.snapshot.rows(BAD_LINES)}
    ends = dict(index.snapshot.rows(ENDS))
    assert {
        source.path: (source.state, source.lines, *skipped[source.path], ends.get(source.path))
        for source in index.statistics.sources()
    } == expected
    sessions = index.sessions.all()
    assert len(sessions) == len(HOSTILE)
    for session in sessions:
        command = registry.resume_command(session)
        assert command is None or not command[-1].startswith("-")


def test_many_commands_that_do_not_end_are_read_in_one_pass() -> None:
    """It takes minutes if each of them is searched to the end of the text."""
    text = "<command-name>" * 30_000
    assert classify(text).kind == "command"
