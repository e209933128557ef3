"""Sessions of OpenClaw in a real index: those of files, and those of databases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.readers.agents.openclaw.reader import OpenClaw
from memtui_core.readers.agents.openclaw.user_text import PromptText, split
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.system.compression import zstd
from memtui_core.system.walk import RegularFile
from memtui_core.tools.diffs import diff_of
from support.agent_databases import OpenClawDatabase
from support.conversations import shown, tool_calls
from support.databases import Program, program
from support.indexes import build, update
from support.line_files import damaged, encoded, read_as_it_grows, records_of, write_lines
from support.pictures import picture, turn_counts
from support.systems import HOME_VARIABLE

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
SESSION = "11111111-aaaa-4aaa-8aaa-000000000001"
CHILD = "22222222-aaaa-4aaa-8aaa-000000000002"
CWD = "/home/ana/code/shop"
FOLDER = "openclaw/agents/main/sessions"
ABOUT_SENDER = 'Sender (untrusted metadata):\n```json\n{"label": "ana"}\n```'
MARKED = 'Conversation info ⟦openclaw:ctx⟧\n```json\n{"sender": "ana"}\n```'
Entry = dict[str, Any]


def time(number: int) -> str:
    return (START + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Script:
    """Collects the entries of one session."""

    def __init__(self, session: str = SESSION, prefix: str = "e", **header: Any) -> None:
        fields = {"version": 3, "id": session, "timestamp": time(0), "cwd": CWD}
        self.entries: list[Entry] = [{"type": "session", **fields, **header}]
        self._prefix = prefix

    def add(self, kind: str, **fields: Any) -> None:
        number = len(self.entries)
        name, parent = f"{self._prefix}{number}", f"{self._prefix}{number - 1}" if number > 1 else None
        self.entries.append({"type": kind, "id": name, "parentId": parent, "timestamp": time(number), **fields})

    def message(self, role: str, *parts: Any, **fields: Any) -> None:
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        self.add("message", message={"role": role, "content": content, **fields})

    def write(self, home: Path, name: str = f"{SESSION}.jsonl") -> Path:
        return write_lines(home / FOLDER / name, self.entries)


def call(tool_id: str, name: str, **arguments: Any) -> Entry:
    return {"type": "toolCall", "id": tool_id, "name": name, "arguments": arguments}


def store(home: Path, entries: Any) -> None:
    path = home / FOLDER / "sessions.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries))


def whole_session() -> Script:
    script = Script()
    script.add("model_change", provider="anthropic", modelId="claude-opus-4-5")
    script.message("user", f"{MARKED}\n\nRound the prices")
    usage = {"input": 90, "output": 5, "cacheRead": 7, "cacheWrite": 3}
    answer = {"provider": "anthropic", "model": "claude-opus-4-5", "usage": usage}
    thinking = {"type": "thinking", "thinking": "Cents, I think."}
    edit = call("t1", "edit", path="src/prices.py", oldText="prices = []", newText="prices = {}")
    script.message("assistant", thinking, "I round them.", edit, call("t2", "exec", command="pytest"), **answer)
    diff = {"diff": "-1 prices = []\n+1 prices = {}"}
    script.message("toolResult", "Edited", toolCallId="t1", toolName="edit", isError=False, details=diff)
    script.message("toolResult", "1 failed", toolCallId="t2", toolName="exec", isError=True)
    spawn = call("t3", "sessions_spawn", task="Find discounts")
    script.message("assistant", spawn, call("t4", "web_search", query="x"), **answer)
    details = {"status": "accepted", "childSessionKey": "agent:main:subagent:1"}
    script.message("toolResult", "accepted", toolCallId="t3", toolName="sessions_spawn", details=details)
    failed = {"status": "error", "error": "no key"}
    script.message("toolResult", "no key", toolCallId="t4", toolName="web_search", isError=False, details=failed)
    script.message("assistant", "Rounded.", **answer)
    script.message("assistant", "Rounded.", provider="openclaw", model="delivery-mirror")
    script.message("system", "The gateway was restarted.")
    script.add("custom_message", customType="openclaw.runtime-context", content="Ana is at home.", display=False)
    script.message("user", "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.")
    script.message("assistant", "HEARTBEAT_OK", **answer)
    script.add("compaction", summary="Prices: done.", firstKeptEntryId="e9", tokensBefore=4000)
    script.message("user", ABOUT_SENDER)
    script.message("user", "What is it?", {"type": "image", "mimeType": "image/png", "data": "A" * 400})
    return script


def test_a_session_with_everything(tmp_path: Path) -> None:
    home = tmp_path / "home"
    whole_session().write(home)
    store(home, {"agent:main:main": {"sessionId": SESSION, "displayName": "Ana", "label": "Rounding"}})
    index = build(tmp_path / "data", home, agent="openclaw")
    session = index.sessions.find(SESSION)
    assert (session.agent, session.project, session.cwd, session.title) == ("openclaw", "shop", CWD, "Rounding")
    assert (session.models, session.input_tokens, session.output_tokens) == (("claude-opus-4-5",), 360, 20)
    assert (session.started_at, session.compactions) == (START + timedelta(seconds=2), 1)
    assert shown(index, SESSION) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("note meta", MARKED),
                ("thinking", "Cents, I think."),
                ("text", "I round them."),
                ("tool_call edit", '{"path":"src/prices.py","oldText":"prices = []","newText":"prices = {}"}'),
                ("tool_call exec", '{"command":"pytest"}'),
                ("tool_result edit", "Edited"),
                ("tool_result exec!", "1 failed"),
                ("tool_call sessions_spawn", '{"task":"Find discounts"}'),
                ("tool_call web_search", '{"query":"x"}'),
                ("tool_result sessions_spawn", "accepted"),
                ("tool_result web_search!", "no key"),
                ("text", "Rounded."),
                ("note notification", "Rounded."),
                ("note reminder", "The gateway was restarted."),
                ("note reminder", "Ana is at home."),
            ],
        ),
        (
            "agent",
            [
                ("user", "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly."),
                ("text", "HEARTBEAT_OK"),
            ],
        ),
        ("compaction", [("user", "Prices: done."), ("note meta", ABOUT_SENDER)]),
        ("human", [("user", "What is it?"), ("image", "[image/png 1 kB]")]),
    ]
    calls = tool_calls(index, SESSION)
    assert [one.family for one in calls] == ["edit", "shell", "task", "web"]
    assert diff_of(calls[0]) == "@@ -1,1 +1,1 @@\n-prices = []\n+prices = {}"
    assert (resume_command(session), OpenClaw().start_command("Go")) == (None, None)


def test_a_subagent_belongs_to_the_call_that_started_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    whole_session().write(home)
    child = Script(CHILD, "c")
    child.message("user", "[Subagent Context] Depth 1/1.\n\n[Subagent Task]: Find discounts")
    child.message("user", "And more")
    child.write(home, f"{CHILD}.jsonl")
    store(
        home,
        {
            "agent:main:main": {"sessionId": SESSION},
            "agent:main:subagent:1": {"sessionId": CHILD, "spawnedBy": "agent:main:main"},
        },
    )
    index = build(tmp_path / "data", home, agent="openclaw")
    (found,) = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert (found.session_id, found.parent_tool_id) == (CHILD, "t3")
    assert shown(index, CHILD) == [
        ("agent", [("user", "Find discounts"), ("note meta", "[Subagent Context] Depth 1/1.")]),
        ("agent", [("user", "And more")]),
    ]


def test_copies_of_a_session_count_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    script = Script()
    for number in range(3):
        script.message("user", f"Prompt {number}")
    checkpoint = Script("33333333-aaaa-4aaa-8aaa-000000000003", parentSession=f"/x/{SESSION}.jsonl")
    checkpoint.entries += script.entries[1:3]
    # What was said before the compaction is only in the copy.
    del script.entries[1]
    script.write(home)
    checkpoint.write(home, f"{SESSION}.checkpoint.44444444-5555-4666-8777-888888888888.jsonl")
    script.write(home, f"{SESSION}.jsonl.bak.2026-11-01T09-00-00.000Z")
    write_lines(home / FOLDER / f"{SESSION}.trajectory.jsonl", script.entries)
    index = build(tmp_path / "data", home, agent="openclaw")
    assert [session.session_id for session in index.sessions.all()] == [SESSION]
    session = index.sessions.find(SESSION)
    assert [turn.user_text for turn in index.sessions.turns(session.key)] == ["Prompt 0", "Prompt 1", "Prompt 2"]
    assert session.forked_from is None


def test_sessions_that_were_reset_or_deleted(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for number, (reason, suffix) in enumerate((("reset", ""), ("deleted", ".zst"))):
        script = Script(f"{reason}-session", prefix=reason)
        script.message("user", f"Prompt {number}")
        path = script.write(home, f"{reason}-session.jsonl.{reason}.2026-11-01T09-00-00.000Z{suffix}")
        if suffix:
            path.write_bytes(zstd.compress(path.read_bytes()))
    index = build(tmp_path / "data", home, agent="openclaw")
    assert {one.session_id: shown(index, one.session_id) for one in index.sessions.all()} == {
        "reset-session": [("human", [("user", "Prompt 0")])],
        "deleted-session": [("human", [("user", "Prompt 1")])],
    }


def test_a_session_of_a_topic_and_a_fork(tmp_path: Path) -> None:
    home = tmp_path / "home"
    topic = Script(parentSession=f"/x/{CHILD}.jsonl")
    topic.message("user", "Hello")
    topic.write(home, f"{SESSION}-topic-7.jsonl")
    store(home, {"agent:main:telegram:group:1:topic:7": {"sessionId": SESSION, "displayName": "Shop"}})
    session = build(tmp_path / "data", home, agent="openclaw").sessions.find(SESSION)
    assert (session.title, session.forked_from) == ("Shop", CHILD)


def test_a_file_that_grows_is_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    script = whole_session()
    script.message("user", "Go on")
    path = script.write(tmp_path / "home")
    content = encoded(script.entries)
    lines = [position + 1 for position, byte in enumerate(content) if byte == 10]
    cuts = sorted({30, *lines[:-1:3], *(position - 9 for position in lines[2::5])})
    held = read_as_it_grows("openclaw", tmp_path / "home", {path: (content, cuts)}, tmp_path)
    assert turn_counts(held) == {(SESSION, ""): 5}


def test_bad_lines_and_unknown_entries(tmp_path: Path) -> None:
    script = Script()
    script.message("user", "Hello")
    script.message("oracle", "hm")
    script.add("weather", degrees=3)
    path = script.write(tmp_path / "home")
    path.write_bytes(b"{\n" + path.read_bytes() + b"[]\n")
    index = build(tmp_path / "data", path, agent="openclaw")
    assert shown(index, SESSION) == [("human", [("user", "Hello")])]
    bad = index.snapshot.rows("SELECT line, reason FROM bad_lines ORDER BY line")
    assert bad == [(0, "not JSON"), (5, "not a JSON object")]
    rows = index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line")
    assert rows == [(3, "message oracle"), (4, "weather")]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[OpenClawDatabase, Program]]:
    database = OpenClawDatabase(tmp_path / "home")
    with program(database.path) as process:
        yield database, process


def test_a_database_with_a_subagent_and_a_copy_in_a_file(
    running: tuple[OpenClawDatabase, Program], tmp_path: Path
) -> None:
    database, process = running
    database.session(process, "main-1", key="agent:main:main", label=" ", displayName="Ana")
    database.say(process, "main-1", "user", "Round the prices")
    database.say(process, "main-1", "assistant", call("t1", "sessions_spawn", task="Find"), model="gpt-5")
    details = {"childSessionKey": "agent:main:subagent:1"}
    database.say(process, "main-1", "toolResult", "accepted", toolCallId="t1", details=details)
    database.session(process, "child-1", key="agent:main:subagent:1", spawnedBy="agent:main:main")
    database.say(process, "child-1", "user", "Find")
    with closing(sqlite3.connect(database.path)) as connection:
        rows = connection.execute("SELECT event_json FROM transcript_events WHERE session_id = 'main-1' ORDER BY seq")
        events = [json.loads(event) for (event,) in rows]
    # What the agent moves into the database stays as a file that was deleted.
    write_lines(database.home / FOLDER / "main-1.jsonl.deleted.2026-11-01T09-00-00.000Z", events)
    index = build(tmp_path / "data", database.home, agent="openclaw")
    session = index.sessions.find("main-1")
    assert (session.title, session.models, session.turns, session.tool_calls) == ("Ana", ("gpt-5",), 1, 1)
    (found,) = index.sessions.subagents(session.key)
    assert (found.session_id, found.parent_tool_id) == ("child-1", "t1")
    assert shown(index, "child-1") == [("agent", [("user", "Find")])]
    database.say(process, "main-1", "user", "Go on")
    index = build(tmp_path / "data", database.home, agent="openclaw")
    assert index.sessions.find("main-1").turns == 2
    update(tmp_path / "fresh", database.home, agent="openclaw")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")


def test_databases_of_other_versions(running: tuple[OpenClawDatabase, Program], tmp_path: Path) -> None:
    database, process = running
    database.session(process, "s1", key="agent:main:main")
    database.say(process, "s1", "user", "Hello")
    process.execute("ALTER TABLE session_nodes RENAME TO session_entries")
    process.execute("ALTER TABLE session_windows RENAME TO sessions")
    process.execute("ALTER TABLE transcript_events ADD COLUMN event_zstd BLOB")
    script = Script("s1")
    script.message("user", "Packed")
    packed = zstd.compress(json.dumps(script.entries[1]).encode()).hex()
    process.execute(f"INSERT INTO transcript_events VALUES ('s1', 9999999998, NULL, 1, X'{packed}')")
    process.execute("INSERT INTO transcript_events VALUES ('s1', 9999999999, NULL, 2, X'00')")
    process.execute("INSERT INTO transcript_events VALUES ('s1', 10000000000, '[]', 3, NULL)")
    index = build(tmp_path / "data", database.home, agent="openclaw")
    assert shown(index, "s1") == [("human", [("user", "Hello")]), ("human", [("user", "Packed")])]
    assert index.sessions.find("s1").title == "Round the prices"
    assert index.snapshot.rows("SELECT reason FROM bad_lines ORDER BY line") == [
        ("cannot be decompressed",),
        ("not a JSON object",),
    ]
    process.execute("DROP TABLE transcript_events")
    status = database.path.stat()
    found = OpenClaw().transcripts(RegularFile(database.path, status.st_size, status.st_mtime_ns))
    assert list(found) == []


def test_prompts_and_what_is_added_to_them() -> None:
    thread = "Thread starter (untrusted, for context):\n```json\n{}\n```"
    memory = "Context:\n<active_memory_plugin>\nAna has a shop.\n</active_memory_plugin>"
    channel = "Context: ⟦openclaw:ctx⟧\nsaid before\n\nand more"
    prose = "Reply target ⟦openclaw:ctx⟧\nAna: yes\nBen: no"
    texts = {
        "plain": "Round the prices",
        "time": "[Wed 2026-02-04 10:11 UTC] Hello",
        "old": f"{ABOUT_SENDER}\n\n{thread}\n\n[Wed 2026-02-04 10:11 UTC] Hello",
        "new": f"{prose}\n\nHello\n\n{channel}",
        "memory": f"{memory}\n\nHello",
        "cron": "[cron:1 backup] Run the backup",
        "only": MARKED,
        "typed": "Is `x (untrusted):` right?",
    }
    assert {name: split(text) for name, text in texts.items()} == {
        "plain": PromptText("Round the prices"),
        "time": PromptText("Hello"),
        "old": PromptText("Hello", (ABOUT_SENDER, thread)),
        "new": PromptText("Hello", (prose, channel)),
        "memory": PromptText("Hello", (memory,)),
        "cron": PromptText("[cron:1 backup] Run the backup", (), True),
        "only": PromptText("", (MARKED,)),
        "typed": PromptText("Is `x (untrusted):` right?"),
    }


@settings(deadline=None, max_examples=150)
@given(
    entries=damaged([*whole_session().entries, *whole_session().entries[1:]]),
    about=damaged([{"a": {"sessionId": "s"}}, {}]),
)
def test_values_of_wrong_types_count_as_absent(
    entries: list[Entry], about: list[Entry], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.getbasetemp() / "damaged"
    path = write_lines(home / FOLDER / "s.jsonl", entries)
    store(home, about[0])
    messages = [record for record in records_of(OpenClaw(), path) if isinstance(record, Message)]
    assert messages[-1].text == "What is it?"
    assert all(isinstance(block.text, str) for message in messages for block in message.blocks)


def test_which_files_are_sessions(tmp_path: Path) -> None:
    sessions = Path("/home/ana/.openclaw/agents/main/sessions")
    database = sessions.parent / "agent" / "openclaw-agent.sqlite"
    script = whole_session()
    copied = write_lines(tmp_path / "agents" / "main" / "sessions" / "x.jsonl", script.entries)
    archived = f"{SESSION}.jsonl.reset.2026-11-01T09-00-00.000Z"
    names = [f"{SESSION}.jsonl", f"{SESSION}-topic-1.jsonl", archived, f"{archived}.zst", "x.trajectory.jsonl"]
    paths = [*(sessions / name for name in names), database, database.with_name(f"{database.name}-wal"), copied]
    assert [reader.agent for path in paths if (reader := reader_for(path))] == ["openclaw"] * len(paths)
    others = [sessions / "sessions.json", sessions / f"{SESSION}.jsonl.lock", sessions.parent / "x.jsonl"]
    others += [write_lines(tmp_path / "agents" / "main" / "sessions" / "y.jsonl", script.entries[1:])]
    assert [OpenClaw().accepts(path) for path in others] == [False] * 4


def test_the_default_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    old = Path("/home/ana/.clawdbot/agents")
    assert OpenClaw().default_locations({}) == [Path("/home/ana/.openclaw/agents"), old]
    assert OpenClaw().default_locations({"OPENCLAW_STATE_DIR": "/srv/claw"}) == [Path("/srv/claw/agents"), old]
