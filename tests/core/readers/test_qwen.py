"""Sessions of Qwen Code: lines that are only appended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.readers.agents.qwen.reader import Qwen
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.records import BadLine
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from support.conversations import assert_grow, jsonl, shown, tool_calls
from support.indexes import build
from support.systems import HOME_VARIABLE

ROOT = "/home/ana/code/shop"
ID = "0199aaaa-0000-7000-8000-000000000001"
DIFF = "--- price.py\n+++ price.py\n@@ -1,1 +1,2 @@\n-return x\n+# Two digits.\n+return round(x, 2)"
CHILD = "agent-explore-7f3c"


def entry(number: int, kind: str, parts: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    role = "model" if kind == "assistant" else "user"
    known = {"uuid": f"e{number}", "sessionId": ID, "timestamp": f"2026-08-01T09:00:{number:02}Z", "type": kind}
    place = {"cwd": ROOT, "version": "0.21.13", "gitBranch": "prices"}
    message = {} if parts is None else {"message": {"role": role, "parts": parts}}
    return {**known, **place, **message, **more}


def called(tool_id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"functionCall": {"id": tool_id, "name": name, "args": arguments}}


def returned(tool_id: str, response: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": tool_id, "name": "x", "response": response}}


ASKED = "Round the prices"
CONTEXT = "<qwen:user-prompt-submit-context>\nMonday\n</qwen:user-prompt-submit-context>"
TESTS = {"command": "pytest"}
EDIT = {"file_path": f"{ROOT}/price.py", "old_string": "return x", "new_string": "return round(x, 2)"}
USAGE = {"promptTokenCount": 900, "candidatesTokenCount": 40, "cachedContentTokenCount": 300, "thoughtsTokenCount": 10}
ENTRIES = [
    entry(1, "system", subtype="session_model", systemPayload={"modelId": "qwen3-coder"}),
    entry(2, "user", [{"text": ASKED}, {"text": CONTEXT}], systemPayload={"displayText": ASKED}),
    entry(3, "assistant", [{"text": "Two digits.", "thought": True}], model="qwen3-coder"),
    entry(
        4,
        "assistant",
        [
            {"text": "I round them."},
            called("c1", "edit", EDIT),
            called("c2", "run_shell_command", TESTS),
        ],
        model="qwen3-coder",
        usageMetadata={**USAGE, "totalTokenCount": 950},
    ),
    entry(
        5,
        "tool_result",
        [returned("c1", {"output": "Edited"})],
        toolCallResult={"callId": "c1", "status": "success", "resultDisplay": {"fileDiff": DIFF, "fileName": "p"}},
    ),
    entry(
        6, "tool_result", [returned("c2", {"error": "1 failed"})], toolCallResult={"callId": "c2", "status": "error"}
    ),
    entry(7, "user", [{"text": "Shell finished"}], subtype="notification"),
    entry(8, "system", subtype="custom_title", systemPayload={"customTitle": "Prices", "titleSource": "auto"}),
    entry(9, "user", [{"text": "Go on"}], subtype="mid_turn_user_message"),
    entry(10, "system", subtype="slash_command", systemPayload={"phase": "invocation", "rawCommand": "/stats"}),
    entry(
        11,
        "system",
        subtype="slash_command",
        systemPayload={
            "phase": "result",
            "rawCommand": "/stats",
            "outputHistoryItems": [{"type": "info", "text": "12"}],
        },
    ),
    entry(12, "assistant", [{"text": "Done."}], model="qwen3-max", usageMetadata={"promptTokenCount": 7}),
]
EXPECTED = [
    (
        "human",
        [
            ("user", ASKED),
            ("note reminder", CONTEXT),
            ("thinking", "Two digits."),
            ("text", "I round them."),
            (
                "tool_call edit",
                json.dumps(EDIT, separators=(",", ":")),
            ),
            ("tool_call run_shell_command", '{"command":"pytest"}'),
            ("tool_result edit", "Edited"),
            ("tool_result run_shell_command!", "1 failed"),
            ("note notification", "Shell finished"),
        ],
    ),
    ("human", [("user", "Go on"), ("note command", "/stats"), ("note command", "12"), ("text", "Done.")]),
]


def project(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / ".qwen" / "projects" / "-home-ana-code-shop"
    (folder / "chats").mkdir(parents=True, exist_ok=True)
    return folder


def write(tmp_path: Path, *entries: Any, name: str = ID) -> Path:
    path = project(tmp_path) / "chats" / f"{name}.jsonl"
    path.write_text(jsonl(entries))
    return path


def index_of(tmp_path: Path) -> Index:
    return build(tmp_path / "data", tmp_path / "home", agent="qwen")


def test_everything_in_a_session(tmp_path: Path) -> None:
    write(tmp_path, *ENTRIES)
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    assert shown(index, ID) == EXPECTED
    assert (session.agent, session.cwd, session.project, session.title) == ("qwen", ROOT, "shop", "Prices")
    assert (session.branch, session.version) == ("prices", "0.21.13")
    assert session.models == ("qwen3-coder", "qwen3-max")
    assert (session.input_tokens, session.output_tokens) == (607, 50)
    assert resume_command(session) == ["qwen", "--resume", ID]
    assert Qwen().start_command("Hi") == ["qwen", "--prompt-interactive", "Hi"]
    edit, shell = tool_calls(index, ID)
    assert diff_of(edit) == "@@ -1,1 +1,2 @@\n-return x\n+# Two digits.\n+return round(x, 2)"
    assert (edit.path, shell.command, shell.is_error) == (f"{ROOT}/price.py", "pytest", True)
    assert [(touch.path, touch.kind) for touch in index.files.of_turn(session.key, 1)] == [("price.py", "edited")]


def test_the_title_of_the_user_counts_more(tmp_path: Path) -> None:
    title = entry(13, "system", subtype="custom_title", systemPayload={"customTitle": "Mine"})
    write(tmp_path, *ENTRIES[:7], title, ENTRIES[7])
    assert index_of(tmp_path).sessions.find(ID).title == "Mine"


def test_a_compression_starts_a_segment_and_repeats_nothing(tmp_path: Path) -> None:
    history = [
        {"role": "user", "parts": [{"text": "So far: rounded."}]},
        {"role": "model", "parts": [{"text": "Got it."}]},
        {"role": "user", "parts": [{"text": "Go on"}]},
    ]
    info = {"originalTokenCount": 90_000, "newTokenCount": 4_000, "trigger": "auto"}
    compressed = entry(
        20, "system", subtype="chat_compression", systemPayload={"info": info, "compressedHistory": history}
    )
    write(tmp_path, *ENTRIES, compressed, entry(21, "assistant", [{"text": "Going on."}]))
    index = index_of(tmp_path)
    assert shown(index, ID) == [*EXPECTED, ("compaction", [("user", "So far: rounded."), ("text", "Going on.")])]
    (compaction,) = index.compactions.of_session(index.sessions.find(ID).key)
    assert (compaction.trigger, compaction.tokens_before, compaction.turn) == ("auto", 90_000, 3)
    assert [turn.segment for turn in index.sessions.turns(index.sessions.find(ID).key)] == [0, 0, 1]


def test_what_was_taken_back_stays(tmp_path: Path) -> None:
    rewind = entry(14, "system", subtype="rewind", systemPayload={"truncatedCount": 2})
    write(tmp_path, entry(1, "user", [{"text": "Hi"}]), entry(2, "assistant", [{"text": "No"}]), rewind)
    note = ("note meta", "The conversation was taken back to an earlier message.")
    assert shown(index_of(tmp_path), ID) == [("human", [("user", "Hi"), ("text", "No"), note])]


def test_a_subagent_belongs_to_its_call(tmp_path: Path) -> None:
    arguments = {"subagent_type": "explore", "description": "Look for prices", "prompt": "Find the prices"}
    asked = entry(2, "assistant", [called("t1", "agent", arguments)])
    done = entry(3, "tool_result", [returned("t1", {"output": "price.py"})], toolCallResult={"callId": "t1"})
    path = write(tmp_path, entry(1, "user", [{"text": "Where?"}]), asked, done)
    folder = project(tmp_path) / "subagents" / ID
    folder.mkdir(parents=True)
    child = [
        entry(4, "user", [{"text": "Find the prices"}], isSidechain=True, agentId="explore-7f3c"),
        entry(5, "assistant", [{"text": "In price.py."}], isSidechain=True),
    ]
    (folder / f"{CHILD}.jsonl").write_text(jsonl(child))
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    (started,) = index.sessions.subagents(session.key)
    assert (started.session_id, started.parent_tool_id, started.title) == (
        "agent-explore-7f3c",
        "t1",
        "Look for prices",
    )
    assert shown(index, CHILD) == [("agent", [("user", "Find the prices"), ("text", "In price.py.")])]
    assert Qwen().subagent_locations(path) == [folder]


def test_a_session_that_another_one_created(tmp_path: Path) -> None:
    made = entry(1, "system", subtype="parent_session", systemPayload={"parentSessionId": ID})
    write(tmp_path, *ENTRIES)
    write(tmp_path, made, entry(30, "user", [{"text": "Look"}]), name="other")
    index = index_of(tmp_path)
    assert [one.session_id for one in index.sessions.subagents(index.sessions.find(ID).key)] == ["other"]


def test_a_fork_shares_its_entries(tmp_path: Path) -> None:
    write(tmp_path, *ENTRIES)
    fork = "0199bbbb-0000-7000-8000-000000000002"
    copies = [one | {"sessionId": fork, "forkedFrom": {"sessionId": ID, "messageUuid": one["uuid"]}} for one in ENTRIES]
    write(tmp_path, *copies, entry(40, "user", [{"text": "Another way"}], sessionId=fork), name=fork)
    index = index_of(tmp_path)
    assert (shown(index, ID), shown(index, fork)) == (EXPECTED, [("human", [("user", "Another way")])])
    assert index.sessions.find(fork).forked_from == ID
    assert index.sessions.find(ID).input_tokens == 607


def test_files_that_grow_come_to_the_same(tmp_path: Path) -> None:
    made = entry(60, "system", subtype="parent_session", systemPayload={"parentSessionId": "other"})
    files: dict[Path, bytes] = {}
    for number in range(4):
        own = f"{number}{ID[1:]}"
        entries = [one | {"uuid": f"{number}{one['uuid']}", "sessionId": own} for one in (made, *ENTRIES)]
        files[project(tmp_path) / "chats" / f"{own}.jsonl"] = jsonl(entries).encode()
    assert_grow(tmp_path, "qwen", files)


def test_unknown_and_broken_entries_cost_nothing_else(tmp_path: Path) -> None:
    lines = jsonl(ENTRIES[1:3]).rstrip("\n").replace("}\n{", "}{") + "\nno JSON\n"
    odd = [entry(50, "radar"), entry(51, "system", subtype="weather"), entry(52, "system", subtype="ui_telemetry")]
    path = project(tmp_path) / "chats" / f"{ID}.jsonl"
    path.write_text(lines + jsonl(odd) + '{"type": "assis')
    index = index_of(tmp_path)
    assert shown(index, ID) == [("human", EXPECTED[0][1][:3])]
    assert [one.state for one in index.statistics.sources()] == ["waiting"]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not JSON")]
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line") == [
        (2, "radar"),
        (3, "system:weather"),
    ]


def test_parts_as_other_services_name_them(tmp_path: Path) -> None:
    content = [
        {"type": "text", "text": "Writing."},
        {"type": "tool_use", "id": "t", "name": "Write", "input": {"path": "a"}},
    ]
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "wrote a", "is_error": True}]
    write(
        tmp_path,
        entry(1, "user", message={"role": "user", "content": "Write"}),
        entry(2, "assistant", message={"role": "assistant", "content": content}),
        entry(3, "tool_result", message={"role": "tool", "content": result}),
        entry(4, "user", [{"inlineData": {"mimeType": "image/png", "data": "A" * 4000}}]),
        entry(5, "tool_result", toolCallResult={"callId": "u", "resultDisplay": "shown"}),
    )
    assert shown(index_of(tmp_path), ID) == [
        (
            "human",
            [
                ("user", "Write"),
                ("text", "Writing."),
                ("tool_call Write", '{"path":"a"}'),
                ("tool_result Write!", "wrote a"),
            ],
        ),
        ("human", [("image", "[image/png 3 kB]"), ("tool_result", "shown")]),
    ]


def test_which_files_it_reads(tmp_path: Path) -> None:
    folder = tmp_path / ".qwen" / "projects" / "-x"
    paths = [folder / "chats" / "a.jsonl", folder / "subagents" / ID / "agent-a.jsonl", folder / "chats" / "a.txt"]
    claude = [folder / ID / "subagents" / "agent-a.jsonl", folder / "a.jsonl"]
    assert [Qwen().accepts(path) for path in paths + claude] == [True, True, False, False, False]
    copy, of_claude = tmp_path / "copy.jsonl", tmp_path / "claude.jsonl"
    copy.write_text(jsonl(ENTRIES))
    of_claude.write_text(jsonl([{"type": "user", "sessionId": ID, "message": {"content": "Hi"}}]))
    assert [getattr(reader_for(path), "agent", None) for path in (copy, of_claude)] == ["qwen", "claude-code"]
    index = build(tmp_path / "data", copy, agent=None)
    assert [one.session_id for one in index.sessions.all()] == [ID]


def test_its_location(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    homes = [{}, {"QWEN_HOME": "/q"}, {"QWEN_HOME": "/q", "QWEN_RUNTIME_DIR": "/r"}]
    assert [Qwen().default_locations(environ) for environ in homes] == [
        [tmp_path / ".qwen" / "projects"],
        [Path("/q/projects")],
        [Path("/r/projects")],
    ]


KEYS = [
    *("type", "subtype", "message", "parts", "content", "text", "thought", "functionCall", "functionResponse"),
    *("response", "output", "error", "args", "name", "id", "systemPayload", "displayText", "toolCallResult"),
    *("resultDisplay", "fileDiff", "compressedHistory", "info", "role", "usageMetadata", "totalTokenCount", "model"),
    *("outputHistoryItems", "phase", "customTitle", "cwd", "sessionId", "timestamp", "inlineData", "uuid"),
]
TEXTS = ["user", "assistant", "tool_result", "system", "chat_compression", "slash_command", "custom_title", "result"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=8,
)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(TEXTS[:4]),
            st.sampled_from(TEXTS),
            st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6),
        ).map(lambda drawn: {**drawn[2], "type": drawn[0], "subtype": drawn[1]}),
        max_size=6,
    )
)
def test_no_value_is_an_error(tmp_path_factory: pytest.TempPathFactory, entries: list[Any]) -> None:
    path = tmp_path_factory.mktemp("hostile") / "a.jsonl"
    path.write_text(jsonl(entries))
    transcript = Transcript("qwen", path, path.stat().st_size, 1)
    records = list(Qwen().read(transcript, START))
    assert [one for one in records if isinstance(one, BadLine)] == []
    assert list(Qwen().read(transcript, START)) == records
