"""Conversations of OpenHands in a real index: of the agent SDK, and of version 0."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.errors import SourceUnreadable
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers import registry
from memtui_core.readers.agents.openhands.reader import OpenHands
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.locations import Location
from memtui_core.readers.records import Message
from memtui_core.tools.diffs import diff_of
from support.conversations import shown, tool_calls
from support.indexes import build, update
from support.line_files import damaged
from support.pictures import picture
from support.systems import HOME_VARIABLE

BEGAN = datetime(2026, 11, 7, 10, 0)
SESSION = "7c1e2f409a3b4c5d8e6f112233445566"
OLD = "b0d4c7f2e1a94f6c8d3b5a7091827364"
CHILD = "11ab22cd33ef44558866778899aabbcc"
CWD = "/home/ana/code/shop"
PICTURE = "data:image/png;base64," + "A" * 4000
Event = dict[str, Any]


def local(seconds: int) -> datetime:
    """The time of an event, whose clock is that of this computer."""
    return (BEGAN + timedelta(seconds=seconds)).astimezone(UTC)


def text(*texts: str) -> list[Event]:
    return [{"cache_prompt": False, "type": "text", "text": one} for one in texts]


class Conversation:
    """Collects the events of the agent SDK."""

    def __init__(self, prefix: str = "a") -> None:
        self.events: list[Event] = []
        self._prefix = prefix

    def add(self, kind: str, source: str = "agent", **fields: Any) -> str:
        number = len(self.events)
        event_id = f"{self._prefix}{number:07x}-3127-411b-beaa-e403877f212c"
        at = (BEGAN + timedelta(seconds=number)).isoformat()
        self.events.append({"id": event_id, "timestamp": at, "source": source, "kind": kind, **fields})
        return event_id

    def message(self, source: str, *texts: str, **fields: Any) -> None:
        role = "assistant" if source == "agent" else "user"
        said = {"role": role, "content": [*text(*texts), *fields.pop("pictures", [])], **fields.pop("said", {})}
        self.add("MessageEvent", source, llm_message=said, **fields)

    def action(self, name: str, call: str, arguments: Event, **fields: Any) -> None:
        written = json.dumps({**arguments, "security_risk": "LOW", "summary": "to see"})
        tool_call = {"id": call, "name": name, "arguments": written, "origin": "completion"}
        self.add("ActionEvent", tool_name=name, tool_call_id=call, tool_call=tool_call, **fields)

    def result(self, name: str, call: str, *texts: str, **observation: Any) -> None:
        observation = {"content": text(*texts), "is_error": False, **observation}
        self.add("ObservationEvent", "environment", tool_name=name, tool_call_id=call, observation=observation)

    def write(self, folder: Path, session_id: str = SESSION) -> Path:
        target = folder / session_id
        write_events(
            target, {f"event-{number:05}-{event['id']}.json": event for number, event in enumerate(self.events)}
        )
        return target


def write_events(folder: Path, events: dict[str, Any]) -> None:
    (folder / "events").mkdir(parents=True, exist_ok=True)
    for name, event in events.items():
        (folder / "events" / name).write_text(json.dumps(event))


def state(*usages: Event) -> str:
    return json.dumps(
        {
            "agent": {"llm": {"model": "sonnet-5"}, "kind": "Agent"},
            "workspace": {"working_dir": CWD, "kind": "LocalWorkspace"},
            "stats": {"usage_to_metrics": {"agent": {"token_usages": list(usages)}}},
        }
    )


def whole_conversation() -> Conversation:
    made = Conversation()
    made.add("SystemPromptEvent", system_prompt=text("You are OpenHands.")[0], tools=[])
    image = {"type": "image", "image_urls": [PICTURE]}
    made.message("user", "Round the prices", pictures=[image], extended_content=text("Be concise."))
    fields = {"thought": text("I look."), "reasoning_content": "Cents?", "llm_response_id": "r1"}
    made.action("terminal", "c1", {"command": "pytest"}, **fields)
    made.action("file_editor", "c2", {"command": "view", "path": f"{CWD}/prices.py"}, llm_response_id="r1")
    made.result("terminal", "c1", "1 failed", exit_code=1, metadata={"exit_code": 1, "working_dir": CWD})
    made.result("file_editor", "c2", "x = 1", command="view")
    edit = {"command": "str_replace", "path": f"{CWD}/prices.py", "old_str": "x", "new_str": "y"}
    blocks = [{"type": "thinking", "thinking": "Then edit."}, {"type": "redacted_thinking", "data": "z"}]
    made.action("file_editor", "c3", edit, thinking_blocks=blocks, reasoning_content="Then edit.", llm_response_id="r2")
    made.result("file_editor", "c3", "Edited.", old_content="a\nx = 1\n", new_content="a\ny = 1\n")
    made.action("think", "c4", {"thought": "Is that all?"})
    made.result("think", "c4", "Your thought has been logged.")
    made.action("rm_rf", "c5", {})
    made.add("AgentErrorEvent", tool_name="rm_rf", tool_call_id="c5", error="Tool 'rm_rf' not found.")
    made.action("terminal", "c6", {"command": "rm -rf /"})
    made.add("UserRejectObservation", "environment", tool_name="terminal", tool_call_id="c6", rejection_reason="No!")
    made.action("finish", "c7", {"message": "Rounded."}, thought=text("Done."), llm_response_id="r3")
    made.result("finish", "c7", "Rounded.")
    made.add("PauseEvent", "user")
    made.add("ConversationErrorEvent", "environment", code="BudgetError", detail="no money")
    made.add("HookExecutionEvent", "hook", hook_command="lint", success=True, stdout="clean\n", stderr="")
    made.add("ConversationStateUpdateEvent", "environment", key="x", value="y")
    made.add("Weather", "environment", degrees=3)
    made.message("user", "And the tax?")
    made.message("agent", "It is rounded, too.", said={"reasoning_content": "Look."}, llm_response_id="r4")
    return made


def test_a_conversation_with_everything(tmp_path: Path) -> None:
    folder = whole_conversation().write(tmp_path / "conversations")
    usage = {"model": "haiku-5", "prompt_tokens": 100, "completion_tokens": 20, "response_id": "r1"}
    cached = {**usage, "cache_read_tokens": 60, "cache_write_tokens": 30, "response_id": "r2", "model": ""}
    (folder / "base_state.json").write_text(state(usage, cached, {"response_id": 3}))
    (folder / "meta.json").write_text('{"title": "Rounding"}')
    index = build(tmp_path / "data", tmp_path / "conversations", agent=None)
    session = index.sessions.find(SESSION)
    assert (session.agent, session.project, session.cwd, session.title) == ("openhands", "shop", CWD, "Rounding")
    assert (set(session.models), session.turns) == ({"haiku-5", "sonnet-5"}, 2)
    # Two calls of one response count once.
    assert (session.input_tokens, session.output_tokens) == (110, 40)
    assert (session.started_at, session.ended_at) == (local(1), local(22))
    edit = json.dumps(
        {"command": "str_replace", "path": f"{CWD}/prices.py", "old_str": "x", "new_str": "y"}, separators=(",", ":")
    )
    assert shown(index, SESSION) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("image", "[image/png 3 kB]"),
                ("note reminder", "Be concise."),
                ("thinking", "Cents?"),
                ("text", "I look."),
                ("tool_call terminal", '{"command":"pytest"}'),
                ("tool_call file_editor", f'{{"command":"view","path":"{CWD}/prices.py"}}'),
                ("tool_result terminal!", "1 failed"),
                ("tool_result file_editor", "x = 1"),
                ("thinking", "Then edit."),
                ("tool_call file_editor", edit),
                ("tool_result file_editor", "Edited."),
                ("thinking", "Is that all?"),
                ("tool_call rm_rf", "{}"),
                ("tool_result rm_rf!", "Tool 'rm_rf' not found."),
                ("tool_call terminal", '{"command":"rm -rf /"}'),
                ("tool_result terminal!", "Action rejected: No!"),
                ("text", "Done."),
                ("text", "Rounded."),
                ("note interrupt", "Paused by the user"),
                ("note error!", "BudgetError: no money"),
                ("note reminder", "clean"),
            ],
        ),
        ("human", [("user", "And the tax?"), ("thinking", "Look."), ("text", "It is rounded, too.")]),
    ]
    ran, read, edited, *_ = tool_calls(index, SESSION)
    assert [(call.family, call.exit_code, call.paths) for call in (ran, read, edited)] == [
        ("shell", 1, ()),
        ("read", None, (f"{CWD}/prices.py",)),
        ("edit", None, (f"{CWD}/prices.py",)),
    ]
    assert diff_of(edited) == "@@ -1,2 +1,2 @@\n a\n-x = 1\n+y = 1"
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries") == [(20, "Weather")]
    assert registry.resume_command(session) == ["openhands", "--resume", SESSION]
    assert OpenHands().start_command("Go") == ["openhands", "--task", "Go"]


def test_a_subagent_belongs_to_the_conversation_that_called_it(tmp_path: Path) -> None:
    parent = Conversation()
    parent.message("user", "Where are the prices?")
    parent.action("delegate", "c1", {"command": "delegate", "tasks": {"finder": "Find them", "other": 3}})
    parent.action("task", "c2", {"prompt": "Count them", "subagent_type": "counter", "description": "Count"})
    folder = parent.write(tmp_path / "conversations")
    child = Conversation("b")
    child.message("user", "Find them", sender="main")
    child.message("agent", "In prices.py")
    child.write(folder / "subagents", CHILD)
    index = build(tmp_path / "data", tmp_path / "conversations", agent=None)
    session = index.sessions.find(SESSION)
    (found,) = index.sessions.subagents(session.key)
    assert (found.session_id, [turn.kind for turn in index.sessions.turns(found.key)]) == (CHILD, ["agent"])
    assert found.parent_tool_id == "c1"
    assert registry.resume_command(found) is None
    rows = index.snapshot.rows("SELECT tool_id, agent_type, description FROM agent_calls ORDER BY ALL")
    assert rows == [("c1", None, "finder"), ("c2", "counter", "Count")]
    assert OpenHands().subagent_locations(folder) == [folder / "subagents"]


def test_a_compaction(tmp_path: Path) -> None:
    made = Conversation()
    made.message("user", "Round the prices")
    made.add("CondensationRequest", "environment")
    made.add("Condensation", "environment", forgotten_event_ids=[], summary="Prices: rounded.", summary_offset=1)
    made.message("user", "Now the discounts")
    made.add("Condensation", "environment", forgotten_event_ids=["x"])
    made.message("agent", "Done.")
    made.write(tmp_path / "conversations")
    index = build(tmp_path / "data", tmp_path / "conversations", agent=None)
    session = index.sessions.find(SESSION)
    assert [(turn.kind, turn.segment, turn.user_text) for turn in index.sessions.turns(session.key)] == [
        ("human", 0, "Round the prices"),
        ("compaction", 1, "Prices: rounded."),
        ("human", 1, "Now the discounts"),
        ("opening", 2, ""),
    ]
    assert len(index.compactions.of_session(session.key)) == 2


def test_calls_of_another_agent_count_as_they_were_reported_last(tmp_path: Path) -> None:
    made = Conversation()
    made.message("user", "Round the prices")
    about = {"tool_call_id": "t1", "title": "Edit prices.py", "tool_kind": "edit"}
    made.add("ACPToolCallEvent", status="in_progress", raw_input={"path": "prices.py"}, **about)
    change = {"type": "diff", "path": "prices.py", "old_text": "x = 1\n", "new_text": "y = 1\n"}
    said = {"type": "content", "content": {"type": "text", "text": "Edited."}}
    made.add("ACPToolCallEvent", status="completed", raw_input={"path": "prices.py"}, content=[said, change], **about)
    made.add("ACPToolCallEvent", status="failed", tool_call_id="t2", title="ls", raw_input="ls", raw_output="no")
    made.add("ACPToolCallEvent", status="pending", tool_call_id="t3", title="cat", raw_input=None)
    made.write(tmp_path / "conversations")
    index = build(tmp_path / "data", tmp_path / "conversations", agent=None)
    assert shown(index, SESSION)[0][1][1:] == [
        ("tool_call edit", '{"title":"Edit prices.py","path":"prices.py"}'),
        ("tool_result edit", "Edited."),
        ("tool_call ls", '{"title":"ls","input":"ls"}'),
        ("tool_result ls!", "no"),
        ("tool_call cat", '{"title":"cat","input":null}'),
    ]
    edited, *_ = tool_calls(index, SESSION)
    assert (edited.paths, diff_of(edited)) == (("prices.py",), "@@ -1,1 +1,1 @@\n-x = 1\n+y = 1")


def old_events() -> list[Event]:
    """The events of a session of version 0, without their numbers and times."""

    def call(name: str, response: str) -> Event:
        usage = {"prompt_tokens": 100, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 40}}
        answered = {"id": response, "model": "sonnet-4", "usage": usage}
        return {"tool_call_metadata": {"function_name": name, "tool_call_id": "x", "model_response": answered}}

    edit = {"command": "str_replace", "path": f"{CWD}/a.py", "old_str": "x", "new_str": "y", "content": "", "start": 1}
    known = [{"name": "git", "trigger": "git", "content": "Use branches."}]
    return [
        {"source": "agent", "action": "system", "args": {"content": "You are.", "openhands_version": "0.62.0"}},
        {"source": "user", "action": "message", "args": {"content": "Round", "image_urls": [PICTURE]}},
        {"source": "user", "action": "recall", "args": {"query": "Round"}},
        {
            "source": "environment",
            "cause": 2,
            "observation": "recall",
            "content": "Added",
            "extras": {"working_dir": CWD, "repo_instructions": "Be kind.", "microagent_knowledge": known},
        },
        {
            "source": "agent",
            "action": "run",
            "args": {"command": "ls", "thought": "I look."},
            **call("execute_bash", "1"),
        },
        {
            "source": "agent",
            "cause": 4,
            "observation": "run",
            "content": "no such file",
            "extras": {"metadata": {"exit_code": 2, "working_dir": CWD}},
        },
        {"source": "agent", "action": "read", "args": {"path": f"{CWD}/a.py"}, **call("str_replace_editor", "2")},
        {"source": "agent", "cause": 6, "observation": "read", "content": "x = 1", "extras": {}},
        {"source": "agent", "action": "edit", "args": edit},
        {
            "source": "agent",
            "cause": 8,
            "observation": "edit",
            "content": "Edited",
            "extras": {"diff": "--- a\n+++ b\n@@ -4 +4 @@\n-x\n+y\n"},
        },
        {"source": "agent", "action": "call_tool_mcp", "args": {"name": "search", "arguments": {"q": "cent"}}},
        {"source": "agent", "cause": 10, "observation": "error", "content": "no server"},
        {"source": "agent", "action": "think", "args": {"thought": "Done?"}},
        {"source": "agent", "cause": 12, "observation": "think", "content": "Logged."},
        {"source": "agent", "action": "run", "args": {"command": "rm -r /"}},
        {"source": "user", "cause": 14, "observation": "user_rejected", "content": "Refused"},
        {"source": "user", "action": "run", "args": {"command": "git status"}},
        {"source": "user", "cause": 16, "observation": "run", "content": "clean", "extras": {}},
        {"source": "environment", "observation": "error", "content": "rate limit"},
        {
            "source": "environment",
            "observation": "agent_state_changed",
            "content": "",
            "extras": {"agent_state": "error", "reason": "too many steps"},
        },
        {"source": "agent", "action": "finish", "args": {"final_thought": "Rounded.", "thought": "Rounded."}},
        {"source": "agent", "action": "condensation", "args": {"forgotten_event_ids": [1], "summary": "It is done."}},
        {"source": "agent", "action": "delegate", "args": {"agent": "Browser", "inputs": {"task": "Look"}}},
        {"source": "agent", "action": "dance", "args": {}},
        {"source": "agent", "observation": "rain", "content": ""},
        {"source": "environment", "action": "message", "args": {"content": "Continue"}},
        {"source": "agent", "action": "message", "args": {"content": "Bye."}, "llm_metrics": {"token_usages": []}},
    ]


def write_old(folder: Path) -> Path:
    events = {}
    for number, event in enumerate(old_events()):
        at = (BEGAN + timedelta(seconds=number)).isoformat()
        events[f"{number}.json"] = {"id": number, "timestamp": at, **event}
    write_events(folder / OLD, events)
    return folder / OLD


def test_a_session_of_version_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_old(tmp_path / ".openhands" / "sessions")
    meta = {"title": "Rounding", "llm_model": "gpt-5", "selected_branch": "main"}
    (folder / "metadata.json").write_text(json.dumps(meta))
    index = build(tmp_path / "data", tmp_path / ".openhands", agent=None)
    session = index.sessions.find(OLD)
    assert (session.agent, session.cwd, session.title, session.branch) == ("openhands", CWD, "Rounding", "main")
    assert (session.version, set(session.models)) == ("0.62.0", {"sonnet-4", "gpt-5"})
    assert (session.input_tokens, session.output_tokens) == (120, 18)
    # The server runs in a container, whose clock shows UTC.
    assert session.started_at == (BEGAN + timedelta(seconds=1)).replace(tzinfo=UTC)
    assert shown(index, OLD) == [
        (
            "human",
            [
                ("user", "Round"),
                ("image", "[image/png 3 kB]"),
                ("note reminder", "Be kind."),
                ("note reminder", "Use branches."),
                ("text", "I look."),
                ("tool_call execute_bash", '{"command":"ls"}'),
                ("tool_result execute_bash!", "no such file"),
                ("tool_call str_replace_editor", f'{{"command":"view","path":"{CWD}/a.py"}}'),
                ("tool_result str_replace_editor", "x = 1"),
                (
                    "tool_call str_replace_editor",
                    f'{{"command":"str_replace","path":"{CWD}/a.py","old_str":"x","new_str":"y"}}',
                ),
                ("tool_result str_replace_editor", "Edited"),
                ("tool_call search", '{"name":"search","arguments":{"q":"cent"}}'),
                ("tool_result search!", "no server"),
                ("thinking", "Done?"),
                ("tool_call execute_bash", '{"command":"rm -r /"}'),
                ("tool_result execute_bash!", "Refused"),
                ("note shell", "! git status"),
                ("note shell", "clean"),
                ("note error!", "rate limit"),
                ("note error!", "too many steps"),
                ("text", "Rounded."),
            ],
        ),
        (
            "compaction",
            [
                ("user", "It is done."),
                ("tool_call delegate", '{"agent":"Browser","inputs":{"task":"Look"}}'),
                ("note reminder", "Continue"),
                ("text", "Bye."),
            ],
        ),
    ]
    calls = tool_calls(index, OLD)
    assert [call.family for call in calls[:3]] == ["shell", "read", "edit"]
    assert (calls[0].exit_code, diff_of(calls[2])) == (2, "@@ -4,1 +4,1 @@\n-x\n+y")
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line") == [(23, "dance"), (24, "rain")]
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    assert registry.resume_command(session) is None


def test_a_broken_event_costs_that_event(tmp_path: Path) -> None:
    made = Conversation()
    for number in range(3):
        made.message("user", f"Prompt {number}")
    folder = made.write(tmp_path / "conversations")
    (folder / "base_state.json").write_text("{")
    second = folder / "events" / f"event-00001-{made.events[1]['id']}.json"
    second.write_text("[1")
    index = build(tmp_path / "data", tmp_path / "conversations", agent=None)
    assert [blocks[0] for _, blocks in shown(index, SESSION)] == [("user", "Prompt 0"), ("user", "Prompt 2")]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not JSON")]
    second.write_text(json.dumps(made.events[1]))
    index = build(tmp_path / "data", tmp_path / "conversations", agent=None)
    assert len(shown(index, SESSION)) == 3
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == []
    with pytest.raises(SourceUnreadable, match="no events"):
        OpenHands().read(Transcript("openhands", tmp_path / "gone", 1, 1), START)


def test_a_conversation_that_grows_is_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because an index is written in many steps."""
    made = whole_conversation()
    folder = tmp_path / "conversations" / SESSION
    with Indexer(tmp_path / "grown") as indexer:
        for number, event in enumerate(made.events):
            write_events(folder, {f"event-{number:05}-{event['id']}.json": event})
            responses = {event.get("llm_response_id") for event in made.events[:number]} - {None}
            usages = [{"response_id": one, "prompt_tokens": 9} for one in sorted(map(str, responses))]
            # The agent counts the tokens after it has written the event.
            (folder / "base_state.json").write_text(state(*usages))
            for _ in indexer.update([Location("openhands", tmp_path / "conversations")]):
                pass
    update(tmp_path / "fresh", tmp_path / "conversations", agent="openhands")
    assert picture(tmp_path / "grown") == picture(tmp_path / "fresh")
    assert len(shown(Index.open(tmp_path / "grown"), SESSION)) == 2


