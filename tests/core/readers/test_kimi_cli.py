"""Sessions of Kimi CLI, from which Kimi Code came, in a real index."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import bench.agents.kimi
from bench.agents._compared import held, shares
from memtui_core.index.index import Index
from memtui_core.readers import registry
from memtui_core.readers.agents.kimi.reader import Kimi
from memtui_core.readers.records import BadLine, Message
from memtui_core.tools.diffs import diff_of
from support.conversations import shown, tool_calls
from support.indexes import build, update
from support.line_files import damaged, encoded, read_as_it_grows, records_of, write_lines
from support.pictures import turn_counts

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CWD = "/home/ana/code/shop"
BUCKET = hashlib.md5(CWD.encode(), usedforsecurity=False).hexdigest()
SESSION = "5b8d3c1e-0f2a-4c3b-9d4e-7a6b5c4d3e2f"
COMPACTED = "<system>Previous context has been compacted. Here is the compaction output:</system>"
Entry = dict[str, Any]
Shown = list[tuple[str, list[tuple[str, str]]]]


class Wire:
    """Collects the events of a session."""

    def __init__(self, first: int = 0) -> None:
        self.lines: list[Entry] = [{"type": "metadata", "protocol_version": "1.9"}]
        self._first = first
        """The number of seconds before the first event."""

    def event(self, kind: str, **payload: Any) -> None:
        at = START + timedelta(seconds=self._first + len(self.lines))
        self.lines.append({"timestamp": at.timestamp(), "message": {"type": kind, "payload": payload}})

    def typed(self, text: Any) -> None:
        self.event("TurnBegin", user_input=text)

    def say(self, text: str) -> None:
        self.event("ContentPart", type="text", text=text)

    def call(self, tool_id: str, name: str, **arguments: Any) -> None:
        self.event("ToolCall", **call_of(tool_id, name, json.dumps(arguments)))

    def result(self, tool_id: str, output: Any, message: str = "", **value: Any) -> None:
        returned = {"is_error": False, "output": output, "message": message, "display": [], "extras": None} | value
        self.event("ToolResult", tool_call_id=tool_id, return_value=returned)

    def spent(self, given: int, made: int, read: int = 0, written: int = 0, context: int | None = None) -> None:
        cached = {"input_cache_read": read, "input_cache_creation": written}
        usage = {"input_other": given, "output": made, **cached}
        name = f"msg-{len(self.lines)}"
        self.event("StatusUpdate", context_usage=0.1, context_tokens=context, token_usage=usage, message_id=name)

    def subagent(self, tool_id: str, kind: str, *, agent: str | None = None, **payload: Any) -> None:
        fields = {"agent_id": agent, "subagent_type": "coder", "parent_tool_call_id": tool_id} if agent else {}
        fields = fields or {"task_tool_call_id": tool_id}
        self.event("SubagentEvent", **fields, event={"type": kind, "payload": payload})


def call_of(tool_id: str, name: str, arguments: str | None) -> Entry:
    return {"type": "function", "id": tool_id, "function": {"name": name, "arguments": arguments}, "extras": None}


def says(role: str, content: Any, **fields: Any) -> Entry:
    """A message of a context."""
    return {"role": role, "content": content, **fields}


def folder(home: Path, session: str = SESSION) -> Path:
    return home / "sessions" / BUCKET / session


def written(
    tmp_path: Path, files: Mapping[str, list[Entry]], session: str = SESSION, state: Entry | None = None
) -> Path:
    """Write the files of a session, and the list of working directories; return the folder of the session."""
    home = tmp_path / "home"
    for name, entries in files.items():
        write_lines(Path(os.path.normpath(folder(home, session) / name)), entries)
    (home / "kimi.json").write_text(json.dumps({"work_dirs": [{"path": "/elsewhere"}, {"path": CWD}]}))
    if state is not None:
        (folder(home, session) / "state.json").write_text(json.dumps(state))
    return folder(home, session)


def built(tmp_path: Path) -> Index:
    return build(tmp_path / "data", tmp_path / "home" / "sessions", agent="kimi")


def whole_session() -> Wire:
    wire = Wire()
    wire.typed("Please round the prices")
    wire.event("StepBegin", n=1)
    wire.event("ContentPart", type="think", think="Cents, I think.", encrypted=None)
    wire.say("I will look.")
    wire.call("ReadFile:0", "ReadFile", path=f"{CWD}/src/prices.py")
    wire.call("Shell:1", "Shell", command="pytest tests")
    wire.spent(100, 20, 300, 40, context=440)
    wire.event("ApprovalRequest", id="a", tool_call_id="Shell:1", sender="Shell", action="run", description="Run it")
    wire.event("ApprovalResponse", request_id="a", response="approve", feedback="")
    wire.result("ReadFile:0", "     1\tprices = []\n", "1 lines read from file. End of file reached.")
    wire.result("Shell:1", "1 failed\n", "Command failed with exit code: 1.", is_error=True)
    wire.event("StepBegin", n=2)
    edit = {"old": "prices = []", "new": "prices = {}"}
    wire.call("StrReplaceFile:2", "StrReplaceFile", path=f"{CWD}/src/prices.py", edit=edit)
    wire.spent(10, 5)
    wire.result("StrReplaceFile:2", "", "File successfully edited.")
    wire.say("Rounded to cents.")
    wire.event("TurnEnd")
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400, "id": None}}
    tags = [{"type": "text", "text": '<image path="/tmp/a.png">'}, image, {"type": "text", "text": "</image>"}]
    wire.typed([{"type": "text", "text": "What is this?"}, *tags])
    wire.event("StepInterrupted")
    return wire


READ_CALL = ("tool_call ReadFile", '{"path":"/home/ana/code/shop/src/prices.py"}')
EDIT_CALL = (
    "tool_call StrReplaceFile",
    '{"path":"/home/ana/code/shop/src/prices.py","edit":{"old":"prices = []","new":"prices = {}"}}',
)
WHOLE: Shown = [
    (
        "human",
        [
            ("user", "Please round the prices"),
            ("thinking", "Cents, I think."),
            ("text", "I will look."),
            READ_CALL,
            ("tool_call Shell", '{"command":"pytest tests"}'),
            ("tool_result ReadFile", "     1\tprices = []\n1 lines read from file. End of file reached."),
            ("tool_result Shell!", "Command failed with exit code: 1.\n1 failed\n"),
            EDIT_CALL,
            ("tool_result StrReplaceFile", "File successfully edited."),
            ("text", "Rounded to cents."),
        ],
    ),
    (
        "human",
        [("user", "What is this?"), ("image", "[image/png 1 kB]"), ("note interrupt", "Interrupted")],
    ),
]


def test_a_session_with_everything(tmp_path: Path) -> None:
    copy = [says("_checkpoint", None, id=0), says("user", "Please round the prices"), says("assistant", "I will look.")]
    state = {"custom_title": "Rounding", "title_generated": True}
    written(tmp_path, {"wire.jsonl": whole_session().lines, "context.jsonl": copy}, state=state)
    index = built(tmp_path)
    session = index.sessions.find(SESSION)
    assert shown(index, SESSION) == WHOLE
    assert (session.agent, session.project, session.cwd, session.title) == ("kimi", "shop", CWD, "Rounding")
    assert (session.turns, session.tool_calls, session.input_tokens, session.output_tokens) == (2, 3, 110, 25)
    assert index.snapshot.rows("SELECT sum(cache_read_tokens), sum(cache_write_tokens) FROM turns") == [(300, 40)]
    assert session.started_at == START + timedelta(seconds=1)
    read, shell, edit = tool_calls(index, SESSION)
    assert (read.path, shell.command, shell.exit_code) == (f"{CWD}/src/prices.py", "pytest tests", 1)
    assert [call.is_error for call in (read, shell, edit)] == [False, True, False]
    assert (edit.paths, diff_of(edit)) == (
        (f"{CWD}/src/prices.py",),
        "@@ -1,1 +1,1 @@\n-prices = []\n+prices = {}",
    )
    assert registry.resume_command(session) == ["kimi", "--session", SESSION]
    assert [(source.path, source.state) for source in index.statistics.sources()] == [
        (str(folder(tmp_path / "home")), "ok")
    ]


def test_edits_of_several_places_parts_that_are_appended_and_whole_files(tmp_path: Path) -> None:
    wire = Wire()
    wire.typed("Write it")
    edits = [{"old": "a", "new": "b"}, {"old": "c", "new": "d", "replace_all": True}]
    wire.call("1", "StrReplaceFile", path="a.py", edit=edits)
    wire.result("1", "", "Edited.")
    wire.call("2", "WriteFile", path="notes.md", content="More.\n", mode="append")
    wire.result("2", "", "Appended.")
    wire.call("3", "WriteFile", path="b.py", content="x = 2\n")
    block = {
        "type": "diff",
        "path": "b.py",
        "old_text": "y = 0\nx = 1",
        "new_text": "y = 0\nx = 2",
        "is_summary": False,
    }
    wire.result("3", "", "Written.", display=[{"type": "brief", "text": "b"}, block | {"old_start": 4, "new_start": 4}])
    wire.call("4", "WriteFile", path="c.py", content="x = 3\n")
    wire.result("4", "", "Written.", display=[block])
    wire.call("5", "WriteFile", path="d.py", content="x = 4\n")
    wire.result("5", "", "Written.", display=[block | {"old_text": "(9 lines)", "is_summary": True, "old_start": 1}])
    written(tmp_path, {"wire.jsonl": wire.lines})
    first, appended, *whole = tool_calls(built(tmp_path), SESSION)
    assert [(edit.kind, edit.old, edit.new, edit.everywhere) for edit in first.edits] == [
        ("replace", "a", "b", False),
        ("replace", "c", "d", True),
    ]
    assert diff_of(first) == "@@ -1,1 +1,1 @@\n-a\n+b\n@@ -1,1 +1,1 @@\n-c\n+d"
    assert [(edit.kind, edit.path, edit.new) for edit in appended.edits] == [("part", "notes.md", "More.\n")]
    assert [call.edits[0].new for call in whole] == ["x = 2\n", "x = 3\n", "x = 4\n"]
    assert [diff_of(call) for call in whole] == ["@@ -4,2 +4,2 @@\n y = 0\n-x = 1\n+x = 2", "", ""]


def test_a_new_file_is_a_hunk_after_line_0(tmp_path: Path) -> None:
    wire = Wire()
    wire.typed("Write it")
    wire.call("1", "WriteFile", path="b.py", content="x = 2\n")
    block = {"type": "diff", "path": "b.py", "old_text": "", "new_text": "x = 2", "old_start": 1, "new_start": 1}
    wire.result("1", "", "Written.", display=[block])
    written(tmp_path, {"wire.jsonl": wire.lines})
    (call,) = tool_calls(built(tmp_path), SESSION)
    assert diff_of(call) == "@@ -0,0 +1,1 @@\n+x = 2"


def test_results_of_the_first_versions_media_and_rejected_calls(tmp_path: Path) -> None:
    wire = Wire()
    wire.typed("Look")
    for number in range(5):
        wire.call(str(number), "mcp_look", n=number)
    wire.event("ToolResult", tool_call_id="0", ok=True, result={"output": "fine", "message": "", "brief": ""})
    wire.event("ToolResult", tool_call_id="1", ok=False, result={"output": "", "message": "No.", "brief": ""})
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400}}
    text = {"type": "text", "text": "A picture"}
    wire.result("2", [{"type": "text", "text": "<image>"}, image, {"type": "text", "text": "</image>"}, text])
    wire.result("3", text, "Done.")
    wire.result("4", "", "The tool call is rejected by the user. User feedback: not now", is_error=True)
    written(tmp_path, {"wire.jsonl": wire.lines})
    calls = tool_calls(built(tmp_path), SESSION)
    assert [(call.result.text if call.result else None, call.is_error, call.rejected) for call in calls] == [
        ("fine", False, False),
        ("No.", True, False),
        ("[image/png 1 kB]\nA picture", False, False),
        ("A picture\nDone.", False, False),
        ("The tool call is rejected by the user. User feedback: not now", True, True),
    ]


def test_texts_of_programs_are_notes_and_slash_commands_are_commands(tmp_path: Path) -> None:
    wire = Wire()
    wire.typed("Round the prices")
    wire.event("SteerInput", user_input="And the taxes")
    wire.event("Notification", title="Tests", body="They passed", severity="info", category="task", type="done")
    wire.event("Notification", title="", body="Tests died", severity="error")
    wire.event("PlanDisplay", content="1. Round", file_path="/home/ana/.kimi/plans/x.md")
    wire.event("HookTriggered", event="Stop", target="", hook_count=1)
    wire.event("HookResolved", event="Stop", action="block", reason="Tests fail", target="", duration_ms=3)
    wire.event("HookResolved", event="Stop", action="allow", reason="", target="", duration_ms=3)
    wire.event("BtwBegin", id="b", question="Which day is it?")
    wire.event("BtwEnd", id="b", response="Monday.", error=None)
    wire.event("BtwEnd", id="c", response=None, error="No network")
    wire.typed("<system-reminder>Background tasks completed while you were idle.</system-reminder>")
    wire.typed("Go on. (Loop.)\n\nAvailable branches:\n- STOP\n\nReply with a choice using <choice>...</choice>.")
    wire.typed("/skill:review -v")
    wire.say("Reviewed.")
    wire.typed("/home/ana is my folder")
    written(tmp_path, {"wire.jsonl": wire.lines})
    index = built(tmp_path)
    assert shown(index, SESSION) == [
        ("human", [("user", "Round the prices")]),
        (
            "human",
            [
                ("user", "And the taxes"),
                ("note notification", "Tests\nThey passed"),
                ("note notification!", "Tests died"),
                ("note meta", "1. Round"),
                ("note meta!", "Tests fail"),
                ("note command", "/btw Which day is it?"),
                ("note command", "Monday."),
                ("note command!", "No network"),
                (
                    "note reminder",
                    "<system-reminder>Background tasks completed while you were idle.</system-reminder>",
                ),
                (
                    "note reminder",
                    "Go on. (Loop.)\n\nAvailable branches:\n- STOP\n\nReply with a choice using <choice>...</choice>.",
                ),
            ],
        ),
        ("command", [("user", "/skill:review -v"), ("text", "Reviewed.")]),
        ("human", [("user", "/home/ana is my folder")]),
    ]


def test_a_call_gets_the_rest_of_its_arguments(tmp_path: Path) -> None:
    wire = Wire()
    wire.typed("List")
    wire.event("ToolCall", **call_of("1", "Shell", '{"command":'))
    wire.event("Notification", title="", body="Tests passed", severity="info")
    wire.event("ToolCallPart", arguments_part=' "ls')
    wire.result("0", "late")
    wire.event("ToolCallPart", arguments_part=' -a"}')
    wire.result("1", "a.py")
    wire.event("ToolCall", **call_of("2", "Shell", None))
    wire.event("ToolCallPart", arguments_part='{"command": "pwd"}')
    wire.event("ToolCallPart", arguments_part=None)
    wire.event("ToolCallPart", arguments_part="lost")
    wire.event("ToolCall", **call_of("3", "Shell", '{"comm'))
    wire.result("3", "Invalid arguments", is_error=True)
    wire.event("ToolCall", **call_of("4", "Think", ""))
    wire.event("StepBegin", n=2)
    wire.event("ToolCall", **call_of("5", "Shell", "{"))
    written(tmp_path, {"wire.jsonl": wire.lines})
    index = built(tmp_path)
    assert shown(index, SESSION)[0][1] == [
        ("user", "List"),
        ("note notification", "Tests passed"),
        ("tool_result", "late"),
        ("tool_call Shell", '{"command":"ls -a"}'),
        ("tool_result Shell", "a.py"),
        ("tool_call Shell", '{"command":"pwd"}'),
        ("note meta", "lost"),
        ("tool_call Shell", '"{\\"comm"'),
        ("tool_result Shell!", "Invalid arguments"),
        ("tool_call Think", "{}"),
        ("tool_call Shell", '"{"'),
    ]


@pytest.mark.parametrize("layout", ["events", "messages"])
def test_a_result_belongs_to_the_last_call_with_its_id(tmp_path: Path, layout: str) -> None:
    """The model uses an id again after a compaction, and after a step that was interrupted."""
    wire, messages = Wire(), [says("user", "Look")]
    wire.typed("Look")
    for number in range(3):
        command = json.dumps({"command": f"cat {number}"})
        wire.event("ToolCall", **call_of("Shell:0", "Shell", command))
        messages.append(says("assistant", [], tool_calls=[call_of("Shell:0", "Shell", command)]))
        if number != 1:
            wire.result("Shell:0", f"text {number}")
            messages.append(says("tool", f"text {number}", tool_call_id="Shell:0"))
    written(tmp_path, {"wire.jsonl": wire.lines} if layout == "events" else {"context.jsonl": messages})
    calls = tool_calls(built(tmp_path), SESSION)
    assert [(call.id, call.command, call.result.text if call.result else None) for call in calls] == [
        ("Shell:0", "cat 0", "text 0"),
        ("Shell:0~2", "cat 1", None),
        ("Shell:0~3", "cat 2", "text 2"),
    ]
    want = bench.agents.kimi.expected(tmp_path / "home" / "sessions")
    assert shares(want, held(tmp_path / "data", "kimi")) == {"text": 1.0, "tool_call": 1.0, "tool_result": 1.0}


def with_subagents(agent: str | None = None) -> Wire:
    """A session with a subagent in its events."""
    wire = Wire()
    wire.typed("Where are the prices?")
    kind = {"subagent_type": "coder"} if agent else {"subagent_name": "coder"}
    wire.call("Task:0", "Agent" if agent else "Task", description="Look for prices", prompt="Find them", **kind)
    for name, payload in subagent_events():
        wire.subagent("Task:0", name, agent=agent, **payload)
    wire.result("Task:0", f"agent_id: {agent}\nresumed: false\n\n[summary]\nFound" if agent else "In src/prices.py")
    wire.say("They are in src/prices.py.")
    return wire


def agent_types(index: Index) -> list[tuple[Any, ...]]:
    return index.snapshot.rows("SELECT agent_type FROM sessions WHERE parent IS NOT NULL")


def subagent_events() -> list[tuple[str, Entry]]:
    wire = Wire()
    wire.typed("Find them")
    wire.call("Shell:0", "Shell", command="ls src")
    wire.spent(7, 3)
    wire.result("Shell:0", "prices.py", "Done.")
    wire.event("CompactionBegin")
    wire.event("CompactionEnd")
    wire.say("In src/prices.py")
    return [(line["message"]["type"], line["message"]["payload"]) for line in wire.lines[1:]]


SUBAGENT: Shown = [
    (
        "agent",
        [
            ("user", "Find them"),
            ("tool_call Shell", '{"command":"ls src"}'),
            ("tool_result Shell", "prices.py\nDone."),
            ("text", "In src/prices.py"),
        ],
    )
]


def test_a_subagent_in_the_events_of_its_session(tmp_path: Path) -> None:
    sub = [says("user", "Find them"), says("assistant", "In src/prices.py")]
    written(tmp_path, {"wire.jsonl": with_subagents().lines, "context_sub_1.jsonl": sub})
    index = built(tmp_path)
    (found,) = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert (found.session_id, found.parent_tool_id, found.title, found.cwd) == (
        f"Task:0.{SESSION}",
        "Task:0",
        "Look for prices",
        CWD,
    )
    assert agent_types(index) == [("coder",)]
    assert shown(index, found.session_id) == SUBAGENT
    assert (found.output_tokens, index.sessions.find(SESSION).output_tokens) == (3, 0)
    assert [kind for kind, _ in shown(index, SESSION)[0][1]] == ["user", "tool_call Task", "tool_result Task", "text"]
    assert [session.session_id for session in index.sessions.all()] == [SESSION]
    assert registry.resume_command(found) is None


def test_a_subagent_with_files_of_its_own_is_read_there(tmp_path: Path) -> None:
    own = Wire(first=2)
    for kind, payload in subagent_events():
        own.event(kind, **payload)
    main = with_subagents("a1b2c3d4")
    main.subagent("Task:0", "ContentPart", agent="a9", type="text", text="I have no files")
    summary = [says("user", f"{COMPACTED}Looked")]
    files = {"wire.jsonl": own.lines, "context.jsonl": summary}
    path = written(tmp_path, {f"subagents/a1b2c3d4/{name}": lines for name, lines in files.items()})
    written(tmp_path, {"wire.jsonl": main.lines})
    meta = {"description": "Look", "launch_spec": {"effective_model": "kimi-k2"}}
    (path / "subagents" / "a1b2c3d4" / "meta.json").write_text(json.dumps(meta))
    index = built(tmp_path)
    first, second = sorted(index.sessions.subagents(index.sessions.find(SESSION).key), key=lambda one: one.session_id)
    assert (first.session_id, first.parent_tool_id, first.cwd, first.models) == (
        f"a1b2c3d4.{SESSION}",
        "Task:0",
        CWD,
        ("kimi-k2",),
    )
    assert agent_types(index) == [("coder",), ("coder",)]
    [(kind, turn)] = SUBAGENT
    assert shown(index, first.session_id) == [(kind, turn[:-1]), ("compaction", [("user", "Looked"), turn[-1]])]
    assert shown(index, second.session_id) == [("opening", [("text", "I have no files")])]
    assert Kimi().subagent_locations(path / "wire.jsonl") == [path / "subagents"]


def test_a_subagent_in_the_background_is_known_from_the_result(tmp_path: Path) -> None:
    main, own = Wire(), Wire()
    main.typed("Look")
    main.call("Agent:0", "Agent", description="Look for prices", prompt="Find them", run_in_background=True)
    about = (
        "task_id: agent-x\nkind: agent\nstatus: running\ndescription: Look\nagent_id: a1\nautomatic_notification: true"
    )
    main.result("Agent:0", about, "Background task started.")
    main.call("Shell:1", "Shell", command="cat x")
    main.result("Shell:1", "x\nagent_id: a1\n")
    own.typed("Find them")
    written(tmp_path, {"wire.jsonl": main.lines, "subagents/a1/wire.jsonl": own.lines})
    index = built(tmp_path)
    (found,) = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert (found.session_id, found.parent_tool_id, found.title) == (f"a1.{SESSION}", "Agent:0", "Look for prices")


def test_compactions_have_the_summaries_of_the_messages(tmp_path: Path) -> None:
    wire = Wire()
    wire.typed("One")
    wire.spent(1, 1, context=900)
    for _ in range(2):
        wire.event("CompactionBegin")
        wire.event("CompactionEnd")
    wire.say("Going on.")
    wire.typed("/compact")
    wire.event("CompactionBegin")
    wire.event("CompactionEnd")
    wire.say("The context has been compacted.")
    contexts = {
        "context_1.jsonl": [says("user", "One")],
        "context_2.jsonl": [says("_checkpoint", None, id=0), says("user", f"{COMPACTED}First")],
        "context_10.jsonl": [says("user", [{"type": "text", "text": COMPACTED}, {"type": "text", "text": "Second"}])],
        "context_11.jsonl": [says("user", [{"type": "text", "text": COMPACTED}, {"type": "text", "text": "Second"}])],
        "context.jsonl": [says("user", f"{COMPACTED}Third"), says("user", "One")],
    }
    written(tmp_path, {"wire.jsonl": wire.lines, **contexts})
    index = built(tmp_path)
    session = index.sessions.find(SESSION)
    assert shown(index, SESSION) == [
        ("human", [("user", "One")]),
        ("compaction", [("user", "First")]),
        ("compaction", [("user", "Second"), ("text", "Going on."), ("note command", "/compact")]),
        ("compaction", [("user", "Third"), ("text", "The context has been compacted.")]),
    ]
    compactions = index.compactions.of_session(session.key)
    assert [(one.trigger, one.tokens_before) for one in compactions] == [("auto", 900), ("auto", 900), ("manual", 900)]


def test_a_fork_has_the_last_summary_only_and_its_copies_count_once(tmp_path: Path) -> None:
    wire = whole_session()
    for _ in range(2):
        wire.event("CompactionEnd")
    written(tmp_path, {"wire.jsonl": wire.lines})
    fork = Wire()
    fork.lines = list(wire.lines)
    fork.typed("Now the discounts")
    name = "0e1d2c3b-0000-4c3b-9d4e-7a6b5c4d3e2f"
    last = [says("user", f"{COMPACTED}Second")]
    written(tmp_path, {"wire.jsonl": fork.lines, "context.jsonl": last}, name)
    index = built(tmp_path)
    assert shown(index, name) == [
        ("compaction", [("user", "Second")]),
        ("human", [("user", "Now the discounts")]),
    ]
    forked = index.sessions.find(name)
    assert [turn.segment for turn in index.sessions.turns(forked.key)] == [2, 2]
    assert (forked.forked_from, forked.output_tokens, shown(index, SESSION)) == (SESSION, 0, WHOLE)


def old_messages() -> list[Entry]:
    """The messages of a session in the first versions."""
    calls = [call_of("Bash:0", "Bash", '{"command": "ls"}'), call_of("Task:1", "Task", '{"prompt": "Find them"}')]
    failed = [
        text_part("<system>ERROR</system>"),
        text_part("<system>Exit code: 1</system>"),
        text_part("no such file"),
    ]
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400}}
    return [
        says("_checkpoint", None, id=0),
        says("user", "<system>CHECKPOINT 0</system>"),
        says("user", "Please look"),
        says("_usage", None, token_count=12),
        says("assistant", [{"type": "think", "think": "Hm."}, text_part("Looking.")], tool_calls=calls),
        says("tool", failed, tool_call_id="Bash:0"),
        says("tool", [text_part("<system>Found</system>"), text_part("a picture")], tool_call_id="Task:1"),
        says("assistant", [], tool_calls=[call_of("Look:2", "Look", None)]),
        says("tool", [text_part(f"<system>{MEDIA}</system>")], tool_call_id="Look:2"),
        says("user", [image]),
        says("tool", "<system>Tool output is empty.</system>", tool_call_id="Look:3"),
        says("user", "<system>The user ran `/init`.</system>"),
        says("user", '<notification id="n">Tests passed</notification>'),
        says("system", "Be kind"),
        says("user", [image]),
        says("oracle", "Forty-two"),
    ]


MEDIA = "Tool output contains non-text parts. Non-text parts are sent as a user message below."


def text_part(text: str) -> Entry:
    return {"type": "text", "text": text}


OLD: Shown = [
    (
        "human",
        [
            ("user", "Please look"),
            ("thinking", "Hm."),
            ("text", "Looking."),
            ("tool_call Bash", '{"command":"ls"}'),
            ("tool_call Task", '{"prompt":"Find them"}'),
            ("tool_result Bash!", "Exit code: 1\nno such file"),
            ("tool_result Task", "a picture\nFound"),
            ("tool_call Look", "{}"),
            ("tool_result Look", f"[image/png 1 kB]\n{MEDIA}"),
            ("tool_result", ""),
            ("note reminder", "The user ran `/init`."),
            ("note notification", "Tests passed"),
            ("note meta", "Be kind"),
        ],
    ),
    ("human", [("image", "[image/png 1 kB]")]),
]


@pytest.mark.parametrize("layout", ["file", "folder"])
def test_messages_without_events(tmp_path: Path, layout: str) -> None:
    sub = [says("user", "Find them"), says("assistant", "In src/prices.py")]
    names = (f"../{SESSION}.jsonl", f"../{SESSION}_sub_1.jsonl")
    names = names if layout == "file" else ("context.jsonl", "context_sub_1.jsonl")
    path = written(tmp_path, {names[0]: old_messages(), names[1]: sub})
    part, container = ("old_sub_1", f"{path}.jsonl") if layout == "file" else ("sub_1", str(path))
    if layout == "folder":
        write_lines(path / "wire.jsonl", [])
    index = built(tmp_path)
    session = index.sessions.find(SESSION)
    assert shown(index, SESSION) == OLD
    assert (session.cwd, session.title, session.started_at) == (CWD, "Please look", None)
    assert index.snapshot.rows("SELECT kind FROM unknown_entries") == [("message oracle",)]
    (found,) = index.sessions.subagents(session.key)
    assert (found.session_id, found.parent_tool_id) == (f"{part}.{SESSION}", "Task:1")
    assert shown(index, found.session_id) == [("agent", [("user", "Find them"), ("text", "In src/prices.py")])]
    assert sorted(source.path for source in index.statistics.sources()) == [container, f"{container}#{part}"]


def test_messages_in_several_files_count_once(tmp_path: Path) -> None:
    first = [says("user", "One"), says("assistant", "First."), says("user", "Two"), says("assistant", "Second.")]
    mail = says("user", "<system>You just got a D-Mail from your future self.</system>")
    contexts = {
        # The context was cleared, and the same was asked again.
        "context_1.jsonl": [says("user", "One"), says("assistant", "Zero.")],
        # Compacted, with the last two messages.
        "context_2.jsonl": first,
        # The agent went back to a checkpoint, twice.
        "context_3.jsonl": [says("user", f"{COMPACTED}Both done"), *first[2:], says("user", "Three")],
        "context_4.jsonl": [says("user", f"{COMPACTED}Both done"), *first[2:], mail, says("assistant", "Third.")],
        "context.jsonl": [says("user", f"{COMPACTED}Both done"), *first[2:]],
    }
    written(tmp_path, contexts)
    index = built(tmp_path)
    assert shown(index, SESSION) == [
        ("human", [("user", "One"), ("text", "Zero.")]),
        ("human", [("user", "One"), ("text", "First.")]),
        ("human", [("user", "Two"), ("text", "Second.")]),
        ("compaction", [("user", "Both done")]),
        (
            "human",
            [
                ("user", "Three"),
                ("note reminder", "You just got a D-Mail from your future self."),
                ("text", "Third."),
            ],
        ),
    ]


def test_what_was_said_before_there_were_events(tmp_path: Path) -> None:
    wire = Wire()
    wire.typed("Two")
    wire.call("Shell:0", "Shell", command="cat 2")
    wire.result("Shell:0", "two")
    called = says("assistant", "First.", tool_calls=[call_of("Shell:0", "Shell", '{"command": "cat 1"}')])
    before = [says("user", "One"), called, says("tool", "one", tool_call_id="Shell:0"), says("user", "Two"), called]
    written(tmp_path, {"wire.jsonl": wire.lines, "context.jsonl": before})
    calls = [("tool_call Shell", '{"command":"cat 1"}'), ("tool_result Shell", "one")]
    one = ("human", [("user", "One"), ("text", "First."), *calls])
    calls = [("tool_call Shell", '{"command":"cat 2"}'), ("tool_result Shell", "two")]
    two = ("human", [("user", "Two"), *calls])
    index = built(tmp_path)
    assert shown(index, SESSION) == [one, two]
    assert [call.result.text if call.result else None for call in tool_calls(index, SESSION)] == ["one", "two"]
    wire.typed("Three")
    written(tmp_path, {"wire.jsonl": wire.lines})
    assert shown(built(tmp_path), SESSION) == [one, two, ("human", [("user", "Three")])]


UNCERTAIN: dict[str, tuple[str, list[Entry]]] = {
    "the events are complete": ("Two", [says("user", "Two"), says("user", "Two")]),
    "a skill was started": ("/skill:x", [says("user", "Long text"), says("user", "/skill:x")]),
    "a summary comes first": ("Two", [says("user", f"{COMPACTED}Done"), says("user", "One"), says("user", "Two")]),
    "the input is elsewhere": ("$skill Two", [says("user", "Long text"), says("user", "Two")]),
}


@pytest.mark.parametrize("case", UNCERTAIN)
def test_messages_that_may_be_in_the_events_are_left_out(tmp_path: Path, case: str) -> None:
    first, messages = UNCERTAIN[case]
    wire = Wire()
    wire.typed(first)
    wire.say("Second.")
    written(tmp_path, {"wire.jsonl": wire.lines, "context.jsonl": messages})
    assert [turn[1] for turn in shown(built(tmp_path), SESSION)] == [[("user", first), ("text", "Second.")]]


def test_files_that_grow_are_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    home, other = tmp_path / "home", "0e1d2c3b-1111-4c3b-9d4e-7a6b5c4d3e2f"
    wire = with_subagents()
    for line in whole_session().lines[1:]:
        wire.event(line["message"]["type"], **line["message"]["payload"])
    wire.event("CompactionEnd")
    wire.say("Going on.")
    wire.event("ToolCall", **call_of("9", "Shell", '{"command":'))
    marks = [len(wire.lines)]
    wire.event("ToolCallPart", arguments_part=' "ls"}')
    wire.typed("Look again")
    wire.subagent("Task:9", "ContentPart", agent="a1", type="text", text="In a file of its own")
    wire.event("SteerInput", user_input="Stop")
    wire.subagent("Task:9", "ContentPart", agent="a1", type="text", text="In a file of its own")
    marks += [len(wire.lines)]
    for kind, payload in subagent_events():
        wire.subagent("Task:0", kind, **payload)
    wire.event("CompactionEnd")
    wire.call("ReadFile:0", "ReadFile", path="again.py")
    marks += [len(wire.lines)]
    wire.result("ReadFile:0", "     1\tagain = True\n")
    wire.say("Done.")
    paths = {
        folder(home) / "wire.jsonl": (encoded(wire.lines), marks),
        folder(home, other) / "context.jsonl": (encoded(old_messages()), [5, 9]),
    }
    files = {}
    for path, (content, numbers) in paths.items():
        ends = [0, *(place + 1 for place, byte in enumerate(content) if byte == 10)]
        cuts = {*ends[3:-9:9], *(ends[number] for number in numbers), *(ends[number] + 9 for number in numbers[:-1])}
        files[path] = content, sorted(cuts)
    write_lines(folder(home) / "context_1.jsonl", [says("user", f"{COMPACTED}Done")])
    write_lines(folder(home) / "context.jsonl", [says("user", f"{COMPACTED}Done again")])
    write_lines(folder(home) / "subagents" / "a1" / "wire.jsonl", [])
    held = read_as_it_grows("kimi", home / "sessions", files, tmp_path)
    assert turn_counts(held) == {(SESSION, ""): 7, (f"Task:0.{SESSION}", SESSION): 2, (other, ""): 2}


def test_a_compaction_after_the_messages_were_read(tmp_path: Path) -> None:
    first = [says("user", "One"), says("assistant", "First.")]
    path = written(tmp_path, {"context.jsonl": first})
    update(tmp_path / "data", tmp_path / "home" / "sessions", agent="kimi")
    (path / "context.jsonl").rename(path / "context_1.jsonl")
    written(tmp_path, {"context.jsonl": [says("user", f"{COMPACTED}Done"), *first, says("user", "Two")]})
    index = built(tmp_path)
    assert [turn for _, turn in shown(index, SESSION)] == [
        [("user", "One"), ("text", "First.")],
        [("user", "Done")],
        [("user", "Two")],
    ]
    assert len(index.compactions.of_session(index.sessions.find(SESSION).key)) == 1


def test_events_take_the_place_of_messages_that_were_read_before(tmp_path: Path) -> None:
    messages = [says("user", "One"), says("assistant", "First.")]
    written(tmp_path, {f"../{SESSION}.jsonl": messages})
    assert len(shown(built(tmp_path), SESSION)) == 1
    path = folder(tmp_path / "home").with_suffix(".jsonl")
    path.unlink()
    wire = Wire()
    wire.typed("Two")
    written(tmp_path, {"context.jsonl": [*messages, says("user", "Two")], "wire.jsonl": wire.lines})
    assert shown(built(tmp_path), SESSION) == [
        ("human", [("user", "One"), ("text", "First.")]),
        ("human", [("user", "Two")]),
    ]


def test_a_session_of_the_first_versions_that_was_resumed(tmp_path: Path) -> None:
    first = [says("user", "One"), says("assistant", "First.")]
    wire = Wire()
    wire.typed("Two")
    wire.event("CompactionEnd")
    wire.say("Second.")
    files = {
        f"../{SESSION}_1.jsonl": first,
        f"../{SESSION}_sub_1.jsonl": [says("user", "Find"), says("assistant", "Found.")],
        "context_1.jsonl": [says("user", f"{COMPACTED}One is done"), *first, says("user", "Two")],
        "context.jsonl": [says("user", f"{COMPACTED}Two is done"), says("assistant", "Second.")],
        "wire.jsonl": wire.lines,
    }
    path = written(tmp_path, files)
    index = built(tmp_path)
    assert shown(index, SESSION) == [
        ("human", [("user", "One"), ("text", "First.")]),
        ("compaction", [("user", "One is done")]),
        ("human", [("user", "Two")]),
        ("compaction", [("user", "Two is done"), ("text", "Second.")]),
    ]
    assert shown(index, f"old_sub_1.{SESSION}") == [("agent", [("user", "Find"), ("text", "Found.")])]
    assert sorted(source.path for source in index.statistics.sources()) == [str(path), f"{path}#old_sub_1"]


TITLES: dict[str, tuple[Entry, Entry, str]] = {
    "of the user": ({"custom_title": " Mine "}, {}, "Mine"),
    "of the agent": ({"custom_title": "Made", "title_generated": True}, {}, "Made"),
    "in the older file": ({"custom_title": None}, {"title": "Older"}, "Older"),
    "of no one": ({"custom_title": 3}, {"title": "Untitled"}, "One"),
}


@pytest.mark.parametrize("case", TITLES)
def test_titles(tmp_path: Path, case: str) -> None:
    state, older, title = TITLES[case]
    wire = Wire()
    wire.typed("One")
    path = written(tmp_path, {"wire.jsonl": wire.lines}, state=state)
    (path / "metadata.json").write_text(json.dumps(older))
    assert built(tmp_path).sessions.find(SESSION).title == title


def test_a_new_title_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path, {"wire.jsonl": whole_session().lines}, state={"custom_title": "Prices"})
    titles = [built(tmp_path).sessions.find(SESSION).title]
    for number, text in enumerate(('{"custom_title": "Cents"}', "{")):
        (path / "state.json").write_text(text)
        os.utime(path / "state.json", ns=(2 * 10**18 + number, 2 * 10**18 + number))
        titles.append(build(tmp_path / "data", path / "state.json", agent="kimi").sessions.find(SESSION).title)
    assert titles == ["Prices", "Cents", "Cents"]


FOLDERS: dict[str, tuple[str, Entry, str]] = {
    "a worktree": (BUCKET, {"worktree_path": "/home/ana/wt/shop"}, "/home/ana/wt/shop"),
    "the hash": (BUCKET, {}, CWD),
    "the hash of a folder elsewhere": (f"ssh_{BUCKET}", {}, CWD),
    "the system prompt": ("0" * 32, {}, "/home/ana/code/site"),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_working_directories(tmp_path: Path, case: str) -> None:
    bucket, state, cwd = FOLDERS[case]
    wire = Wire()
    wire.typed("One")
    text = "# Folder\nThe current working directory is `/home/ana/code/site`. Look."
    context = [says("_system_prompt", text), says("user", "One")]
    path = written(tmp_path, {"wire.jsonl": wire.lines, "context.jsonl": context}, state=state)
    path.parent.rename(path.parent.with_name(bucket))
    assert built(tmp_path).sessions.find(SESSION).cwd == cwd


def test_without_any_hint_there_is_no_working_directory(tmp_path: Path) -> None:
    wire = Wire()
    wire.typed("One")
    written(tmp_path, {"wire.jsonl": wire.lines, "context.jsonl": [says("user", "One")]})
    (tmp_path / "home" / "kimi.json").write_text("[")
    assert built(tmp_path).sessions.find(SESSION).cwd == ""


def test_unknown_events_and_bad_lines(tmp_path: Path) -> None:
    wire = Wire()
    wire.typed("Round the prices")
    wire.event("Hologram", beam=1)
    wire.lines += [{"timestamp": 1, "weather": "fine"}, {"message": {"payload": {}}}]
    wire.subagent("Task:0", "Hologram")
    wire.event("ContentPart", type="hologram", beam=1)
    path = written(tmp_path, {"wire.jsonl": wire.lines}) / "wire.jsonl"
    path.write_bytes(path.read_bytes() + b'{"timestamp"\n{"timestamp": 1, "mess')
    index = built(tmp_path)
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line") == [
        (2, "event Hologram"),
        (3, "without a type"),
        (4, "without a type"),
        (5, "event Hologram"),
    ]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(7, "not JSON")]
    assert shown(index, SESSION) == [
        ("human", [("user", "Round the prices"), ("note meta", '{"type":"hologram","beam":1}')]),
    ]
    assert [source.state for source in index.statistics.sources()] == ["waiting"]


def test_bad_lines_among_messages(tmp_path: Path) -> None:
    path = written(tmp_path, {"context_1.jsonl": [says("user", "One")], "context.jsonl": [says("user", "Two")]})
    (path / "context_1.jsonl").write_bytes((path / "context_1.jsonl").read_bytes() + b"{\n")
    (path / "context.jsonl").write_bytes((path / "context.jsonl").read_bytes() + b'{"role": "us')
    index = built(tmp_path)
    assert [turn for _, turn in shown(index, SESSION)] == [[("user", "One")], [("user", "Two")]]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not JSON")]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = written(tmp_path, {"context_1.jsonl": [says("user", "One")]})
    (path / "context.jsonl").mkdir()
    (source,) = built(tmp_path).statistics.sources()
    assert (source.state, source.error) == ("error", f"{path / 'context.jsonl'}: Is a directory")


LAST = "They are in src/prices.py."


@settings(deadline=None, max_examples=120)
@given(lines=damaged([*whole_session().lines, *with_subagents("a1").lines[1:]]))
def test_values_of_wrong_types_in_events_count_as_absent(
    lines: list[Entry], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.getbasetemp() / "events"
    path = write_lines(folder(home) / "wire.jsonl", lines)
    write_lines(folder(home) / "context.jsonl", [says("user", f"{COMPACTED}Done")])
    messages = [record for record in records_of(Kimi(), path) if isinstance(record, Message)]
    assert messages[-1].blocks[-1].text == LAST
    assert all(isinstance(block.text, str) for message in messages for block in message.blocks)


@settings(deadline=None, max_examples=120)
@given(
    entries=damaged([*old_messages(), says("user", "Two"), says("assistant", LAST)]),
    older=damaged([says("_checkpoint", None, id=0), *old_messages()[2:6], says("user", f"{COMPACTED}Done")]),
)
def test_values_of_wrong_types_in_messages_count_as_absent(
    entries: list[Entry], older: list[Entry], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.getbasetemp() / "messages"
    path = write_lines(folder(home) / "context.jsonl", entries)
    write_lines(folder(home) / "context_1.jsonl", older)
    records = records_of(Kimi(), path)
    messages = [record for record in records if isinstance(record, Message)]
    assert messages[-1].blocks[-1].text == LAST
    assert not any(isinstance(record, BadLine) for record in records)


def test_which_files_are_sessions(tmp_path: Path) -> None:
    place = Path("/home/ana/.kimi/sessions") / BUCKET
    session, agent = place / SESSION, place / SESSION / "subagents" / "a1"
    wire = write_lines(tmp_path / "copy" / "wire.jsonl", whole_session().lines)
    first = write_lines(tmp_path / "first.jsonl", whole_session().lines[1:])
    context = write_lines(tmp_path / "old.jsonl", old_messages())
    code = tmp_path / "sessions" / "wd_shop_0123" / "session_1" / "agents" / "main" / "wire.jsonl"
    write_lines(code, [{"type": "metadata", "protocol_version": "1.4"}])
    containers = {
        code: code,
        session / "wire.jsonl": session,
        session / "context.jsonl": session,
        session / "context_2.jsonl": session,
        session / "context_sub_1.jsonl": session,
        session / "context_sub_1_2.jsonl": session,
        session / "state.json": session,
        session / "metadata.json": session,
        agent / "wire.jsonl": agent,
        agent / "context.jsonl": agent,
        agent / "meta.json": agent,
        place / f"{SESSION}.jsonl": place / f"{SESSION}.jsonl",
        place / f"{SESSION}_1.jsonl": place / f"{SESSION}.jsonl",
        place / f"{SESSION}_sub_3.jsonl": place / f"{SESSION}.jsonl",
        wire: wire.parent,
        first: first,
        context: context,
    }
    assert {path: registry.reader_for(path).agent for path in containers} == dict.fromkeys(containers, "kimi")  # type: ignore[union-attr]
    assert {path: Kimi().container(path) for path in containers} == containers
    others = [
        session / "uploads" / "a.jsonl",
        agent / "prompt.txt",
        place.parent.parent / "user-history" / f"{BUCKET}.jsonl",
        place.parent.parent / "logs" / "wire.jsonl",
        write_lines(tmp_path / "x.jsonl", [{"timestamp": 1, "message": {"type": "user", "content": ""}}]),
    ]
    assert [Kimi().accepts(path) for path in others] == [False] * 5
    index = build(tmp_path / "data", wire, first, context, agent="kimi")
    assert sorted(session.session_id for session in index.sessions.all()) == ["copy", "old"]
    assert shown(index, "copy") == WHOLE
    assert shown(index, "old") == OLD


def test_private_files_of_the_agent_and_those_of_projects() -> None:
    assert registry.is_agents_own(f"/home/ana/.kimi/sessions/{BUCKET}/{SESSION}/uploads/a.png")
    assert registry.is_agents_own("/home/ana/.kimi/plans/red-fox.md")
    assert not registry.is_agents_own("/home/ana/code/shop/.kimi/skills/review/SKILL.md")


def test_a_session_that_was_imported_into_kimi_code_counts_once(tmp_path: Path) -> None:
    source = written(tmp_path, {"wire.jsonl": whole_session().lines})
    created = round(START.timestamp() * 1000)
    records: list[Entry] = [{"type": "metadata", "protocol_version": "1.0", "created_at": created}]
    typed = [{"type": "text", "text": "Please round the prices"}]
    records.append({"type": "turn.prompt", "input": typed, "origin": {"kind": "user"}, "time": created})
    old = {"type": "context.append_message", "message": {"role": "user", "content": typed}}
    said = {"role": "assistant", "content": [{"type": "text", "text": "I will look."}]}
    records += [old | {"time": created}, {"type": "context.append_message", "message": said}]
    later = [{"type": "text", "text": "Now the discounts"}]
    records.append({"type": "turn.prompt", "input": later, "origin": {"kind": "user"}, "time": created + 9000})
    imported = tmp_path / "home" / "sessions" / "wd_shop_0123" / f"ses_{SESSION}"
    write_lines(imported / "agents" / "main" / "wire.jsonl", records)
    about = {
        "imported_from_kimi_cli": True,
        "kimi_cli_session_id": SESSION,
        "kimi_cli_source_path": str(source),
    }
    (imported / "state.json").write_text(json.dumps({"workDir": CWD, "custom": about}))
    index = built(tmp_path)
    assert shown(index, f"ses_{SESSION}") == [("human", [("user", "Now the discounts")])]
    assert (index.sessions.find(f"ses_{SESSION}").forked_from, len(shown(index, SESSION))) == (SESSION, 2)
    (source / "wire.jsonl").unlink()
    source.joinpath("state.json").unlink(missing_ok=True)
    source.rmdir()
    index = build(tmp_path / "other", tmp_path / "home" / "sessions", agent="kimi")
    assert [turn for _, turn in shown(index, f"ses_{SESSION}")] == [
        [("user", "Please round the prices"), ("text", "I will look.")],
        [("user", "Now the discounts")],
    ]


def test_nothing_of_the_samples_is_lost(tmp_path: Path) -> None:
    own = Wire()
    own.typed("Find them")
    own.say("Found.")
    own.call("1", "Shell", command="ls")
    contexts = {"context.jsonl": old_messages(), "context_sub_1.jsonl": [says("assistant", "Sub.")]}
    events = {
        "wire.jsonl": [*whole_session().lines, *with_subagents().lines[1:]],
        "context.jsonl": [says("assistant", "A copy.")],
        "context_sub_1.jsonl": [says("assistant", "A copy.")],
        "subagents/a1/wire.jsonl": own.lines,
        "subagents/a1/context.jsonl": [says("assistant", "A copy.")],
    }
    written(tmp_path, events)
    written(tmp_path, contexts, "0e1d2c3b-1111-4c3b-9d4e-7a6b5c4d3e2f")
    written(tmp_path, {f"../{SESSION[::-1]}.jsonl": [says("assistant", [text_part("Older.")])]})
    home = tmp_path / "home" / "sessions"
    want = bench.agents.kimi.expected(home)
    assert sorted(want["text"].elements()) == sorted(
        [
            *("I will look.", "Rounded to cents.", "In src/prices.py", LAST, "Found.", "Looking.", "Sub.", "Older."),
        ]
    )
    assert [want[kind].total() for kind in ("tool_call", "tool_result")] == [9, 9]
    update(tmp_path / "data", home, agent="kimi")
    assert shares(want, held(tmp_path / "data", "kimi")) == {"text": 1.0, "tool_call": 1.0, "tool_result": 1.0}
