"""Sessions of Factory Droid in a real index."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.index.index import Index
from memtui_core.model import Block
from memtui_core.readers import registry
from memtui_core.readers.agents.droid.reader import Droid
from memtui_core.readers.records import Message
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.pairing import paired
from support.indexes import build, update
from support.line_files import damaged, encoded, read_as_it_grows, records_of, write_lines
from support.pictures import turn_counts
from support.systems import HOME_VARIABLE

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
SESSION = "22222222-aaaa-4aaa-8aaa-000000000001"
CWD = "/home/ana/code/shop"
Entry = dict[str, Any]
PATCH = "*** Begin Patch\n*** Update File: src/prices.py\n@@\n-prices = []\n+prices = {}\n*** End Patch"


class Script:
    """Collects the entries of one session."""

    def __init__(self, session_id: str = SESSION, prefix: str = "m", **start: Any) -> None:
        self.session_id, self._prefix = session_id, prefix
        fields = {"id": session_id, "title": "New session", "owner": "ana", "version": 2, "cwd": CWD}
        self.entries: list[Entry] = [{"type": "session_start", **fields, **start}]

    def add(self, kind: str, **fields: Any) -> None:
        number = len(self.entries)
        at = (START + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        self.entries.append({"type": kind, "id": f"{self._prefix}{number}", "timestamp": at, **fields})

    def message(self, role: str, *parts: Any, **fields: Any) -> None:
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        self.add("message", message={"role": role, "content": content, **fields})

    def write(self, folder: Path) -> Path:
        return write_lines(folder / "sessions" / "-home-ana-code-shop" / f"{self.session_id}.jsonl", self.entries)


def call(tool_id: str, name: str, **arguments: Any) -> Entry:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": arguments}


def result(tool_id: str, content: Any, **fields: Any) -> Entry:
    return {"type": "tool_result", "tool_use_id": tool_id, "content": content, **fields}


def blocks_of(index: Index, session_id: str = SESSION) -> dict[int, tuple[Block, ...]]:
    session = index.sessions.find(session_id)
    return index.sessions.blocks(session.key, 1, session.turns)


def said(index: Index, session_id: str = SESSION) -> list[list[tuple[str, str | None, str]]]:
    return [[(b.kind, b.tool, b.text) for b in blocks] for blocks in blocks_of(index, session_id).values()]


def whole_session() -> Script:
    script = Script(sessionTitle="Rounding", version="0.81.0")
    script.message("user", "<system-reminder>Be concise.</system-reminder>", "Please round the prices")
    thinking = {"type": "thinking", "thinking": "Cents, I think.", "signature": "s"}
    script.message("assistant", thinking, {"type": "redacted_thinking", "data": "x"}, "I will look.")
    script.message("assistant", call("t1", "Read", file_path="src/prices.py"), call("t2", "Execute", command="pytest"))
    script.message(
        "user", result("t1", "prices = []"), result("t2", [{"type": "text", "text": "1 failed"}], is_error=True)
    )
    script.message("assistant", call("t3", "ApplyPatch", input=PATCH), model="claude-opus-4-5")
    script.message("user", result("t3", "Done"), visibility="all")
    script.add("todo_state", todos={"todos": "1. [ ] hidden"})
    script.message("assistant", "Rounded to cents.")
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 400}}
    script.message("user", "What is in the picture?", image)
    script.message("user", "Hook said no", visibility="llm_only")
    script.message("assistant", "A cat.")
    return script


def test_a_session_with_everything(tmp_path: Path) -> None:
    path = whole_session().write(tmp_path)
    path.with_suffix(".settings.json").write_text('{"model": "glm-4.6", "tokenUsage": {"inputTokens": 9}}')
    index = build(tmp_path / "data", tmp_path / "sessions", agent="droid")
    session = index.sessions.find(SESSION)
    assert (session.agent, session.project, session.cwd, session.title) == ("droid", "shop", CWD, "Rounding")
    assert (session.version, set(session.models)) == ("0.81.0", {"glm-4.6", "claude-opus-4-5"})
    assert (session.turns, session.tool_calls, session.started_at) == (2, 3, START + timedelta(seconds=1))
    assert said(index) == [
        [
            ("user", None, "Please round the prices"),
            ("note", "reminder", "<system-reminder>Be concise.</system-reminder>"),
            ("thinking", None, "Cents, I think."),
            ("text", None, "I will look."),
            ("tool_call", "Read", '{"file_path":"src/prices.py"}'),
            ("tool_call", "Execute", '{"command":"pytest"}'),
            ("tool_result", "Read", "prices = []"),
            ("tool_result", "Execute", "1 failed"),
            ("tool_call", "ApplyPatch", blocks_of(index)[1][8].text),
            ("tool_result", "ApplyPatch", "Done"),
            ("text", None, "Rounded to cents."),
        ],
        [
            ("user", None, "What is in the picture?"),
            ("image", None, "[image/png 1 kB]"),
            ("note", "reminder", "Hook said no"),
            ("text", None, "A cat."),
        ],
    ]
    assert [block.is_error for block in blocks_of(index)[1] if block.kind == "tool_result"] == [False, True, False]
    calls = paired(blocks_of(index)[1])
    assert [one.family for one in calls] == ["read", "shell", "edit"]
    assert (calls[2].paths, diff_of(calls[2])) == (("src/prices.py",), PATCH)
    touched = {(touch.path, touch.kind) for touch in index.files.of_turn(session.key, 1)}
    assert ("src/prices.py", "edited") in touched
    assert registry.resume_command(session) == ["droid", "--resume", SESSION]
    assert Droid().start_command("Go") == ["droid", "Go"]


@pytest.mark.parametrize(
    ("start", "title"),
    [
        ({"sessionTitle": "New Session"}, "Round the prices"),
        ({"sessionTitle": None, "title": " new session "}, "Round the prices"),
        ({"sessionTitle": "New Session", "isSessionTitleManuallySet": True}, "New Session"),
    ],
)
def test_a_session_that_has_no_title_yet(tmp_path: Path, start: dict[str, Any], title: str) -> None:
    script = Script(**start)
    script.message("user", "Round the prices")
    path = script.write(tmp_path)
    assert build(tmp_path / "data", path, agent="droid").sessions.find(SESSION).title == title


def test_a_title_by_the_user_counts_more(tmp_path: Path) -> None:
    script = Script(sessionTitle="Mine", isSessionTitleManuallySet=True)
    script.message("user", "Round the prices")
    path = script.write(tmp_path)
    update(tmp_path / "data", path, agent="droid")
    script.entries[0] |= {"sessionTitle": "Of the agent", "isSessionTitleManuallySet": False}
    script.write(tmp_path)
    assert build(tmp_path / "data", path, agent="droid").sessions.find(SESSION).title == "Mine"


def test_a_subagent_belongs_to_the_session_that_called_it(tmp_path: Path) -> None:
    parent = Script()
    parent.message("user", "Where are the prices?")
    parent.message("assistant", call("t1", "Task", subagent_type="explorer", description="Look", prompt="Find them"))
    parent.write(tmp_path)
    child = Script("child", prefix="c", callingSessionId=SESSION, callingToolUseId="t1")
    child.message("user", "# Task Tool Invocation\n\nFind them")
    child.message("assistant", "In src/prices.py")
    child.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="droid")
    (found,) = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert (found.session_id, [turn.kind for turn in index.sessions.turns(found.key)]) == ("child", ["agent"])
    assert registry.resume_command(found) is None


def test_a_compaction(tmp_path: Path) -> None:
    script = Script()
    script.message("user", "Round the prices")
    script.message("assistant", "Rounded.")
    script.add("compaction_state", summaryText="Prices: done.", summaryTokens=12, removedCount=2)
    script.message("user", "Now the discounts")
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="droid")
    session = index.sessions.find(SESSION)
    assert [(turn.kind, turn.segment, turn.user_text) for turn in index.sessions.turns(session.key)] == [
        ("human", 0, "Round the prices"),
        ("compaction", 1, "Prices: done."),
        ("human", 1, "Now the discounts"),
    ]
    assert len(index.compactions.of_session(session.key)) == 1


def test_the_entries_of_a_fork_count_once(tmp_path: Path) -> None:
    script = whole_session()
    script.write(tmp_path)
    fork = Script("fork")
    fork.entries += script.entries[1:]
    fork.message("user", "Now the discounts")
    fork.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="droid")
    assert said(index, "fork") == [[("user", None, "Now the discounts")]]
    assert index.sessions.find("fork").forked_from == SESSION


def test_exported_entries_and_unknown_ones(tmp_path: Path) -> None:
    entries: list[Entry] = [
        {"type": "session_start", "sessionId": SESSION, "cwd": CWD},
        {"type": "message", "id": "a", "role": "user", "content": "Round the prices"},
        {"type": "message", "id": "b", "role": "assistant", "content": ["Rounded.", {"type": "hologram"}]},
        {"type": "message", "id": "c", "role": "oracle", "content": "hm"},
        {"type": "weather", "degrees": 3},
    ]
    write_lines(tmp_path / "sessions" / "x.jsonl", entries)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="droid")
    assert said(index) == [
        [("user", None, "Round the prices"), ("text", None, "Rounded."), ("note", "meta", '{"type":"hologram"}')]
    ]
    rows = index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line")
    assert rows == [(3, "message oracle"), (4, "weather")]


def test_a_file_that_grows_is_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    script = whole_session()
    script.entries[0]["callingSessionId"] = "parent"
    script.add("compaction_state", summaryText="Prices: done.")
    script.message("user", "Go on")
    path = script.write(tmp_path)
    content = encoded(script.entries)
    lines = [position + 1 for position, byte in enumerate(content) if byte == 10]
    cuts = sorted({30, *lines[:-1:2], *(position - 9 for position in lines[2::4])})
    held = read_as_it_grows("droid", tmp_path / "sessions", {path: (content, cuts)}, tmp_path)
    assert turn_counts(held) == {(SESSION, "parent"): 4}


def test_a_rewritten_file_half_a_line_and_bad_lines(tmp_path: Path) -> None:
    script = Script()
    script.message("user", "Round the prices")
    path = script.write(tmp_path)
    update(tmp_path / "data", tmp_path / "sessions", agent="droid")
    other = Script(cwd="/home/ana/code/site")
    other.message("user", "Double the prices")
    other.message("assistant", "Doubled.")
    path.write_bytes(b"{\n" + encoded(other.entries)[:-5])
    index = build(tmp_path / "data", path, agent="droid")
    # Its first line does not tell the agent any more, so it is read only as long as it is in a folder of the agent.
    assert said(index) == [[("user", None, "Round the prices")]]
    path.write_bytes(encoded(other.entries[:1]) + b"{\n" + encoded(other.entries[1:])[:-5])
    index = build(tmp_path / "data", path, agent="droid")
    assert said(index) == [[("user", None, "Double the prices")]]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not JSON")]
    assert [source.state for source in index.statistics.sources()] == ["waiting"]


@settings(deadline=None, max_examples=150)
@given(entries=damaged([*whole_session().entries, *whole_session().entries[1:]]))
def test_values_of_wrong_types_count_as_absent(entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_lines(tmp_path_factory.getbasetemp() / "damaged" / "droid.jsonl", entries)
    messages = [record for record in records_of(Droid(), path) if isinstance(record, Message)]
    assert messages[-1].blocks[-1].text == "A cat."
    assert all(isinstance(block.text, str) for message in messages for block in message.blocks)


def test_which_files_are_sessions(tmp_path: Path) -> None:
    copied = write_lines(tmp_path / "copy.jsonl", whole_session().entries)
    paths = [Path(f"/home/ana/.factory/sessions/-x/{SESSION}.jsonl"), copied]
    assert [reader.agent for path in paths if (reader := registry.reader_for(path))] == ["droid", "droid"]
    others = [paths[0].with_suffix(".settings.json"), write_lines(tmp_path / "x.jsonl", [{"type": "session_start"}])]
    assert [Droid().accepts(path) for path in others] == [False, False]


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    assert Droid().default_locations({}) == [Path("/home/ana/.factory/sessions")]
