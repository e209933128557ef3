"""Values that JSON allows and that programs stumble over, in the files of every agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.readers.records import BadLine
from memtui_core.readers.registry import reader_for
from support.conversations import shown
from support.indexes import build

DEEP = "[" * 900 + "]" * 900
"""As deep as the decoder reads; no encoder writes it."""
ODD = rf'{{"a": "\u0000", "b": "\ud800", "c": 1e400, "d": {2**70}, "e": {DEEP}}}'
TEXT = r"Hello \u0000 \ud800 \ud83d\ude00"
SAID = "Hello \0 � 😀"
PART = rf'{{"type": "text", "text": "{TEXT}"}}, {{"type": "tool_use", "id": "1", "name": "x", "input": {ODD}}}'
FILES = {
    "gemini": (
        "tmp/x/chats/session-1.jsonl",
        '{{"sessionId": "s", "projectHash": "h"}}\n{{"id": "g", "type": "gemini", "content": "{text}", "toolCalls":'
        ' [{{"id": "1", "name": "x", "args": {odd}, "result": {deep}, "status": "success"}}], "tokens": {odd}}}\n',
    ),
    "qwen": (
        "projects/x/chats/s.jsonl",
        '{{"type": "assistant", "sessionId": "s", "message": {{"parts": [{{"text": "{text}"}},'
        ' {{"functionCall": {{"id": "1", "name": "x", "args": {odd}}}}}]}}, "usageMetadata": {odd}}}\n',
    ),
    "cursor": (
        "projects/x/agent-transcripts/s/s.jsonl",
        '{{"role": "assistant", "message": {{"content": [{part}]}}, "model": {deep}}}\n',
    ),
    "cline": (
        "x/tasks/s/api_conversation_history.json",
        '[{{"role": "assistant", "content": [{part}], "ts": {deep}, "metrics": {odd}}}]',
    ),
    "antigravity": (
        "brain/s/.system_generated/logs/transcript.jsonl",
        '{{"source": "MODEL", "created_at": {deep}, "content": "{text}", "tool_calls":'
        ' [{{"name": "x", "args": {odd}}}]}}\n',
    ),
    "droid": (
        ".factory/sessions/x/s.jsonl",
        '{{"type": "session_start", "id": "s", "cwd": {deep}}}\n'
        '{{"type": "message", "id": {odd}, "message": {{"role": "assistant", "content": [{part}]}}}}\n',
    ),
}


@pytest.mark.parametrize("agent", FILES)
def test_odd_values_cost_nothing(tmp_path: Path, agent: str) -> None:
    name, content = FILES[agent]
    path = tmp_path / "home" / name
    path.parent.mkdir(parents=True)
    path.write_text(content.format(text=TEXT, odd=ODD, deep=DEEP, part=PART))
    assert getattr(reader_for(path), "agent", None) == agent
    for _ in range(2):
        index = build(tmp_path / "data", tmp_path / "home", agent=agent)
        ((_, blocks),) = shown(index, "s")
        assert [(kind, text) for kind, text in blocks if kind == "text"] == [("text", SAID)]
        assert [kind for kind, _ in blocks if kind.startswith("tool_call")] == ["tool_call x"]
        # The second time, the file is read again.
        path.write_text(path.read_text() + "\n")


@pytest.mark.parametrize("agent", [agent for agent in FILES if agent != "cline"])
def test_a_line_that_is_nested_too_deeply_costs_itself(tmp_path: Path, agent: str) -> None:
    name, content = FILES[agent]
    path = tmp_path / "home" / name
    path.parent.mkdir(parents=True)
    deep = "[" * 100_000 + "]" * 100_000
    path.write_text(content.format(text=TEXT, odd=ODD, deep=DEEP, part=PART) + f'{{"id": "x", "a": {deep}}}\n')
    index = build(tmp_path / "data", tmp_path / "home", agent=agent)
    assert [kind for _, blocks in shown(index, "s") for kind, _ in blocks if kind == "text"] == ["text"]
    assert index.snapshot.rows("SELECT reason FROM bad_lines") == [(BadLine(0, "not JSON").reason,)]
