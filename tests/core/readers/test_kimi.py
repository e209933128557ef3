"""Sessions of Kimi Code in a real index."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.index.index import Index
from memtui_core.model import Block
from memtui_core.readers import registry
from memtui_core.readers.agents.kimi.reader import Kimi
from memtui_core.readers.records import Message
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.pairing import paired
from support.indexes import build, update
from support.line_files import damaged, encoded, read_as_it_grows, records_of, write_lines
from support.pictures import turn_counts
from support.systems import HOME_VARIABLE

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
SESSION = "session_11111111-aaaa"
CWD = "/home/ana/code/shop"
MODEL = "moonshot-ai/kimi-k2"
Record = dict[str, Any]


class Script:
    """Collects the records of one agent."""

    def __init__(self, name: str = "main", cwd: str = CWD) -> None:
        self.records: list[Record] = []
        self._name = name
        self.add("metadata", protocol_version="1.4", app_version="0.9.1", created_at=0)
        self.add("config.update", cwd=cwd, modelAlias=MODEL)

    def add(self, kind: str, **fields: Any) -> None:
        at = START + timedelta(seconds=len(self.records))
        self.records.append({"type": kind, **fields, "time": round(at.timestamp() * 1000)})

    def typed(self, text: str, record: str = "turn.prompt", **origin: Any) -> None:
        self.add(record, input=[{"type": "text", "text": text}], origin={"kind": "user"} | origin)

    def context(self, text: str, **origin: Any) -> None:
        content = [{"type": "text", "text": text}]
        message = {"role": "user", "content": content, "toolCalls": [], "origin": {"kind": "user"} | origin}
        self.add("context.append_message", message=message)

    def user(self, text: str, **origin: Any) -> None:
        self.typed(text, **origin)
        self.context(text, **origin)

    def event(self, kind: str, **fields: Any) -> None:
        name = f"{self._name}-{len(self.records)}"
        self.add("context.append_loop_event", event={"type": kind, "uuid": name, "turnId": "0", **fields})

    def part(self, kind: str, **fields: Any) -> None:
        self.event("content.part", part={"type": kind, **fields})

    def say(self, text: str) -> None:
        self.part("text", text=text)

    def call(self, tool_id: str, name: str, **arguments: Any) -> None:
        self.event("tool.call", uuid=tool_id, toolCallId=tool_id, name=name, args=arguments)

    def result(self, tool_id: str, output: Any, **fields: Any) -> None:
        event = {"type": "tool.result", "parentUuid": tool_id, "toolCallId": tool_id}
        self.add("context.append_loop_event", event=event | {"result": {"output": output, **fields}})

    def usage(self, given: int, made: int, read: int = 0, written: int = 0, scope: str = "turn") -> None:
        usage = {"inputOther": given, "output": made, "inputCacheRead": read, "inputCacheCreation": written}
        self.event("step.end", usage=usage, finishReason="end_turn")
        self.add("usage.record", model=MODEL, usage=usage, usageScope=scope)

    def write(self, folder: Path, session: str = SESSION) -> Path:
        path = folder / "sessions" / "wd_shop_0123" / session / "agents" / self._name / "wire.jsonl"
        return write_lines(path, self.records)


def write_state(records: Path, **fields: Any) -> Path:
    path = records.parents[2] / "state.json"
    path.write_text(json.dumps({"title": "Prices", "isCustomTitle": False, "workDir": CWD, "agents": {}} | fields))
    return path


def blocks_of(index: Index, session_id: str = SESSION) -> dict[int, tuple[Block, ...]]:
    session = index.sessions.find(session_id)
    return index.sessions.blocks(session.key, 1, session.turns)


def said(index: Index, session_id: str = SESSION) -> list[list[tuple[str, str | None, str]]]:
    return [[(b.kind, b.tool, b.text) for b in blocks] for blocks in blocks_of(index, session_id).values()]


def whole_session() -> Script:
    script = Script()
    script.add("llm.tools_snapshot", hash="h", tools=[{"name": "Read"}])
    script.user("Please round the prices")
    script.event("step.begin", step=1)
    script.part("think", think="Cents, I think.")
    script.say("I will look.")
    script.call("Read_0", "Read", path="src/prices.py")
    script.call("Bash_1", "Bash", command="pytest tests/test_prices.py")
    script.add("permission.record_approval_result", toolCallId="Bash_1", result={"decision": "approved"})
    script.result("Read_0", "prices = []", note="1 line")
    script.result("Bash_1", "1 failed", isError=True)
    script.usage(100, 20, 300, 40)
    script.context("<system-reminder>Use TodoList</system-reminder>", kind="injection", variant="todo")
    script.call("Edit_2", "Edit", path="src/prices.py", old_string="prices = []", new_string="prices = {}")
    script.result("Edit_2", [{"type": "text", "text": "Replaced."}, {"type": "image_url", "imageUrl": {"url": "x"}}])
    script.say("Rounded to cents.")
    script.usage(10, 5)
    image = {"type": "image_url", "imageUrl": {"url": "data:image/png;base64," + "A" * 400}}
    script.add("turn.prompt", input=[{"type": "text", "text": "What is this?"}, image], origin={"kind": "user"})
    script.add("turn.cancel")
    return script


def test_a_session_with_everything(tmp_path: Path) -> None:
    write_state(whole_session().write(tmp_path), title="Rounding")
    index = build(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    session = index.sessions.find(SESSION)
    assert (session.agent, session.project, session.cwd, session.title) == ("kimi", "shop", CWD, "Rounding")
    assert (session.version, session.models) == ("0.9.1", (MODEL,))
    assert (session.turns, session.tool_calls, session.input_tokens, session.output_tokens) == (2, 3, 110, 25)
    assert index.snapshot.rows("SELECT sum(cache_read_tokens), sum(cache_write_tokens) FROM turns") == [(300, 40)]
    assert session.started_at == START + timedelta(seconds=3)
    assert said(index) == [
        [
            ("user", None, "Please round the prices"),
            ("thinking", None, "Cents, I think."),
            ("text", None, "I will look."),
            ("tool_call", "Read", '{"path":"src/prices.py"}'),
            ("tool_call", "Bash", '{"command":"pytest tests/test_prices.py"}'),
            ("tool_result", "Read", "prices = []"),
            ("tool_result", "Bash", "1 failed"),
            ("note", "reminder", "<system-reminder>Use TodoList</system-reminder>"),
            ("tool_call", "Edit", '{"path":"src/prices.py","old_string":"prices = []","new_string":"prices = {}"}'),
            ("tool_result", "Edit", "Replaced.\n[image]"),
            ("text", None, "Rounded to cents."),
        ],
        [
            ("user", None, "What is this?"),
            ("image", None, "[image/png 1 kB]"),
            ("note", "interrupt", "Interrupted"),
        ],
    ]
    assert [block.is_error for block in blocks_of(index)[1] if block.kind == "tool_result"] == [False, True, False]
    edit = paired(blocks_of(index)[1])[2]
    assert (edit.paths, diff_of(edit)) == (("src/prices.py",), "@@ -1,1 +1,1 @@\n-prices = []\n+prices = {}")
    assert registry.resume_command(session) == ["kimi", "--session", SESSION]
    assert Kimi().start_command("Go") is None


def test_a_typed_text_counts_once_however_late_the_model_gets_it(tmp_path: Path) -> None:
    script = Script()
    script.typed("One")
    script.context("One")
    script.say("First.")
    script.typed("Stop", "turn.steer")
    script.typed("Two")
    script.context("Two")
    script.context("Stop")
    script.say("Second.")
    script.context("Only in the context")
    script.context("Two")
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    assert [[text for _, _, text in turn] for turn in said(index)] == [
        ["One", "First."],
        ["Stop"],
        ["Two", "Second."],
        ["Only in the context"],
        ["Two"],
    ]


def test_texts_of_programs_are_notes_and_slash_commands_are_commands(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.context("git status", kind="shell_command", phase="input")
    script.context("fatal", kind="shell_command", phase="output", isError=True)
    script.context("The task is done", kind="background_task", taskId="1")
    script.context("Hook said no", kind="hook_result", event="Stop")
    script.context("What came before", kind="compaction_summary")
    script.user("Long skill text", kind="skill_activation", trigger="user-slash", skillName="review", skillArgs="-v")
    script.say("Reviewed.")
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    assert said(index) == [
        [
            ("user", None, "Round the prices"),
            ("note", "shell", "! git status"),
            ("note", "shell", "fatal"),
            ("note", "notification", "The task is done"),
            ("note", "meta", "Hook said no"),
        ],
        [("user", None, "/review -v"), ("note", "reminder", "Long skill text"), ("text", None, "Reviewed.")],
    ]
    assert [block.is_error for block in blocks_of(index)[1]] == [False, False, True, False, False]
    assert [turn.kind for turn in index.sessions.turns(index.sessions.find(SESSION).key)] == ["human", "command"]


def with_subagent() -> tuple[Script, Script]:
    parent = Script()
    parent.user("Where are the prices?")
    parent.call("Agent_0", "Agent", description="Look for prices", subagent_type="explore", prompt="Find the prices")
    parent.result("Agent_0", "agent_id: agent-0\nstatus: completed\n\nIn src/prices.py")
    parent.say("They are in src/prices.py.")
    child = Script("agent-0")
    child.user("<git-context>main</git-context>\nFind the prices", kind="system_trigger", name="subagent")
    child.say("In src/prices.py")
    return parent, child


def test_a_subagent(tmp_path: Path) -> None:
    parent, child = with_subagent()
    path = parent.write(tmp_path)
    child.write(tmp_path)
    write_state(path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    (found,) = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert (found.session_id, found.parent_tool_id, found.title, found.cwd) == (
        f"agent-0.{SESSION}",
        "Agent_0",
        "Look for prices",
        CWD,
    )
    assert [turn.kind for turn in index.sessions.turns(found.key)] == ["agent"]
    assert registry.resume_command(found) is None
    assert [session.session_id for session in index.sessions.all()] == [SESSION]
    assert Kimi().subagent_locations(path) == [path.parents[1]]


def test_a_compaction(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.say("Rounded.")
    script.add("full_compaction.begin", source="manual")
    script.usage(7, 3, scope="session")
    script.add("context.apply_compaction", summary="Prices: done.", contextSummary="Note: Prices", tokensBefore=900)
    script.add("full_compaction.complete")
    script.user("Now the discounts")
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    session = index.sessions.find(SESSION)
    assert [(turn.kind, turn.segment, turn.user_text) for turn in index.sessions.turns(session.key)] == [
        ("human", 0, "Round the prices"),
        ("compaction", 1, "Prices: done."),
        ("human", 1, "Now the discounts"),
    ]
    assert [(one.trigger, one.tokens_before) for one in index.compactions.of_session(session.key)] == [("manual", 900)]
    assert session.output_tokens == 3


def test_the_records_of_a_fork_count_once(tmp_path: Path) -> None:
    script = whole_session()
    script.write(tmp_path)
    fork = Script()
    fork.records = [*script.records, {"type": "forked", "time": script.records[-1]["time"]}]
    fork.user("Now the discounts")
    fork.write(tmp_path, "session_fork")
    index = build(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    assert said(index, "session_fork") == [[("user", None, "Now the discounts")]]
    forked = index.sessions.find("session_fork")
    assert (forked.forked_from, forked.output_tokens, index.sessions.find(SESSION).output_tokens) == (SESSION, 0, 25)


def test_messages_that_are_stored_as_a_whole(tmp_path: Path) -> None:
    script = Script()
    script.typed("Round the prices")
    calls = [{"id": "c1", "function": {"name": "Bash", "arguments": '{"command":"ls"}'}}]
    content = [{"type": "think", "think": "Hm."}, {"type": "text", "text": "Looking."}]
    script.add("context.append_message", message={"role": "assistant", "content": content, "toolCalls": calls})
    script.add("context.append_message", message={"role": "tool", "toolCallId": "c1", "content": "a.py"})
    script.add("context.append_loop_event", event={"type": "tool.call", "toolName": "Write", "input": {"path": "b.py"}})
    script.add("context.append_loop_event", event={"type": "tool.result", "output": "wrote b.py"})
    script.add("usage.record", model="kimi-k2", usage={"input_tokens": 11, "output_tokens": 13})
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    assert said(index) == [
        [
            ("user", None, "Round the prices"),
            ("thinking", None, "Hm."),
            ("text", None, "Looking."),
            ("tool_call", "Bash", '{"command":"ls"}'),
            ("tool_result", "Bash", "a.py"),
            ("tool_call", "Write", '{"path":"b.py"}'),
            ("tool_result", None, "wrote b.py"),
        ]
    ]
    assert index.sessions.find(SESSION).input_tokens == 11


def test_unknown_records_are_kept(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.add("weather.update", degrees=3)
    script.event("hologram", beam=1)
    script.part("hologram", beam=1)
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    rows = index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line")
    assert rows == [(4, "weather.update"), (5, "event hologram")]
    assert said(index)[0][1:] == [("note", "meta", '{"type":"hologram","beam":1}')]


def test_a_file_that_grows_is_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    script = whole_session()
    script.typed("Stop", "turn.steer")
    script.typed("Go on", "turn.steer")
    script.context("Stop")
    script.context("Go on")
    script.add("full_compaction.begin", source="auto")
    script.add("context.apply_compaction", summary="Prices: done.")
    script.context("Stop")
    content = encoded(script.records)
    path = script.write(tmp_path)
    lines = [position + 1 for position, byte in enumerate(content) if byte == 10]
    cuts = sorted({30, *lines[1:-9:3], *lines[-9:], *(position - 9 for position in lines[2::5])})
    held = read_as_it_grows("kimi", tmp_path / "sessions", {path: (content, cuts)}, tmp_path)
    assert turn_counts(held) == {(SESSION, ""): 6}


def test_a_new_title_in_the_file_about_the_session_is_noticed(tmp_path: Path) -> None:
    path = whole_session().write(tmp_path)
    titles = []
    changes: list[Record] = [{}, {"title": "My prices", "isCustomTitle": True}, {"title": 3}]
    for number, fields in enumerate(changes):
        state = write_state(path, **fields)
        os.utime(state, ns=(2 * 10**18 + number, 2 * 10**18 + number))
        titles.append(build(tmp_path / "data", state, agent="kimi").sessions.find(SESSION).title)
    assert titles == ["Prices", "My prices", "My prices"]


def test_the_folder_in_the_file_about_the_session_counts_if_the_records_have_none(tmp_path: Path) -> None:
    script = Script()
    del script.records[1]
    script.user("Round the prices")
    state = write_state(script.write(tmp_path), workDir="/home/ana/code/site")
    assert build(tmp_path / "data", tmp_path / "sessions", agent="kimi").sessions.find(SESSION).project == "site"
    state.write_text("{")
    assert build(tmp_path / "other", tmp_path / "sessions", agent="kimi").sessions.find(SESSION).project != "site"


def test_a_rewritten_file_half_a_line_and_bad_lines(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    path = script.write(tmp_path)
    update(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    other = Script(cwd="/home/ana/code/site")
    other.user("Double the prices")
    other.say("Doubled.")
    path.write_bytes(b"{\n" + encoded(other.records)[:-5])
    index = build(tmp_path / "data", tmp_path / "sessions", agent="kimi")
    assert said(index) == [[("user", None, "Double the prices")]]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(0, "not JSON")]
    assert [source.state for source in index.statistics.sources()] == ["waiting"]


@settings(deadline=None, max_examples=150)
@given(records=damaged([*whole_session().records, *with_subagent()[0].records]))
def test_values_of_wrong_types_count_as_absent(records: list[Record], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_lines(tmp_path_factory.getbasetemp() / "x" / "agents" / "main" / "wire.jsonl", records)
    messages = [record for record in records_of(Kimi(), path) if isinstance(record, Message)]
    assert messages[-1].blocks[-1].text == "They are in src/prices.py."
    assert all(isinstance(block.text, str) for message in messages for block in message.blocks)


def test_which_files_are_sessions(tmp_path: Path) -> None:
    folder = Path("/home/ana/.kimi-code/sessions/wd_shop_0123") / SESSION
    copied = write_lines(tmp_path / "copy.jsonl", whole_session().records)
    paths = [folder / "agents" / "main" / "wire.jsonl", folder / "state.json", copied]
    assert [reader.agent for path in paths if (reader := registry.reader_for(path))] == ["kimi", "kimi", "kimi"]
    others = [
        folder.parents[1] / "session_index.jsonl",
        folder / "agents" / "main" / "plans" / "a.md",
        write_lines(tmp_path / "x.jsonl", [{"type": "metadata"}]),
    ]
    assert [Kimi().accepts(path) for path in others] == [False, False, False]
    index = build(tmp_path / "data", copied, agent="kimi")
    assert [session.session_id for session in index.sessions.all()] == ["copy"]


def test_a_session_without_records_of_the_main_agent_is_none(tmp_path: Path) -> None:
    state = tmp_path / "sessions" / "wd" / SESSION / "state.json"
    state.parent.mkdir(parents=True)
    state.write_text("{}")
    assert build(tmp_path / "data", tmp_path / "sessions", agent="kimi").statistics.sources() == []


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    code, cli = Path("/home/ana/.kimi-code/sessions"), Path("/home/ana/.kimi/sessions")
    assert Kimi().default_locations({}) == [code, cli]
    assert Kimi().default_locations({"KIMI_CODE_HOME": "/data/k"}) == [Path("/data/k/sessions"), cli]
    assert Kimi().default_locations({"KIMI_SHARE_DIR": "/data/k"}) == [code, Path("/data/k/sessions")]
