"""Sessions of Copilot CLI in a real index."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.index.index import Index
from memtui_core.model import Block
from memtui_core.readers import registry
from memtui_core.readers.agents.copilot.reader import Copilot
from memtui_core.readers.agents.copilot.workspace import workspace_of
from memtui_core.readers.conversion.unified_diff import hunks_of
from memtui_core.readers.records import Message
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.pairing import paired
from support.indexes import build, update
from support.line_files import damaged, encoded, read_as_it_grows, records_of, write_lines
from support.pictures import turn_counts
from support.systems import HOME_VARIABLE

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
SESSION = "11111111-aaaa-4aaa-8aaa-000000000001"
OTHER = "11111111-aaaa-4aaa-8aaa-000000000002"
CWD = "/home/ana/code/shop"
Event = dict[str, Any]


class Script:
    """Collects the events of one session."""

    def __init__(self, session_id: str = SESSION, **context: Any) -> None:
        self.events: list[Event] = []
        self.add(
            "session.start",
            sessionId=session_id,
            producer="copilot-agent",
            copilotVersion="1.0.77",
            selectedModel="gpt-5-mini",
            context={"cwd": CWD, "branch": "main"} | context,
        )

    def add(self, kind: str, *, agentId: str | None = None, **data: Any) -> None:
        number = len(self.events)
        at = (START + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        event = {"type": kind, "data": data, "id": f"event-{number}", "timestamp": at, "parentId": None}
        self.events.append(event | ({"agentId": agentId} if agentId else {}))

    def user(self, text: str, **data: Any) -> None:
        self.add("user.message", content=text, transformedContent=f"<now>\n{text}", attachments=[], **data)

    def answer(self, text: str, *requests: Event, tokens: int = 0, **data: Any) -> None:
        name = f"m{len(self.events)}"
        fields: Event = {"messageId": name, "content": text, "toolRequests": list(requests), "outputTokens": tokens}
        self.add("assistant.message", **fields | data)

    def run(self, request: Event, text: str = "", **data: Any) -> None:
        """The start and the end of a call."""
        tool_id = request["toolCallId"]
        self.add("tool.execution_start", toolCallId=tool_id, toolName=request["name"], arguments=request["arguments"])
        self.done(tool_id, text, **data)

    def done(self, tool_id: str, text: str = "", **data: Any) -> None:
        result = {} if "error" in data else {"result": {"content": text, **data.pop("result", {})}}
        self.add("tool.execution_complete", toolCallId=tool_id, **{"success": True, **result, **data})

    def write(self, folder: Path, session_id: str = SESSION) -> Path:
        return write_lines(folder / "session-state" / session_id / "events.jsonl", self.events)


def request(tool_id: str, name: str, arguments: Any) -> Event:
    return {"toolCallId": tool_id, "name": name, "arguments": arguments, "type": "function"}


def blocks_of(index: Index, session_id: str = SESSION) -> dict[int, tuple[Block, ...]]:
    session = index.sessions.find(session_id)
    return index.sessions.blocks(session.key, 1, session.turns)


def said(index: Index, session_id: str = SESSION) -> list[list[tuple[str, str | None, str]]]:
    return [[(b.kind, b.tool, b.text) for b in blocks] for blocks in blocks_of(index, session_id).values()]


DIFF = (
    "\ndiff --git a/src/prices.py b/src/prices.py\nindex 0..1 100644\n--- a/src/prices.py\n+++ b/src/prices.py\n"
    "@@ -7,2 +7,2 @@ def total():\n a\n-prices = []\n+prices = {}\n\n"
)
PATCH = "*** Begin Patch\n*** Update File: src/prices.py\n@@\n a\n-prices = []\n+prices = {}\n*** End Patch"


def whole_session() -> Script:
    script = Script()
    script.add("session.model_change", newModel="claude-haiku-4.5")
    script.add("hook.start", hookType="preToolUse", hookInvocationId="h", input={"toolName": "bash"})
    script.add("system.message", role="system", content="You are a terminal assistant.")
    script.user("Please round the prices", delivery="idle", parentAgentTaskId="p1")
    script.user("", source="system", parentAgentTaskId=None)
    view = request("t1", "view", {"path": "src/prices.py"})
    bash = request("t2", "bash", '{"command":"pytest tests/test_prices.py"}')
    script.answer("I will look.", view, bash, tokens=20, reasoningText="Cents, I think.", model="gpt-5")
    script.add("permission.requested", requestId="r", permissionRequest={"kind": "shell"})
    script.run(view, "prices = []")
    script.run(bash, error={"message": "1 failed", "code": "failure"}, success=False)
    edit = request("t3", "apply_patch", PATCH)
    script.answer("", edit, tokens=5)
    script.run(edit, "Modified 1 file(s)", result={"detailedContent": DIFF})
    script.answer("Rounded to cents.", tokens=7)
    script.add("session.error", errorType="quota", message="The quota is used up", stack="at x")
    picture = {"type": "blob", "mimeType": "image/png", "data": "A" * 400}
    script.add("user.message", content="What is in the picture?", attachments=[picture, {"type": "file", "path": "a"}])
    script.add("assistant.reasoning", reasoningId="r", content="A cat, it seems.")
    script.add("abort", reason="user initiated")
    script.add("session.context_changed", cwd="/home/ana/code/shop-fix", branch="fix")
    metrics = {"usage": {"inputTokens": 1000, "outputTokens": 32, "cacheReadTokens": 700, "cacheWriteTokens": 100}}
    script.add("session.shutdown", shutdownType="routine", modelMetrics={"gpt-5": metrics})
    return script


def test_a_session_with_everything(tmp_path: Path) -> None:
    path = whole_session().write(tmp_path)
    path.with_name("workspace.yaml").write_text(f"id: {SESSION}\ncwd: {CWD}\nsummary: 'Ana''s prices'\n")
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    session = index.sessions.find(SESSION)
    assert (session.agent, session.project, session.title) == ("copilot", "shop", "Ana's prices")
    assert (session.cwd, session.branch, session.version) == (CWD, "fix", "1.0.77")
    assert (session.turns, session.tool_calls, session.input_tokens, session.output_tokens) == (2, 3, 200, 32)
    assert index.snapshot.rows("SELECT sum(cache_read_tokens), sum(cache_write_tokens) FROM turns") == [(700, 100)]
    assert set(session.models) == {"gpt-5", "claude-haiku-4.5"}
    assert said(index) == [
        [
            ("user", None, "Please round the prices"),
            ("note", "reminder", "<now>\n"),
            ("thinking", None, "Cents, I think."),
            ("text", None, "I will look."),
            ("tool_call", "view", '{"path":"src/prices.py"}'),
            ("tool_call", "bash", '{"command":"pytest tests/test_prices.py"}'),
            ("tool_result", "view", "prices = []"),
            ("tool_result", "bash", "1 failed"),
            ("tool_call", "apply_patch", blocks_of(index)[1][8].text),
            ("tool_result", "apply_patch", "Modified 1 file(s)"),
            ("text", None, "Rounded to cents."),
            ("note", "error", "The quota is used up"),
        ],
        [
            ("user", None, "What is in the picture?"),
            ("image", None, "[image/png 1 kB]"),
            ("thinking", None, "A cat, it seems."),
            ("note", "interrupt", "Interrupted: user initiated"),
        ],
    ]
    assert [block.is_error for block in blocks_of(index)[1] if block.kind == "tool_result"] == [False, True, False]
    assert registry.resume_command(session) == ["copilot", "--resume", SESSION]
    assert Copilot().start_command("Go") == ["copilot", "--interactive", "Go"]
    assert [(source.state, source.agent) for source in index.statistics.sources()] == [("ok", "copilot")]


def test_an_edit_has_its_diff_and_its_file(tmp_path: Path) -> None:
    whole_session().write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    edit = paired(blocks_of(index)[1])[2]
    assert (edit.family, edit.paths, edit.patch) == ("edit", ("src/prices.py",), PATCH)
    assert diff_of(edit) == "@@ -7,2 +7,2 @@\n a\n-prices = []\n+prices = {}"
    touched = {(touch.path, touch.kind) for touch in index.files.of_turn(index.sessions.find(SESSION).key, 1)}
    assert ("src/prices.py", "edited") in touched


def test_the_diff_of_several_files_or_of_none_has_no_hunks() -> None:
    other = DIFF.replace("src/prices.py", "src/totals.py")
    assert (len(hunks_of(DIFF)), hunks_of(DIFF + other), hunks_of("@@ -1 +1 @@\n same"), hunks_of("")) == (
        1,
        [],
        [],
        [],
    )


def test_a_call_is_read_once_whichever_event_comes_first(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    early = request("t1", "bash", {"command": "ls"})
    script.run(early, "a.py")
    script.answer("", early)
    script.add("tool.execution_start", toolCallId="t2", mcpServerName="shop", mcpToolName="orders")
    script.done("t2", "three")
    script.add("tool.execution_start", toolCallId=7, toolName="odd", arguments={})
    script.done("t9", "of an unknown call")
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    assert [(b.kind, b.tool, b.tool_id) for b in blocks_of(index)[1][1:]] == [
        ("tool_call", "bash", "t1"),
        ("tool_result", "bash", "t1"),
        ("tool_call", "shop-orders", "t2"),
        ("tool_result", "shop-orders", "t2"),
        ("tool_call", "odd", None),
        ("tool_result", None, "t9"),
    ]


def with_subagent(**of_agent: Any) -> Script:
    """A session with a subagent, whose events are marked as given."""
    agent_id = of_agent.pop("agentId", None)
    script = Script()
    script.user("Where are the prices?")
    task = request("t1", "task", {"agent_type": "explore", "description": "Look", "prompt": "Find the prices"})
    script.answer("", task)
    script.add("tool.execution_start", toolCallId="t1", toolName="task", arguments=task["arguments"])
    names = {"agentName": "explore", "agentDisplayName": "Explore the code", "agentDescription": "d"}
    script.add("subagent.started", agentId=agent_id, toolCallId="t1", **names)
    look = request("s1", "grep", {"pattern": "price"})
    script.answer("Looking.", look, agentId=agent_id, **of_agent)
    script.add("tool.execution_complete", agentId=agent_id, toolCallId="s1", success=True, **of_agent)
    script.add("subagent.completed", toolCallId="t1", agentName="explore", agentDisplayName="x")
    script.done("t1", "In src/prices.py")
    script.answer("They are in src/prices.py.")
    return script


@pytest.mark.parametrize("of_agent", [{"parentToolCallId": "t1"}, {"agentId": "agent-7"}])
def test_the_events_of_a_subagent_are_a_session_of_its_own(tmp_path: Path, of_agent: Event) -> None:
    with_subagent(**of_agent).write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    parent = index.sessions.find(SESSION)
    (found,) = index.sessions.subagents(parent.key)
    assert (found.session_id, found.parent_tool_id, found.title) == ("t1", "t1", "Explore the code")
    assert said(index, "t1") == [
        [
            ("user", None, "Find the prices"),
            ("text", None, "Looking."),
            ("tool_call", "grep", '{"pattern":"price"}'),
            ("tool_result", "grep", ""),
        ]
    ]
    assert [turn.kind for turn in index.sessions.turns(found.key)] == ["agent"]
    assert [kind for kind, _, _ in said(index)[0]] == ["user", "tool_call", "tool_result", "text"]
    assert registry.resume_command(found) is None


def test_a_compaction(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.answer("Rounded.")
    script.add("session.compaction_start")
    script.add("session.compaction_complete", success=False, error="too long")
    script.add("session.compaction_complete", success=True, preCompactionTokens=900, summaryContent="Prices: done.")
    script.user("Now the discounts")
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    session = index.sessions.find(SESSION)
    assert [(turn.kind, turn.segment, turn.user_text) for turn in index.sessions.turns(session.key)] == [
        ("human", 0, "Round the prices"),
        ("compaction", 1, "Prices: done."),
        ("human", 1, "Now the discounts"),
    ]
    assert [compaction.tokens_before for compaction in index.compactions.of_session(session.key)] == [900]
    assert said(index)[0][-1] == ("note", "error", "The compaction failed: too long")


def test_the_events_of_a_copied_session_count_once(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.answer("Rounded.", tokens=9)
    script.write(tmp_path)
    copy = Script(session_id="copy")
    copy.events += script.events[1:]
    copy.user("Now the discounts")
    copy.write(tmp_path, "copy")
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    assert [[text for _, _, text in turn] for turn in said(index, "copy")] == [["Now the discounts"]]
    assert (index.sessions.find("copy").forked_from, index.sessions.find(SESSION).output_tokens) == (SESSION, 9)


def test_tokens_of_each_run_of_a_session_are_added(tmp_path: Path) -> None:
    script = Script()
    for text, count in (("One", 100), ("Two", 250), ("Three", 30)):
        script.user(text)
        script.answer("Done.")
        script.add("session.shutdown", modelMetrics={"gpt-5": {"usage": {"inputTokens": count}}})
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    session = index.sessions.find(SESSION)
    # The second run counts on from the first one, the third one from zero.
    assert [turn.input_tokens for turn in index.sessions.turns(session.key)] == [100, 150, 30]


def test_unknown_events_are_kept(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.add("session.weather", temperature=3)
    script.add("skill.invoked", name="pdf", content="A long text")
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries") == [(2, "session.weather")]
    assert said(index)[0][1:] == [("note", "meta", "Skill: pdf")]


def test_files_that_grow_are_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    home, files = tmp_path / "session-state", {}
    for session, script in ((SESSION, whole_session()), (OTHER, with_subagent(parentToolCallId="t1"))):
        # No entry may be in both: the second session would be a fork.
        events = [event | {"id": f"{session}-{event['id']}"} for event in script.events]
        content = encoded(events).replace(SESSION.encode(), session.encode())
        lines = [position + 1 for position, byte in enumerate(content) if byte == 10]
        cuts = sorted({30, *lines[1:-1:2], *(position - 9 for position in lines[2::5])})
        files[home / session / "events.jsonl"] = content, cuts
    held = read_as_it_grows("copilot", home, files, tmp_path)
    assert turn_counts(held) == {(SESSION, ""): 2, (OTHER, ""): 1, ("t1", OTHER): 1}
    calling = {session for (session, _), _, _, kind, *_ in held["blocks"] if kind == "tool_call"}
    assert calling >= {(SESSION, ""), (OTHER, "")}


def test_a_new_title_beside_the_events_is_noticed(tmp_path: Path) -> None:
    path = whole_session().write(tmp_path)
    beside = path.with_name("workspace.yaml")
    titles = []
    for number, text in enumerate(["summary: Prices\n", "summary: Prices\nname: My prices\nuser_named: true\n", "{["]):
        beside.write_text(text)
        os.utime(beside, ns=(2 * 10**18 + number, 2 * 10**18 + number))
        index = build(tmp_path / "data", beside, agent="copilot")
        titles.append(index.sessions.find(SESSION).title)
    assert titles == ["Prices", "My prices", "My prices"]


def test_the_file_beside_the_events(tmp_path: Path) -> None:
    path = tmp_path / "workspace.yaml"
    path.write_text(
        '# x\nname: |-\n  Of two lines\n  More\nsummary: "Say \\"no\\""\nbranch: null\nlist:\n- a: b\nlast: |'
    )
    assert workspace_of(path) == {
        "name": "Of two lines",
        "summary": 'Say "no"',
        "branch": "",
        "list": "",
        "last": "",
    }
    assert workspace_of(tmp_path) == {}


def test_the_folder_beside_the_events_counts_if_they_have_none(tmp_path: Path) -> None:
    script = Script()
    del script.events[0]["data"]["context"]
    script.user("Round the prices")
    path = script.write(tmp_path)
    path.with_name("workspace.yaml").write_text("cwd: /home/ana/code/site\n")
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    assert index.sessions.find(SESSION).project == "site"


def test_a_rewritten_file_half_a_line_and_bad_lines(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    path = script.write(tmp_path)
    update(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    other = Script(cwd="/home/ana/code/site")
    other.user("Double the prices")
    other.answer("Doubled.")
    path.write_bytes(b"{\n" + encoded(other.events)[:-5])
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    assert said(index) == [[("user", None, "Double the prices")]]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(0, "not JSON")]
    assert [source.state for source in index.statistics.sources()] == ["waiting"]


@settings(deadline=None, max_examples=150)
@given(entries=damaged([*whole_session().events, *with_subagent(agentId="a").events]))
def test_values_of_wrong_types_count_as_absent(entries: list[Event], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_lines(tmp_path_factory.getbasetemp() / "damaged" / "events.jsonl", entries)
    records = [record for record in records_of(Copilot(), path) if isinstance(record, Message)]
    assert records[-1].blocks[-1].text == "They are in src/prices.py."
    assert all(isinstance(block.text, str) for record in records for block in record.blocks)


def test_which_files_are_sessions(tmp_path: Path) -> None:
    old = write_lines(tmp_path / "session-state" / f"{SESSION}.jsonl", whole_session().events)
    folder = Path("/home/ana/.copilot/session-state") / SESSION
    paths = [old, folder / "events.jsonl", folder / "workspace.yaml"]
    readers = [reader.agent for path in paths if (reader := registry.reader_for(path))]
    assert readers == ["copilot", "copilot", "copilot"]
    others = [folder / "plan.md", folder / "files" / "events.jsonl", write_lines(tmp_path / "x.jsonl", [{"type": "a"}])]
    assert [Copilot().accepts(path) for path in others] == [False, False, False]
    index = build(tmp_path / "data", tmp_path / "session-state", agent="copilot")
    assert [session.session_id for session in index.sessions.all()] == [SESSION]


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    assert Copilot().default_locations({}) == [Path("/home/ana/.copilot/session-state")]
    assert Copilot().default_locations({"COPILOT_HOME": "/data/c"}) == [Path("/data/c/session-state")]
