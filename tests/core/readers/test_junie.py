"""Sessions of Junie in a real index."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.readers import registry
from memtui_core.readers.agents.junie.reader import Junie
from memtui_core.readers.records import Message
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.edits import Edit
from support.conversations import shown, tool_calls
from support.indexes import build
from support.line_files import damaged, encoded, read_as_it_grows, records_of, write_lines
from support.pictures import turn_counts
from support.systems import HOME_VARIABLE

START = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)
SESSION = "session-260901-090000-ab1c"
CWD = "/home/ana/code/shop"
Entry = dict[str, Any]


class Script:
    """Collects the events of one session."""

    def __init__(self) -> None:
        self.events: list[Entry] = []

    def add(self, kind: str, **fields: Any) -> None:
        at = int((START + timedelta(seconds=len(self.events))).timestamp() * 1000)
        self.events.append({"kind": kind, **fields, "timestampMs": at})

    def prompt(self, name: str, text: str, **fields: Any) -> None:
        self.add("UserPromptEvent", **{"requestId": name, "prompt": text, "presentablePrompt": text, **fields})

    def agent(self, kind: str, state: str = "IN_PROGRESS", **fields: Any) -> None:
        event = {"kind": f"{kind}Event", "agent": {"kind": "MainAgent", "id": "main"}, **fields}
        self.add("SessionA2uxEvent", event={"state": state, "agentEvent": event})

    def step(self, kind: str, step_id: str, status: str = "COMPLETED", /, **fields: Any) -> None:
        self.agent(f"{kind}BlockUpdated", stepId=step_id, status=status, **fields)

    def write(self, folder: Path, **about: Any) -> Path:
        listed = {"sessionId": SESSION, "createdAt": 0, "projectDir": CWD, "taskName": "Rounding", **about}
        write_lines(
            folder / "sessions" / "index.jsonl", [{"sessionId": "other", "createdAt": 0, "taskName": "No"}, listed]
        )
        return write_lines(folder / "sessions" / SESSION / "events.jsonl", self.events)


EDIT = '{"path":"prices.py","edits":[{"old_string":"a = 1\\nb = []","new_string":"a = 1\\nb = {}"}]}'


def text(content: str) -> Entry:
    return {"kind": "TextFileContent", "text": content}


def whole_session() -> Script:
    script = Script()
    script.prompt("p1", "Round the prices", prompt="Round the prices\nOpen file: prices.py")
    script.add("TaskStartedEvent", taskId="t")
    script.agent("EnvironmentVariablesUpdated", env=[{"key": "TOKEN", "value": "secret"}])
    script.agent("CurrentDirectoryUpdated", currentDirectory="")
    script.agent("AgentThoughtBlockUpdated", stepId="s1", text="Cents")
    script.agent("AgentThoughtBlockUpdated", stepId="s1", text="Cents, I think.")
    script.step("Tool", "s2", "IN_PROGRESS", text="Open prices.py")
    script.step("ViewFiles", "s2", files=[{"relativePath": "prices.py", "lineFrom": 1, "lineTo": 2}])
    change = {"beforeRelativePath": "prices.py", "afterRelativePath": "prices.py"}
    edited = {**change, "beforeContent": text("a = 1\nb = []\n"), "afterContent": text("a = 1\nb = {}\n")}
    added = {"afterRelativePath": "cents.py", "afterContent": text("c = 2\n")}
    removed = {"beforeRelativePath": "old.py", "beforeContent": text("d = 3\n")}
    script.step("FileChanges", "s3", changes=[edited, added, removed], details="Three files.")
    script.step("Terminal", "s4", "IN_PROGRESS", command="pytest")
    script.step("Terminal", "s4", "FAILED", output="1 failed", details="A test failed.")
    script.step(
        "Mcp", "s5", "IN_PROGRESS", toolName="idea/apply_patch", input='\n{"patch": "*** Begin Patch"}', details=""
    )
    usage = {"model": "gpt-5", "inputTokens": 9, "outputTokens": 2, "cacheInputTokens": 5, "cacheCreateTokens": 1}
    script.agent("LlmResponseMetadata", modelUsage=[usage, {"model": "gpt-5-nano"}])
    script.agent("ResultBlockUpdated", stepId="s6", result="Draft", cancelled=False)
    script.agent("ResultBlockUpdated", stepId="s6", result="<!-- ANSWER -->Rounded.", cancelled=False, changes=[edited])
    script.step("Terminal", "s4", "FAILED", command="pytest", output="1 failed", details="A test failed.")
    script.add("TaskState", state="COMPLETED")
    script.prompt("p2", "Never sent")
    script.add("UserMessagesDroppedFromHistory", userMessageIds=["p2"])
    script.add("UserAsyncResponseEvent", entries=[{"question": "Which rate?", "answer": "19 %"}])
    script.step("CustomAgent", "s7", "FINISHED", name="reviewer", details="Looks good")
    script.agent("AgentFailure", message="No more credits", errorCode="ExitEarly")
    script.add("SystemMessageEvent", text="Notice", details="Try again", level="INFO")
    script.agent("MarkdownBlockUpdated", stepId="s8", text="Taxes done.")
    return script


def test_a_session_with_everything(tmp_path: Path) -> None:
    whole_session().write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent=None)
    session = index.sessions.find(SESSION)
    assert (session.agent, session.project, session.cwd, session.title) == ("junie", "shop", CWD, "Rounding")
    assert (session.turns, session.tool_calls, session.started_at, session.models) == (2, 7, START, ("gpt-5",))
    view, edit, add, remove, run, patch, review = calls = tool_calls(index, SESSION)
    assert shown(index, SESSION) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("note reminder", "Open file: prices.py"),
                ("thinking", "Cents, I think."),
                ("tool_call view_file", '{"path":"prices.py","lineFrom":1,"lineTo":2}'),
                ("tool_result view_file", ""),
                ("tool_call edit", EDIT),
                ("tool_result edit", "Three files."),
                ("tool_call create_file", '{"path":"cents.py","content":"c = 2\\n"}'),
                ("tool_result create_file", ""),
                ("tool_call delete_file", '{"path":"old.py","edits":[{"old_string":"d = 3","new_string":""}]}'),
                ("tool_result delete_file", ""),
                ("tool_call terminal", '{"command":"pytest"}'),
                ("tool_result terminal!", "1 failed"),
                ("note recap", "A test failed."),
                ("tool_call idea/apply_patch", '{"patch":"*** Begin Patch"}'),
                ("text", "Rounded."),
                ("note interrupt", "Never sent"),
            ],
        ),
        (
            "human",
            [
                ("user", "Which rate?\n19 %"),
                ("tool_call subagent", '{"name":"reviewer"}'),
                ("tool_result subagent", "Looks good"),
                ("note error!", "No more credits"),
                ("note meta", "Notice\n\nTry again"),
                ("text", "Taxes done."),
            ],
        ),
    ]
    assert [one.family for one in calls] == ["read", "edit", "write", "edit", "shell", "edit", "task"]
    assert [one.path for one in (view, edit, add, remove)] == ["prices.py", "prices.py", "cents.py", "old.py"]
    assert diff_of(edit) == "@@ -1,2 +1,2 @@\n a = 1\n-b = []\n+b = {}"
    assert diff_of(remove) == "@@ -1,1 +0,0 @@\n-d = 3"
    assert edit.edits == (Edit("prices.py", "replace", "a = 1\nb = []", "a = 1\nb = {}"),)
    assert [hit.turn for phrase in ("b = {}", "d = 3") for hit in index.search(f'"{phrase}"').hits] == [1, 1]
    assert (run.is_error, patch.result, review.is_error) == (True, None, False)
    columns = "input_tokens, output_tokens, cache_read_tokens, cache_write_tokens"
    assert index.snapshot.rows(f"SELECT {columns} FROM turns ORDER BY number") == [(9, 2, 5, 1), (0, 0, 0, 0)]
    assert index.snapshot.rows("SELECT kind FROM unknown_entries") == []
    assert [(source.path[-12:], source.state) for source in index.statistics.sources()] == [("events.jsonl", "ok")]
    assert registry.resume_command(session) == ["junie", "--resume", "--session-id", SESSION]
    assert Junie().start_command("Go") is None


def test_titles_and_folders_from_events(tmp_path: Path) -> None:
    script = Script()
    script.prompt("p1", "Round the prices")
    script.agent("CurrentDirectoryUpdated", currentDirectory=f"{CWD}/api")
    script.agent("AgentTaskNameUpdated", name="Prices")
    script.write(tmp_path, taskName=None, projectDir=None)
    session = build(tmp_path / "one", tmp_path / "sessions", agent="junie").sessions.find(SESSION)
    assert (session.title, session.cwd) == ("Prices", f"{CWD}/api")
    script.add("SessionTitleSetEvent", name="My prices")
    script.write(tmp_path)
    session = build(tmp_path / "two", tmp_path / "sessions", agent="junie").sessions.find(SESSION)
    assert (session.title, session.cwd) == ("My prices", CWD)


def test_older_events_prompts_that_come_again_and_unknown_events(tmp_path: Path) -> None:
    script = Script()
    script.events.append({"kind": "UserPromptEvent", "prompt": "Round the prices"})
    script.step("Terminal", "s1", command="ls", details="prices.py")
    script.step("FileChanges", "s2", changes=[{"relativePath": "prices.py"}])
    script.prompt("p1", "Half a prompt")
    script.prompt("p1", "A whole prompt")
    script.prompt("p2", "Refused", delivery="Failed")
    script.add("UserResponseEvent", prompt="Yes")
    script.agent("Hologram", stepId="s3", text="x")
    script.add("WeatherEvent", degrees=3)
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="junie")
    assert shown(index, SESSION) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("tool_call terminal", '{"command":"ls"}'),
                ("tool_result terminal", "prices.py"),
                ("tool_call edit", '{"path":"prices.py"}'),
                ("tool_result edit", ""),
            ],
        ),
        ("human", [("user", "A whole prompt"), ("note interrupt", "Refused")]),
        ("human", [("user", "Yes")]),
    ]
    rows = index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line")
    assert rows == [(6, "HologramEvent"), (7, "WeatherEvent")]


def test_steps_of_two_tasks_with_one_id_are_two(tmp_path: Path) -> None:
    script = Script()
    for task in ("t1", "t2"):
        script.prompt(task, f"Prompt {task}")
        script.agent("MarkdownBlockUpdated", stepId="step-1", text="Half")
        script.agent("MarkdownBlockUpdated", stepId="step-1", text=f"Answer {task}")
        for event in script.events[-2:]:
            event["taskId"] = task
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="junie")
    assert shown(index, SESSION) == [
        ("human", [("user", f"Prompt {task}"), ("text", f"Answer {task}")]) for task in ("t1", "t2")
    ]


def test_a_file_that_grows_is_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    script = whole_session()
    path = script.write(tmp_path)
    content = encoded(script.events)
    lines = [position + 1 for position, byte in enumerate(content) if byte == 10]
    cuts = sorted({30, *lines[:-1:3], *(position - 9 for position in lines[2::6])})
    held = read_as_it_grows("junie", tmp_path / "sessions", {path: (content, cuts)}, tmp_path)
    assert turn_counts(held) == {(SESSION, ""): 2}


def test_a_bad_line_and_half_a_line(tmp_path: Path) -> None:
    script = Script()
    script.prompt("p1", "Round the prices")
    script.agent("MarkdownBlockUpdated", stepId="s1", text="Rounded.")
    path = script.write(tmp_path)
    path.write_bytes(encoded(script.events[:1]) + b"{\n" + encoded(script.events[1:])[:-5])
    index = build(tmp_path / "data", tmp_path / "sessions", agent="junie")
    assert shown(index, SESSION) == [("human", [("user", "Round the prices")])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not JSON")]
    assert [source.state for source in index.statistics.sources()] == ["waiting"]


@settings(deadline=None, max_examples=150)
@given(events=damaged(whole_session().events))
def test_values_of_wrong_types_count_as_absent(events: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_lines(tmp_path_factory.getbasetemp() / "damaged" / "events.jsonl", events)
    messages = [record for record in records_of(Junie(), path) if isinstance(record, Message)]
    assert messages[-1].blocks[-1].text == "Taxes done."
    assert all(isinstance(block.text, str) for message in messages for block in message.blocks)


def test_which_files_are_sessions(tmp_path: Path) -> None:
    copied = whole_session().write(tmp_path)
    index = copied.parent.with_name("index.jsonl")
    write_lines(index, [{"sessionId": SESSION, "createdAt": 0, "projectDir": CWD}])
    paths = [Path(f"/home/ana/.junie/sessions/{SESSION}/events.jsonl"), copied, index]
    assert [reader.agent for path in paths if (reader := registry.reader_for(path))] == ["junie"] * 3
    of_copilot = write_lines(tmp_path / "x" / "events.jsonl", [{"type": "session.start", "data": {}}])
    others = [of_copilot, paths[0].with_name("state.json"), copied.with_name("other.jsonl")]
    samples = sorted((Path(__file__).parents[3] / "sample_sessions").rglob("*.jsonl"))
    assert [path for path in [*others, *samples] if Junie().accepts(path)] == []
    assert len(samples) > 20


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    assert Junie().default_locations({}) == [Path("/home/ana/.junie/sessions")]
    assert Junie().default_locations({"JUNIE_HOME": "/j"}) == [Path("/j/sessions")]
