"""Values that JSON allows and that programs stumble over, in the files of every agent."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.readers.records import BadLine
from memtui_core.readers.registry import reader_for
from support.conversations import shown

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
    "continue": (
        ".continue/sessions/x.json",
        '{{"sessionId": "s", "title": {deep}, "history": [{{"message": {{"role": "assistant", "content": "{text}"}},'
        ' "toolCallStates": [{{"toolCallId": "1", "toolCall": {{"function": {{"name": "x"}}}}, "parsedArgs": {odd},'
        ' "output": {deep}}}], "reasoning": {odd}}}], "usage": {odd}}}',
    ),
    "augment": (
        ".augment/sessions/x.json",
        '{{"sessionId": "s", "created": {deep}, "chatHistory": [{{"finishedAt": {odd}, "exchange": {{"response_nodes":'
        ' [{{"type": 0, "content": "{text}"}}, {{"type": 5, "tool_use": {{"tool_use_id": "1", "tool_name": "x",'
        ' "input_json": {odd}}}}}], "request_nodes": {deep}}}}}]}}',
    ),
    "amp": (
        "threads/T-x.json",
        '{{"id": "s", "created": {deep}, "env": {odd}, "messages": [{{"role": "assistant", "content": [{part}],'
        ' "usage": {odd}}}]}}',
    ),
    "vibe": (
        ".vibe/logs/session/s/messages.jsonl",
        '{{"role": "assistant", "content": "{text}", "message_id": {odd}, "reasoning_content": "", "tool_calls":'
        ' [{{"id": "1", "function": {{"name": "x", "arguments": {odd}}}}}]}}\n',
    ),
    "hermes": (
        "hermes/sessions/s.jsonl",
        '{{"role": "assistant", "content": "{text}", "timestamp": {deep}, "reasoning": {odd}, "tool_calls":'
        ' [{{"id": "1", "function": {{"name": "x", "arguments": {odd}}}}}]}}\n',
    ),
    "openclaw": (
        "agents/main/sessions/s.jsonl",
        '{{"type": "session", "id": "s", "cwd": {deep}}}\n{{"type": "message", "id": {odd}, "message":'
        ' {{"role": "assistant", "usage": {odd}, "content": [{{"type": "text", "text": "{text}"}},'
        ' {{"type": "toolCall", "id": "1", "name": "x", "arguments": {odd}}}]}}}}\n',
    ),
}


def write(home: Path, agents: Iterable[str], more: str = "") -> dict[str, Path]:
    """A file of each agent in a folder of its own, whose session has the name of the agent."""
    paths = {}
    for agent in agents:
        name, content = FILES[agent]
        name = name.replace("/s/", f"/{agent}/").replace("/s.jsonl", f"/{agent}.jsonl")
        paths[agent] = home / agent / name
        paths[agent].parent.mkdir(parents=True)
        said = content.replace('"s"', f'"{agent}"').format(text=TEXT, odd=ODD, deep=DEEP, part=PART)
        paths[agent].write_text(said + more)
    return paths


def index_of(home: Path, agents: Iterable[str]) -> Index:
    """One index of the files of all agents."""
    with Indexer(home / "data") as indexer:
        for _ in indexer.update([Location(agent, home / agent) for agent in agents]):
            pass
    return Index.open(home / "data")


def test_odd_values_cost_nothing(tmp_path: Path) -> None:
    paths = write(tmp_path, FILES)
    assert {agent: getattr(reader_for(path), "agent", None) for agent, path in paths.items()} == {
        agent: agent for agent in FILES
    }
    for _ in range(2):
        index = index_of(tmp_path, FILES)
        blocks = {agent: [block for _, own in shown(index, agent) for block in own] for agent in FILES}
        assert {
            agent: (len(shown(index, agent)), [(kind, text) for kind, text in own if kind == "text"])
            for agent, own in blocks.items()
        } == {agent: (1, [("text", SAID)]) for agent in FILES}
        assert {agent: [kind for kind, _ in own if kind.startswith("tool_call")] for agent, own in blocks.items()} == {
            agent: ["tool_call x"] for agent in FILES
        }
        # The second time, the files are read again.
        for path in paths.values():
            path.write_text(path.read_text() + "\n")


def test_a_line_that_is_nested_too_deeply_costs_itself(tmp_path: Path) -> None:
    agents = [agent for agent, (name, _) in FILES.items() if name.endswith(".jsonl")]
    deep = "[" * 100_000 + "]" * 100_000
    paths = write(tmp_path, agents, f'{{"id": "x", "a": {deep}}}\n')
    index = index_of(tmp_path, agents)
    assert {
        agent: [kind for _, blocks in shown(index, agent) for kind, _ in blocks if kind == "text"] for agent in agents
    } == {agent: ["text"] for agent in agents}
    assert dict(
        index.snapshot.rows(
            "SELECT f.path, list(b.reason) FROM bad_lines b JOIN sources f ON f.id = b.source GROUP BY f.path"
        )
    ) == {str(path): [BadLine(0, "not JSON").reason] for path in paths.values()}
