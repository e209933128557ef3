"""Sessions of every agent as stores, the samples or invented ones, and what an entry of an unknown type is there."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import bench.agents.__main__ as agents_bench
from memtui_core.readers.registry import all_readers
from support.protobuf import message
from support.stores import Series, Store, store_in

TYPE: Final = "unheard_of"
"""The type of entries that no reader knows."""
UNKNOWN: Final = "Something that nobody knows"
"""The text in such an entry."""
_INVENTED: Final = {"chatgpt", "claude-ai", "generic"}
_KIMI_CLI: Final = "kimi of its first format"
STORES: Final[Mapping[str, str]] = {reader.agent: reader.agent for reader in all_readers()} | {_KIMI_CLI: "kimi"}
"""The names of the stores, and the agents that wrote them."""
ORDER_COUNTS: Final = {
    "codex": "what an event and an item both say is shown once, as the first of them has it",
    "junie": "a step is shown as the agent wrote it last, of all its events",
}
"""The agents whose entries can lose their texts by being doubled or swapped, and why."""
_CLAUDE_CODE: Final = (
    "-home-ana-code-site/5dbcdf60*.jsonl",
    "-home-ana-code-site/43d32c51*.jsonl",
    "-home-ana-code-site/7138ff26*/**/*.jsonl",
    "-home-ana-code-shop-api/3169d584*.jsonl",
)
"""The smaller ones of the sample sessions."""


@cache
def original(name: str, folder: Path) -> Store:
    """A store as the agent wrote it; a folder is needed to make an invented one."""
    if name in _INVENTED or name == _KIMI_CLI:
        for path, content in _invented()[name].items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            is_lines = file.suffix == ".jsonl"
            file.write_text("\n".join(map(json.dumps, content)) if is_lines else json.dumps(content))
        return store_in(folder)
    if name == "claude-code":
        return store_in(agents_bench.SAMPLES[0] / "projects", _CLAUDE_CODE)
    return store_in(agents_bench.samples_of(name))


def unknown_beside(name: str, series: Series, value: Any) -> Any:
    """An entry of an unknown type beside another one of a series; None where entries have no types."""
    by_place = _UNKNOWN.get(STORES[name], _USUAL)
    make = next((make for place, make in by_place.items() if place in series.name), None)
    return copy.deepcopy(make(value)) if make is not None else None


_ENTRY: Final = {"type": TYPE, "text": UNKNOWN}


def _entry(value: Any) -> Any:
    return _ENTRY


def _of_session(value: Any) -> Any:
    """An entry with the id of the session; without one, the file may be that of another program."""
    session = value.get("sessionId") if isinstance(value, dict) else None
    return {"sessionId": session, **_ENTRY} if isinstance(session, str) and session else None


def _row(**columns: Any) -> Callable[[Any], Any]:
    return lambda value: {**value, **columns} if isinstance(value, dict) else None


_Places = Mapping[str, Callable[[Any], Any]]
"""By a part of the name of a series, how an entry is made."""
_USUAL: Final[_Places] = dict.fromkeys(
    (".jsonl", "/events", "api_conversation_history.json", " messages", " history", " chatHistory", " chat_messages"),
    _entry,
)
_OPENCODE: Final[_Places] = {" part": _row(data=_ENTRY), " session_message": _row(type=TYPE, data=_ENTRY)}
_NODE: Final = {"author": {"role": "user"}, "content": {**_ENTRY, "content_type": TYPE}}
_UNKNOWN: Final[Mapping[str, _Places]] = {
    "aider": {},
    "chatgpt": {" mapping": lambda value: {"id": "x", "message": _NODE}},
    "claude-code": {".jsonl": _of_session},
    "cline": {".messages.json messages": _entry, "api_conversation_history.json": _entry},
    "codex": {"/rollout-": _entry},
    "crush": {" messages": _row(role=TYPE, parts=[{"type": TYPE, "data": {"text": UNKNOWN}}])},
    "goose": {" messages": _row(role=TYPE, content_json=[_ENTRY])},
    "hermes": {".jsonl": _entry, "state.db messages": _row(role=TYPE, content=UNKNOWN)},
    "junie": {"/events.jsonl": _entry},
    "kilo": _OPENCODE,
    "openclaw": {".jsonl": _entry, " transcript_events": _row(event_json=_ENTRY)},
    "opencode": _OPENCODE,
    "qwen": {".jsonl": _of_session},
    "warp": {" agent_tasks task": lambda value: message({5: {99: {1: UNKNOWN}}})},
}


def _invented() -> Mapping[str, Mapping[str, Any]]:
    folder = f"sessions/{hashlib.md5(b'/home/ana/code/site', usedforsecurity=False).hexdigest()}"
    return {
        "chatgpt": {"conversations.json": [_chatgpt("c-1"), _chatgpt("c-2")]},
        "claude-ai": {"conversations.json": [_claude_ai("c-1"), _claude_ai("c-2")]},
        "generic": {
            "lines.jsonl": _MESSAGES,
            "document.json": {"id": "d", "title": "How to round prices", "messages": _MESSAGES},
        },
        _KIMI_CLI: {
            f"{folder}/5b8d3c1e-0f2a-4c3b-9d4e-7a6b5c4d3e2f/wire.jsonl": _wire(),
            f"{folder}/5b8d3c1e-0f2a-4c3b-9d4e-7a6b5c4d3e2f/state.json": {"custom_title": "Prices that are round"},
            f"{folder}/6b8d3c1e-0f2a-4c3b-9d4e-7a6b5c4d3e2f/context.jsonl": _CONTEXT,
            "kimi.json": {"work_dirs": [{"path": "/home/ana/code/site"}]},
        },
    }


def _chatgpt(number: str) -> dict[str, Any]:
    said = [
        ("user", {"content_type": "text", "parts": [f"How are prices rounded in {number}?"]}, "all"),
        (
            "assistant",
            {"content_type": "thoughts", "thoughts": [{"summary": "Cents", "content": "Cents are whole numbers"}]},
            "all",
        ),
        ("assistant", {"content_type": "code", "text": f"round(2.675, 2) # in {number}"}, "python"),
        ("tool", {"content_type": "execution_output", "text": f"2.67 is the result in {number}"}, "all"),
        ("assistant", {"content_type": "text", "parts": [f"Use Decimal for prices in {number}."]}, "all"),
    ]
    nodes = {
        f"n{place}": {
            "id": f"n{place}",
            "parent": f"n{place - 1}",
            "message": {
                "id": f"{number}-{place}-0000-0000-0000",
                "author": {"role": role},
                "create_time": 1_790_000_000 + place,
                "content": content,
                "metadata": {"model_slug": "gpt-5"},
                "recipient": recipient,
            },
        }
        for place, (role, content, recipient) in enumerate(said)
    }
    return {
        "conversation_id": number,
        "title": f"The rounding of {number}",
        "update_time": 1_790_000_009.5,
        "mapping": nodes,
    }


def _claude_ai(number: str) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "t1", "name": "repl", "input": {"code": f"round(2.675, 2) // in {number}"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": [{"type": "text", "text": f"It is 2.67 in {number}"}],
    }
    parts = [{"type": "thinking", "thinking": f"Cents are whole in {number}"}, call, result]
    answer = {"type": "text", "text": f"Use whole numbers of cents in {number}."}
    file = {"file_name": "prices.txt", "extracted_content": f"The prices are in {number}"}
    said = [
        ("human", [{"type": "text", "text": f"How are prices rounded in {number}?"}], [file]),
        ("assistant", [*parts, answer], []),
        ("human", [{"type": "text", "text": f"Thanks, that was quick in {number}"}], []),
    ]
    messages = [
        {
            "uuid": f"{number}-{place}",
            "sender": sender,
            "text": "",
            "content": content,
            "attachments": files,
            "created_at": f"2026-09-0{place + 1}T09:00:00Z",
        }
        for place, (sender, content, files) in enumerate(said)
    ]
    return {
        "uuid": number,
        "name": f"The rounding of {number}",
        "updated_at": "2026-09-04T09:00:00Z",
        "chat_messages": messages,
    }


_MESSAGES: Final = [
    {"role": "system", "content": "Be brief and friendly."},
    {"role": "user", "content": "List the files of the shop", "timestamp": 1_790_000_000},
    {
        "role": "assistant",
        "content": None,
        "model": "local-7b",
        "reasoning_content": "A call will do here",
        "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls -l shop"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "k1", "content": "a.py and b.py"},
    {"role": "assistant", "content": [{"type": "text", "text": "There are two files."}]},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "k1", "content": "a late result"},
            {"type": "text", "text": "Thanks for the list"},
            {"type": "image", "source": {"media_type": "image/png", "data": "A" * 40}},
        ],
    },
]


def _wire() -> list[dict[str, Any]]:
    call = {"type": "function", "id": "c1", "function": {"name": "Shell", "arguments": '{"command":"pytest -q tests"}'}}
    result = {"is_error": True, "output": "1 failed, 3 passed\n", "message": "The command has failed.", "display": []}
    inner = {"type": "ContentPart", "payload": {"type": "text", "text": "The agent has looked."}}
    usage = {"input_other": 100, "output": 20, "input_cache_read": 300, "input_cache_creation": 40}
    events = [
        ("TurnBegin", {"user_input": "Please round the prices"}),
        ("StepBegin", {"n": 1}),
        ("ContentPart", {"type": "think", "think": "Cents are best, I think."}),
        ("ContentPart", {"type": "text", "text": "I will look for them."}),
        ("ToolCall", {**call, "function": {"name": "Shell", "arguments": '{"command":'}}),
        ("ToolCallPart", {"arguments_part": '"pytest -q tests"}'}),
        ("StatusUpdate", {"token_usage": usage, "message_id": "m1", "context_tokens": 440}),
        ("ToolResult", {"tool_call_id": "c1", "return_value": result}),
        ("SubagentEvent", {"task_tool_call_id": "c1", "event": inner}),
        ("Notification", {"title": "The tests", "body": "They have passed now", "severity": "info"}),
        ("HookResolved", {"event": "Stop", "action": "block", "reason": "The tests still fail"}),
        ("CompactionBegin", {}),
        ("CompactionEnd", {}),
        ("TurnBegin", {"user_input": [{"type": "text", "text": "What about the taxes?"}]}),
        ("ContentPart", {"type": "text", "text": "They are round already."}),
        ("TurnEnd", {}),
    ]
    return [
        {"type": "metadata", "protocol_version": "1.9"},
        *(
            {"timestamp": 1_790_000_000.5 + place, "message": {"type": kind, "payload": payload}}
            for place, (kind, payload) in enumerate(events)
        ),
    ]


_CONTEXT: Final = [
    {"role": "_system_prompt", "content": "You are a helpful agent."},
    {"role": "_checkpoint", "id": 0},
    {"role": "user", "content": "Which pages link to the shop?"},
    {
        "role": "assistant",
        "content": [
            {"type": "think", "think": "A search will find them."},
            {"type": "text", "text": "I search for them."},
        ],
        "tool_calls": [
            {"type": "function", "id": "g1", "function": {"name": "Grep", "arguments": '{"pattern":"to the shop"}'}}
        ],
    },
    {"role": "_usage", "token_count": 900},
    {"role": "tool", "content": [{"type": "text", "text": "index.html: to the shop"}], "tool_call_id": "g1"},
    {"role": "assistant", "content": "Only the first page does."},
    {"role": "_checkpoint", "id": 1},
    {"role": "user", "content": [{"type": "text", "text": "Thanks, that is all."}]},
    {"role": "assistant", "content": "You are very welcome."},
]
