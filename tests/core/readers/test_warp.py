"""Conversations of Warp in a real index; test_agent_databases.py tests what all databases share."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.agents.warp.messages import records
from memtui_core.readers.agents.warp.protobuf import decoded
from memtui_core.readers.agents.warp.reader import Warp
from memtui_core.readers.locations import Location
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from support.agent_databases import WarpDatabase
from support.conversations import shown, tool_calls
from support.databases import Program, program
from support.pictures import picture
from support.protobuf import json_struct, message
from support.systems import HOME_VARIABLE

CWD = "/home/ana/code/shop-api"
START = datetime(2026, 9, 21, 14, 13, 21, tzinfo=UTC)
Opened = tuple[WarpDatabase, Program]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    database = WarpDatabase(tmp_path / "home")
    with program(database.path) as process:
        yield database, process


def index_of(database: WarpDatabase) -> Index:
    data = database.home.parent / "data"
    with Indexer(data) as indexer:
        for _ in indexer.update([Location(None, database.home)]):
            pass
    return Index.open(data)


def call(tool_id: str, tool: int, content: Any) -> dict[int, Any]:
    return {4: {1: tool_id, tool: content}}


def result(tool_id: str, kind: int, content: Any) -> dict[int, Any]:
    return {5: {1: tool_id, kind: content}}


def test_a_conversation(opened: Opened) -> None:
    database, process = opened
    database.session(process, "conv")
    context = {1: {1: CWD}, 5: [{1: "make", 2: "error", 3: 2}], 6: {1: "selected"}, 7: {2: "image/png"}}
    database.add(process, "conv", {2: {1: "Round the prices", 2: context, 3: {1: "k", 2: {1: "attached"}}}})
    database.add(process, "conv", {15: {1: "Cents, I think."}})
    database.add(process, "conv", {25: {1: "claude-4-sonnet"}})
    database.add(process, "conv", {3: {1: "I will look."}})
    database.add(process, "conv", call("c1", 5, {1: {1: "prices.py", 2: {1: 1, 2: 9}}}))
    database.add(process, "conv", call("c2", 2, {1: "pytest"}))
    diff = {1: "prices.py", 2: "a = 1\nb = []", 3: "a = 1\nb = {}"}
    hunk = {1: "def total", 2: "    x", 3: "    y", 4: "    z", 5: "    w"}
    update = {1: "total.py", 2: "sum.py", 3: hunk}
    diffs = {1: "Use a dict", 2: diff, 3: {1: "new.py", 2: "c = 2\n"}, 4: {1: "old.py"}, 5: update}
    database.add(process, "conv", call("c3", 6, diffs))
    database.add(process, "conv", call("c4", 12, {1: "find_issue", 2: json_struct({"id": 7, "open": [True, "x"]})}))
    database.add(process, "conv", result("c1", 5, {1: {1: {1: "prices.py", 2: "b = []"}}}))
    database.add(process, "conv", result("c2", 2, {3: "pytest", 5: {1: "1 failed", 2: 1}}))
    database.add(process, "conv", result("c3", 6, {1: {2: {1: {1: "prices.py"}, 2: 1}, 3: {1: "old.py"}}}))
    database.add(process, "conv", result("c4", 16, {2: {1: "no such issue"}}))
    database.add(process, "conv", {22: {1: {1: {1: "https://github.com/ana/shop/pull/12", 2: "round"}}}})
    database.add(process, "conv", {3: {1: "Rounded."}})
    index = index_of(database)
    session = index.sessions.find("conv")
    assert (session.agent, session.cwd, session.project, session.title) == ("warp", CWD, "shop-api", "Round the prices")
    assert (session.started_at, session.models) == (START, ("claude-4-sonnet", "gpt-5"))
    read, run, edit, issue = tool_calls(index, "conv")
    patch = "\n".join(
        [
            *("*** Begin Patch", "*** Update File: prices.py", "@@", " a = 1", "-b = []", "+b = {}"),
            *("*** Update File: total.py", "*** Move to: sum.py", "@@ def total"),
            *("     x", "-    y", "+    z", "     w"),
            *("*** Add File: new.py", "+c = 2", "*** Delete File: old.py", "*** End Patch"),
        ]
    )
    assert shown(index, "conv") == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("note reminder", "selected"),
                ("note shell", "! make\nerror"),
                ("note reminder", "attached"),
                ("image", "[image/png]"),
                ("thinking", "Cents, I think."),
                ("text", "I will look."),
                ("tool_call read_files", '{"path":"prices.py","line_ranges":[{"start":1,"end":9}]}'),
                ("tool_call run_shell_command", '{"command":"pytest"}'),
                (
                    "tool_call apply_file_diffs",
                    json.dumps({"summary": "Use a dict", "patch": patch}, separators=(",", ":")),
                ),
                ("tool_call find_issue", '{"id":7,"open":[true,"x"]}'),
                ("tool_result read_files", "b = []"),
                ("tool_result run_shell_command!", "1 failed"),
                ("tool_result apply_file_diffs", "updated prices.py, with changes by the user\ndeleted old.py"),
                ("tool_result find_issue!", "no such issue"),
                ("text", "Rounded."),
            ],
        )
    ]
    assert [one.family for one in (read, run, edit, issue)] == ["read", "shell", "edit", "other"]
    assert (read.path, run.command, run.exit_code) == ("prices.py", "pytest", 1)
    assert (edit.paths, diff_of(edit)) == (("prices.py", "sum.py", "new.py", "old.py"), patch)
    assert index.snapshot.rows("SELECT number, repository FROM pr_links") == [(12, "ana/shop")]
    assert index.snapshot.rows("SELECT kind FROM unknown_entries") == []
    assert resume_command(session) is None


def test_subagents_are_the_tasks_with_a_parent(opened: Opened) -> None:
    database, process = opened
    database.session(process, "conv")
    database.say(process, "conv", "user", "Round the prices")
    database.add(process, "conv", call("c1", 19, {1: "task-2", 2: "payload", 4: {}}))
    child = [{2: {1: "Where are prices?"}}, {3: {1: "In prices.py"}}]
    database.task(process, "conv", "task-2", child, parent="task-conv")
    database.add(process, "conv", result("c1", 23, {1: "In prices.py"}))
    database.session(process, "child", parent_conversation_id="conv")
    database.say(process, "child", "user", "Do the taxes")
    index = index_of(database)
    assert shown(index, "task-2") == [("agent", [("user", "Where are prices?"), ("text", "In prices.py")])]
    assert shown(index, "child") == [("agent", [("user", "Do the taxes")])]
    assert [kind for kind, _ in shown(index, "conv")[0][1]] == ["user", "tool_call subagent", "tool_result subagent"]
    assert {one.session_id for one in index.sessions.subagents(index.sessions.find("conv").key)} == {"task-2", "child"}
    rows = index.snapshot.rows("SELECT session_id, agent_type, parent_tool_id FROM sessions ORDER BY session_id")
    assert rows == [("child", None, None), ("conv", None, None), ("task-2", "research", "c1")]


def test_other_messages(opened: Opened) -> None:
    database, process = opened
    database.session(process, "conv")
    todos = {1: {1: [{1: "1", 2: "Round"}]}}
    found = {1: {2: {1: "cents", 2: [{1: "https://a.example", 2: "Cents"}]}}}
    said: Any
    for said in (
        {9: {5: {1: "a shop"}}},
        {9: {1: {1: "The command failed"}}},
        {10: todos},
        {19: found},
        {20: {1: {1: {1: ["https://b.example"]}}}},
        {20: {1: {3: {}}}},
        {16: {1: {1: "Prices were cut.", 2: 9}}},
        {17: {1: {1: [{2: "Why?", 4: {1: "a.py"}}, {2: "Good"}]}}},
        {23: {1: {1: {2: "review"}}, 2: {1: "the prices"}}},
        {24: {1: {4: "Done", 5: "All tests pass"}}},
        {21: {1: "debug"}},
        {6: {1: "opaque"}},
        {22: {1: {1: {1: "https://git.example/12"}}}},
        {77: {1: "from the future"}},
        call("c9", 55, {1: "new tool"}),
        result("c9", 66, {1: "new result"}),
    ):
        database.add(process, "conv", said)
    index = index_of(database)
    assert shown(index, "conv") == [
        (
            "command",
            [
                ("user", "create_new_project a shop"),
                ("note meta", "The command failed"),
                ("tool_call update_todos", '{"create_todo_list":{"todos":[{"id":"1","title":"Round"}]}}'),
                ("tool_result update_todos", ""),
                ("tool_call web_search", '{"query":"cents"}'),
                ("tool_result web_search", "https://a.example Cents"),
                ("tool_call web_fetch", '{"urls":["https://b.example"]}'),
                ("tool_call web_fetch", '{"urls":[]}'),
                ("tool_result web_fetch!", ""),
            ],
        ),
        ("compaction", [("user", "Prices were cut.")]),
        ("human", [("user", "a.py: Why?\n\nGood")]),
        (
            "command",
            [
                ("user", "/review the prices"),
                ("note notification", "Done\nAll tests pass"),
                ("note meta", "debug"),
                ("note meta", "https://git.example/12"),
                ("note unknown", "message 77\nfrom the future"),
                ("tool_call 55", '[{"1":["new tool"]}]'),
                ("tool_result 55", '[{"1":["new result"]}]'),
            ],
        ),
    ]
    assert len(index.compactions.of_session(index.sessions.find("conv").key)) == 1
    assert index.snapshot.rows("SELECT kind FROM unknown_entries") == [("message 77",)]


RESULTS: dict[str, tuple[int, Any, str, bool, int | None]] = {
    "a command that goes on": (2, {4: {1: "listening"}}, "listening", False, None),
    "a command of an older version": (2, {1: "no", 2: 3}, "no", True, 3),
    "a refused command": (2, {6: {}}, "permission denied", True, None),
    "a command without output": (2, {5: {}}, "", False, 0),
    "a cancelled call": (14, {}, "cancelled", True, None),
    "several files": (5, {3: {1: [{6: {1: "a", 2: "x"}}, {5: {1: "b"}}]}}, "a\nx\nb", False, None),
    "no file": (5, {2: {1: "not found"}}, "not found", True, None),
    "lines": (9, {1: {1: {1: "a.py", 2: [{1: 3}, {1: 5}]}}}, "a.py:3\na.py:5", False, None),
    "names": (10, {1: {1: "a.py\nb.py"}}, "a.py\nb.py", False, None),
    "newer names": (19, {1: {1: [{1: "a.py"}], 2: "hidden"}}, "a.py\nhidden", False, None),
    "a plan of the user": (7, {2: {1: "First the tests"}}, "First the tests", False, None),
    "an accepted plan": (8, {1: 1}, '{"accepted":true}', False, None),
    "parts of a server": (16, {1: {1: [{1: {1: "x"}}, {2: {2: "image/png"}}]}}, "x\n[image/png]", False, None),
    "a resource": (15, {1: {1: {1: "a://b", 2: {1: "y", 2: "text/plain"}}}}, "y", False, None),
    "a document": (24, {1: {1: {1: "d", 2: "text"}}}, "text", False, None),
    "a skill": (30, {1: {1: {1: "SKILL.md", 2: "Do it"}}}, "Do it", False, None),
    "a conversation": (32, {1: {2: "/tmp/c"}}, "/tmp/c", False, None),
    "an agent": (33, {2: {1: "too many"}}, "too many", True, None),
    "of the server": (4, {1: "opaque"}, "opaque", False, None),
    "a lost command": (27, {4: {}}, "error", True, None),
    "nothing": (21, {}, "", False, None),
}


def test_results() -> None:
    shown_results = {}
    for name, (kind, content, *_) in RESULTS.items():
        (record,) = records(decoded(message({1: "m", **result("c", kind, content)}), "Message"), 0, None, False)
        (block,) = record.blocks  # type: ignore[union-attr]
        code = json.loads(block.detail)["exit"] if block.detail else None
        shown_results[name] = (kind, content, block.text, block.is_error, code)
    assert shown_results == RESULTS


def test_the_last_of_several_values_counts_and_parts_of_a_message_are_merged() -> None:
    raw = (
        message({4: {1: "old", 2: {1: "ls"}}})
        + message({4: {12: {1: "find"}}})
        + message({4: {12: {3: "s"}, 1: "new"}})
    )
    assert decoded(raw, "Message") == {
        "tool_call": {
            "run_shell_command": {"command": "ls"},
            "call_mcp_tool": {"name": "find", "server_id": "s"},
            "tool_call_id": "new",
        }
    }


def test_prompts_without_tasks(opened: Opened) -> None:
    database, process = opened
    query = {"exchange_id": "e1", "conversation_id": "gone", "start_ts": "2026-09-21 14:13:21.250000"}
    given = json.dumps([{"Query": {"text": "Round", "context": []}}, {"Query": {"text": "to cents"}}])
    more = {"output_status": '"Completed"', "model_id": "auto", "working_directory": CWD}
    database.insert(process, "ai_queries", {**query, "input": given, **more})
    broken = {**query, "exchange_id": "e2", "conversation_id": "broken", "input": "[{", **more}
    database.insert(process, "ai_queries", broken)
    index = index_of(database)
    assert shown(index, "gone") == [("human", [("user", "Round\n\nto cents")])]
    session = index.sessions.find("gone")
    assert (session.cwd, session.started_at) == (CWD, START.replace(microsecond=250_000))


def test_a_broken_task_costs_that_task_and_a_broken_message_that_message(opened: Opened) -> None:
    database, process = opened
    database.session(process, "conv")
    database.say(process, "conv", "user", "Round the prices")
    database.add(process, "conv", b"\x1a\x05half")
    database.say(process, "conv", "assistant", "Rounded.")
    process.close()
    with closing(sqlite3.connect(database.path)) as connection:
        row = ("conv", "t2", message({1: "t2", 5: {3: {1: "lost"}}})[:-3], "2026-09-21 14:14:00")
        connection.execute(
            "INSERT INTO agent_tasks (conversation_id, task_id, task, last_modified_at) VALUES (?, ?, ?, ?)", row
        )
        connection.commit()
    index = index_of(database)
    assert shown(index, "conv") == [("human", [("user", "Round the prices"), ("text", "Rounded.")])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines ORDER BY line") == [
        (2, "a message that cannot be decoded: it ends within a field"),
        (3, "a task that cannot be decoded: it ends within a field"),
    ]


def test_reading_a_conversation_while_its_tasks_grow(opened: Opened) -> None:
    database, process = opened
    database.session(process, "conv")
    for step in range(2):
        database.say(process, "conv", "user", f"Prompt {step}")
        database.add(process, "conv", call(f"c{step}", 19, {1: f"task-{step}"}))
        index_of(database).close()
        database.task(process, "conv", f"task-{step}", [{2: {1: f"Part {step}"}}], parent="task-conv")
        index_of(database).close()
        database.add(process, "conv", result(f"c{step}", 23, {1: f"Done {step}"}))
        database.say(process, "conv", "assistant", f"Answer {step}")
        index_of(database).close()
    grown = picture(database.home.parent / "data")
    (database.home.parent / "data").rename(database.home.parent / "before")
    index_of(database).close()
    assert grown == picture(database.home.parent / "data")
    assert len(grown["sources"]) == 1


@settings(deadline=None, max_examples=150)
@given(raw=st.binary(max_size=200), kind=st.sampled_from(["Task", "Message", "ToolCall", "ToolCallResult", "Struct"]))
def test_no_bytes_make_the_decoder_fail(raw: bytes, kind: str) -> None:
    try:
        value = decoded(raw, kind)
    except ValueError:
        return
    assert isinstance(value, dict)


WIRE: Any = st.recursive(
    st.integers(-(2**63), 2**63 - 1) | st.text(max_size=9) | st.binary(max_size=9),
    lambda inner: st.dictionaries(st.integers(1, 36), inner | st.lists(inner, max_size=3), max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(kind=st.integers(1, 27), content=st.dictionaries(st.integers(1, 36), WIRE, max_size=4))
def test_values_of_wrong_types_count_as_absent(kind: int, content: dict[int, Any]) -> None:
    try:
        said = decoded(message({kind: content, 1: "m", 14: {1: 1_790_000_000}}), "Message")
    except ValueError:
        return
    for record in records(said, 0, None, False):
        assert all(isinstance(block.text, str) for block in getattr(record, "blocks", []))


def test_where_the_databases_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    state = tmp_path / ".local/state"
    assert Warp().default_locations({}) == [state / "warp-terminal/warp.sqlite"]
    assert Warp().default_locations({"XDG_STATE_HOME": "/s"}) == [Path("/s/warp-terminal/warp.sqlite")]
    other = state / "warp-terminal-preview" / "tui" / "warp.sqlite"
    other.parent.mkdir(parents=True)
    other.touch()
    stable, preview = state / "warp-terminal/warp.sqlite", state / "warp-terminal-preview/warp.sqlite"
    assert Warp().default_locations({}) == sorted([stable, preview, other])
    monkeypatch.setattr(sys, "platform", "darwin")
    (found,) = Warp().default_locations({})
    assert found.parts[-2:] == ("dev.warp.Warp-Stable", "warp.sqlite")
    assert (reader := reader_for(other)) is not None
    assert reader.agent == "warp"
    assert reader_for(other.with_name("other.sqlite")) is None