@pytest.mark.parametrize("place", [f"v1_conversations/{SESSION}", "v1/events/7c1e2f40-9a3b-4c5d-8e6f-112233445566"])
def test_a_conversation_in_a_sandbox_of_the_server(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Conversation()
    made.message("user", "Round the prices")
    made.message("agent", "Rounded.")
    value = {"workspace": {"working_dir": CWD}, "agent": {"llm": {"model": "sonnet-5"}}}
    made.add("ConversationStateUpdateEvent", "environment", key="full_state", value=value)
    folder = tmp_path / ".openhands" / place
    folder.mkdir(parents=True)
    is_dated = place.startswith("v1/")
    for number, event in enumerate(made.events):
        name = f"{9 - number}" + event["id"].replace("-", "")[1:]
        (folder / (f"20261107100000_{event['kind']}_{name}" if is_dated else f"{name}.json")).write_text(
            json.dumps(event)
        )
    (folder / "notes.txt").write_text("no event")
    broken = folder / ("20261107100009_X_" + "f" * 32 if is_dated else "f" * 32 + ".json")
    broken.write_text("{")
    index = build(tmp_path / "data", tmp_path / ".openhands", agent=None)
    (session,) = index.sessions.all()
    assert (session.session_id, session.cwd, session.models) == (folder.name, CWD, ("sonnet-5",))
    assert session.started_at == BEGAN.replace(tzinfo=UTC)
    assert shown(index, folder.name) == [("human", [("user", "Round the prices"), ("text", "Rounded.")])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(0, "not JSON")]
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    assert registry.resume_command(session) is None


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be set")
def test_times_are_in_the_zone_of_the_computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Conversation()
    made.message("user", "Round the prices")
    monkeypatch.setenv("TZ", "XYZ-5")
    time.tzset()
    try:
        (record,) = OpenHands().read(Transcript("openhands", made.write(tmp_path), 1, 1), START)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert isinstance(record, Message)
    assert record.at == datetime(2026, 11, 7, 5, 0, tzinfo=UTC)


def test_forms_of_older_versions(tmp_path: Path) -> None:
    made = Conversation()
    made.message("user", "Go")
    made.add("ActionEvent", tool_name="execute_bash", tool_call_id="c1", action={"command": "ls", "kind": "BashAction"})
    made.result("execute_bash", "c1", content=None, output="a.py", error="slow", metadata={"exit_code": -1})
    made.add("ActionEvent", tool_name="x", tool_call_id="c2", tool_call={"arguments": "{"}, thought="Hm.")
    made.add("CondensationSummaryEvent", "environment", summary="Short.")
    names = [f"event-{number:05}.json" for number in range(len(made.events))]
    write_events(tmp_path / "conversations" / SESSION, dict(zip(names, made.events, strict=True)))
    index = build(tmp_path / "data", tmp_path / "conversations", agent=None)
    assert shown(index, SESSION) == [
        (
            "human",
            [
                ("user", "Go"),
                ("tool_call execute_bash", '{"command":"ls"}'),
                ("tool_result execute_bash!", "a.py\nslow"),
                ("text", "Hm."),
                ("tool_call x", '"{"'),
            ],
        ),
        ("compaction", [("user", "Short.")]),
    ]


@settings(deadline=None, max_examples=50)
@given(events=damaged([*whole_conversation().events, *old_events(), whole_conversation().events[-1]]))
def test_values_of_wrong_types_count_as_absent(events: list[Event], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged"
    write_events(folder, {f"event-{number:05}.json": event for number, event in enumerate(events)})
    for about in ("base_state.json", "meta.json", "metadata.json"):
        (folder / about).write_text(json.dumps(events[len(about)]))
    records = list(OpenHands().read(Transcript("openhands", folder, 1, 1), START))
    messages = [record for record in records if isinstance(record, Message)]
    assert messages[-1].blocks[-1].text == "It is rounded, too."
    assert all(isinstance(block.text, str) for message in messages for block in message.blocks)


def test_which_files_belong_to_conversations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = whole_conversation().write(tmp_path / "conversations")
    old = write_old(tmp_path / "users" / "ana" / "conversations")
    event = next((made / "events").iterdir())
    own = {event: made, made / "base_state.json": made, made / "meta.json": made}
    own |= {old / "events" / "12.json": old, old / "metadata.json": old}
    assert {path: OpenHands().container(path) for path in own if OpenHands().accepts(path)} == own
    assert {reader.agent for path in own if (reader := registry.reader_for(path))} == {"openhands"}
    others = [tmp_path / "events" / "1.json", tmp_path / "conversations" / "meta.json", made / "events" / "x.json"]
    others += [
        made / "conversation_stats.json",
        old / "event_cache" / "0-25.json",
        tmp_path / "conversations" / "1.json",
    ]
    assert [path for path in others if OpenHands().accepts(path)] == []
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    root = Path("/home/ana/.openhands")
    servers = ("sessions", "users", "v1_conversations", "v1/events")
    assert OpenHands().default_locations({}) == [root / name for name in ("conversations", *servers)]
    moved = {"OPENHANDS_PERSISTENCE_DIR": "/p", "OPENHANDS_CONVERSATIONS_DIR": "/c"}
    assert OpenHands().default_locations(moved) == [Path("/c"), *(Path("/p") / name for name in servers)]
