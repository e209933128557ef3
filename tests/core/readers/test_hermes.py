"""Sessions of Hermes Agent in a real index: those of its database, and those of files."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.hermes.messages import ToolResult, result_of
from memtui_core.readers.agents.hermes.reader import Hermes
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from support.agent_databases import START, HermesDatabase
from support.conversations import shown, tool_calls
from support.databases import Program, program
from support.indexes import build, update
from support.line_files import damaged, encoded, read_as_it_grows, records_of, write_lines
from support.pictures import picture, turn_counts
from support.systems import HOME_VARIABLE

DIFF = "--- a/src/prices.py\n+++ b/src/prices.py\n@@ -1 +1 @@\n-prices = []\n+prices = {}\n"
HUNKS = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-prices = []", "+prices = {}"]}]
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\nPrices: done."
Entry = dict[str, Any]


class Store(HermesDatabase):
    """The database of a profile and the program that uses it."""

    def __init__(self, home: Path, running: Program) -> None:
        self.home, self.path, self.clock = home, home / self.file, START
        self._running = running

    def begin(self, session: str, **values: Any) -> None:
        self.session(self._running, session, **values)

    def add(self, session: str, role: str, content: str | None = None, /, **values: Any) -> None:
        self.say(self._running, session, role, *([] if content is None else [content]), **values)

    def run(self, sql: str, *values: Any) -> None:
        self._running.execute(sql, values)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = HermesDatabase(tmp_path / "home")
    with program(made.path) as running:
        yield Store(tmp_path / "home", running)


def calls(*each: tuple[str, str, Any]) -> str:
    return json.dumps(
        [
            {"id": tool_id, "call_id": tool_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for tool_id, name, arguments in each
        ]
    )


def at(second: int) -> datetime:
    return datetime.fromtimestamp(START + second, UTC)


def test_a_session_with_everything(store: Store, tmp_path: Path) -> None:
    tokens = {"input_tokens": 900, "output_tokens": 50, "cache_read_tokens": 7, "cache_write_tokens": 3}
    store.begin("s1", git_branch="rounding", title="Rounding", title_source="user", **tokens)
    picture_part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{'A' * 400}"}}
    parts = [{"type": "text", "text": "Round the prices"}, picture_part]
    store.add("s1", "user", "\x00json:" + json.dumps(parts))
    written = calls(("t1", "read_file", '{"path":"src/prices.py"}'), ("t2", "terminal", '{"command":"pytest"}'))
    store.add("s1", "assistant", "I will look.", reasoning="Cents, I think.", tool_calls=written)
    store.add("s1", "tool", '{"content": "1|prices = []", "total_lines": 1}', tool_call_id="t1", tool_name="read_file")
    failed = '{"output": "1 failed", "exit_code": 1, "error": null}'
    store.add("s1", "tool", failed, tool_call_id="t2", tool_name="terminal")
    edit = json.dumps({"mode": "replace", "path": "src/prices.py", "old_string": "[]", "new_string": "{}"})
    store.add("s1", "assistant", tool_calls=calls(("t3", "patch", edit), ("t4", "search_files", "{half")))
    store.add("s1", "tool", json.dumps({"success": True, "diff": DIFF}), tool_call_id="t3", tool_name="patch")
    store.add("s1", "tool", '{"error": "no pattern"}', tool_call_id="t4", tool_name="search_files")
    store.add("s1", "user", "[ASYNC DELEGATION COMPLETE]", display_kind="async_delegation_complete")
    store.add("s1", "user", "scaffolding", display_kind="hidden")
    store.add("s1", "assistant", "more scaffolding", display_kind="hidden")
    store.add("s1", "user", "Review the conversation above and consider saving to memory if it helps.")
    store.add("s1", "session_meta", "{}")
    store.add("s1", "oracle", "hm")
    store.add("s1", "assistant", "\x00json:half", tool_calls="[half")
    store.add("s1", "user", "And now?", display_kind="skill_invocation")
    store.add("s1", "assistant", "Done.")
    index = build(tmp_path / "data", store.home, agent="hermes")
    session = index.sessions.find("s1")
    assert (session.agent, session.project, session.branch, session.title) == (
        "hermes",
        "shop-api",
        "rounding",
        "Rounding",
    )
    assert (session.models, session.input_tokens, session.output_tokens) == (("gpt-5",), 900, 50)
    assert (session.started_at, session.ended_at) == (at(1), at(16))
    assert shown(index, "s1") == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("image", "[image/png 1 kB]"),
                ("thinking", "Cents, I think."),
                ("text", "I will look."),
                ("tool_call read_file", '{"path":"src/prices.py"}'),
                ("tool_call terminal", '{"command":"pytest"}'),
                ("tool_result read_file", "1|prices = []"),
                ("tool_result terminal!", "1 failed\nexit code: 1"),
                ("tool_call patch", edit.replace(": ", ":").replace(", ", ",")),
                ("tool_call search_files", '"{half"'),
                ("tool_result patch", json.dumps({"success": True, "diff": DIFF})),
                ("tool_result search_files!", '{"error": "no pattern"}'),
                ("note notification", "[ASYNC DELEGATION COMPLETE]"),
                ("note reminder", "scaffolding"),
                ("note reminder", "more scaffolding"),
                ("note reminder", "Review the conversation above and consider saving to memory if it helps."),
                ("text", "half"),
                ("note meta", "[half"),
            ],
        ),
        ("human", [("user", "And now?"), ("text", "Done.")]),
    ]
    found = tool_calls(index, "s1")
    assert [one.family for one in found] == ["read", "shell", "edit", "search"]
    assert diff_of(found[2]) == "@@ -1,1 +1,1 @@\n-prices = []\n+prices = {}"
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries") == [(12, "message oracle")]
    assert resume_command(session) == ["hermes", "--resume", "s1"]
    assert Hermes().start_command("Go") is None


def test_a_compaction_in_place(store: Store, tmp_path: Path) -> None:
    store.begin("s1")
    store.add("s1", "user", "Round the prices")
    store.add("s1", "assistant", "Rounded.")
    store.add("s1", "user", "Never mind this")
    store.add("s1", "user", "Now the discounts")
    update(tmp_path / "data", store.home, agent="hermes")
    # The user took back the third message. The last one is kept, and written again with its time.
    store.run("UPDATE messages SET active = 0 WHERE id IN (3, 4)")
    store.run("UPDATE messages SET active = 0, compacted = 1 WHERE id IN (1, 2)")
    store.add("s1", "assistant", SUMMARY, _compressed_summary=1)
    store.add("s1", "user", "Now the discounts", timestamp=START + 4)
    store.add("s1", "assistant", "They are round.")
    index = build(tmp_path / "data", store.home, agent="hermes")
    expected = [
        ("human", [("user", "Round the prices"), ("text", "Rounded.")]),
        ("human", [("user", "Never mind this")]),
        ("compaction", [("user", SUMMARY)]),
        ("human", [("user", "Now the discounts"), ("text", "They are round.")]),
    ]
    assert shown(index, "s1") == expected
    assert len(index.compactions.of_session(index.sessions.find("s1").key)) == 1
    update(tmp_path / "fresh", store.home, agent="hermes")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")


def test_summaries_of_versions_that_did_not_mark_them(store: Store, tmp_path: Path) -> None:
    merged = f"[PRIOR CONTEXT]\nGo\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n{SUMMARY}"
    store.begin("s1")
    for text in ("[CONTEXT SUMMARY]: Prices.", merged, "[CONTEXTS] are mine"):
        store.add("s1", "user", text)
    index = build(tmp_path / "data", store.home, agent="hermes")
    assert shown(index, "s1") == [
        ("compaction", [("user", "[CONTEXT SUMMARY]: Prices.")]),
        ("compaction", [("user", merged)]),
        ("human", [("user", "[CONTEXTS] are mine")]),
    ]


def test_sessions_that_come_from_others(store: Store, tmp_path: Path) -> None:
    store.begin("parent", ended_at=START + 50, end_reason="compression")
    store.add("parent", "user", "Round the prices")
    store.add("parent", "assistant", tool_calls=calls(("t1", "delegate_task", '{"goal": "Find discounts"}')))
    children: dict[str, Entry] = {
        "subagent": {"model_config": '{"_delegate_from": "parent"}'},
        "following": {"model_config": '{"_delegate_from": "grandparent"}'},
        "branch": {"model_config": '{"_branched_from": "parent"}'},
        "reset": {"model_config": '{"_reset_from": "parent"}'},
    }
    for child, values in children.items():
        store.begin(child, parent_session_id="parent", **values)
        store.add(child, "user", "Find discounts" if child == "subagent" else f"Prompt of {child}")
    store.begin("other")
    store.add("other", "user", "Hello")
    store.begin("of-old-version", parent_session_id="other")
    store.add("of-old-version", "user", "Find more")
    store.run("ALTER TABLE sessions ADD COLUMN session_key TEXT")
    for child, reason in (("old-branch", "branched"), ("old-reset", "daily")):
        store.begin(f"of-{child}", session_key="chat", ended_at=store.clock, end_reason=reason)
        store.begin(child, parent_session_id=f"of-{child}", session_key="chat")
        store.add(child, "user", f"Prompt of {child}")
    index = build(tmp_path / "data", store.home, agent="hermes")
    names = {session.key: session.session_id for session in index.sessions.all()}
    about = {}
    for name in (*children, "of-old-version", "old-branch", "old-reset"):
        session = index.sessions.find(name)
        (turn,) = index.sessions.turns(session.key)
        about[name] = (names.get(session.parent or 0), session.parent_tool_id, session.forked_from, turn.kind)
    assert about == {
        "subagent": ("parent", "t1", None, "agent"),
        "following": (None, None, "parent", "human"),
        "branch": (None, None, None, "human"),
        "reset": (None, None, None, "human"),
        "of-old-version": ("other", None, None, "agent"),
        "old-branch": (None, None, None, "human"),
        "old-reset": (None, None, None, "human"),
    }


def test_messages_that_a_continuation_repeats_count_once(store: Store, tmp_path: Path) -> None:
    store.begin("first", end_reason="compression")
    store.add("first", "user", "Round the prices")
    store.add("first", "user", "Now the discounts")
    store.begin("second", parent_session_id="first")
    store.add("second", "user", SUMMARY)
    store.add("second", "user", "Now the discounts", timestamp=START + 2)
    store.add("second", "assistant", "They are round.")
    index = build(tmp_path / "data", store.home, agent="hermes")
    said = [text for name in ("first", "second") for _, blocks in shown(index, name) for _, text in blocks]
    assert said == ["Round the prices", "Now the discounts", SUMMARY, "They are round."]


def test_a_new_title_is_read(store: Store, tmp_path: Path) -> None:
    store.begin("s1", title=None)
    store.add("s1", "user", "Hello")
    update(tmp_path / "data", store.home, agent="hermes")
    store.run("UPDATE sessions SET title = 'A greeting', title_source = 'llm'")
    assert build(tmp_path / "data", store.home, agent="hermes").sessions.find("s1").title == "A greeting"


LINES: list[Entry] = [
    {"role": "session_meta", "model": "hermes-4", "platform": "telegram", "timestamp": "2026-03-01T19:00:00Z"},
    {"role": "user", "content": "Is the shop up?", "timestamp": "2026-03-01T19:00:01Z"},
    {
        "role": "assistant",
        "content": "<think>\nAsk it.\n</think>\nI ask it.",
        "tool_calls": json.loads(calls(("t1", "terminal", '{"command":"curl shop"}'))),
        "timestamp": "2026-03-01T19:00:02Z",
    },
    {
        "role": "tool",
        "content": '{"output": "up", "exit_code": 0, "error": null}',
        "tool_call_id": "t1",
        "timestamp": "2026-03-01T19:00:03Z",
    },
    {"role": "assistant", "content": "It is.", "timestamp": "2026-03-01T19:00:04Z"},
    {"role": "user", "content": "Thanks", "timestamp": "2026-03-01T19:00:05Z"},
]
SAID = [
    (
        "human",
        [
            ("user", "Is the shop up?"),
            ("thinking", "Ask it."),
            ("text", "I ask it."),
            ("tool_call terminal", '{"command":"curl shop"}'),
            ("tool_result terminal", "up"),
            ("text", "It is."),
        ],
    ),
    ("human", [("user", "Thanks")]),
]


def document(session: str, messages: list[Any], **fields: Any) -> Entry:
    about = {"session_id": session, "model": "hermes-4", "platform": "cli", "session_start": "2026-03-01T19:00:00Z"}
    return {**about, "last_updated": "2026-03-01T19:09:00Z", **fields, "messages": messages}


def test_lines_that_the_gateway_wrote(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "home" / "hermes" / "sessions" / "20260301_190000_aa.jsonl", LINES)
    path.write_bytes(encoded(LINES) + b'{\n{"role": "user"')
    index = build(tmp_path / "data", tmp_path / "home", agent="hermes")
    assert shown(index, "20260301_190000_aa") == SAID
    session = index.sessions.find("20260301_190000_aa")
    assert (session.models, session.started_at) == (("hermes-4",), datetime(2026, 3, 1, 19, 0, 1, tzinfo=UTC))
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(5, "not JSON")]
    assert [source.state for source in index.statistics.sources()] == ["waiting"]


def test_lines_that_grow_are_read_as_if_at_once(tmp_path: Path) -> None:
    path = tmp_path / "hermes" / "sessions" / "one.jsonl"
    content = encoded(LINES)
    lines = [position + 1 for position, byte in enumerate(content) if byte == 10]
    held = read_as_it_grows("hermes", tmp_path / "hermes", {path: (content, [9, *lines[1:-1], lines[3] + 9])}, tmp_path)
    assert turn_counts(held) == {("one", ""): 2}


def test_a_document(tmp_path: Path) -> None:
    path = tmp_path / "hermes" / "sessions" / "session_s1.json"
    path.parent.mkdir(parents=True)
    said = [{key: value for key, value in entry.items() if key != "timestamp"} for entry in LINES[1:]]
    path.write_text(json.dumps(document("s1", [*said, 7], cwd="/home/ana/code/shop", title="The shop")))
    index = build(tmp_path / "data", path, agent="hermes")
    session = index.sessions.find("s1")
    assert shown(index, "s1") == SAID
    assert (session.cwd, session.title, session.started_at, session.ended_at) == (
        "/home/ana/code/shop",
        "The shop",
        datetime(2026, 3, 1, 19, 0, tzinfo=UTC),
        datetime(2026, 3, 1, 19, 9, tzinfo=UTC),
    )
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(5, "not a JSON object")]
    for content in ("{}", "[]", "{"):
        path.write_text(content)
        with pytest.raises(SourceUnreadable):
            records_of(Hermes(), path)


def test_times_without_a_zone_are_local(tmp_path: Path) -> None:
    path = tmp_path / "session_s1.json"
    path.write_text(
        json.dumps(document("s1", [{"role": "user", "content": "Hello"}], session_start="2026-03-01T19:00:00"))
    )
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Etc/GMT-2"
    time.tzset()
    try:
        (message,) = records_of(Hermes(), path)
    finally:
        os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
        time.tzset()
    assert isinstance(message, Message)
    assert message.at == datetime(2026, 3, 1, 17, 0, tzinfo=UTC)


def test_a_session_in_the_database_is_not_read_from_files(store: Store, tmp_path: Path) -> None:
    sessions = store.path.parent / "sessions"
    lines = write_lines(sessions / "s1.jsonl", LINES)
    (sessions / "session_s1.json").write_text(json.dumps(document("s1", LINES[1:])))
    (sessions / "session_s2.json").write_text(
        json.dumps(document("s2", [{"role": "user", "content": "Is the site up?"}]))
    )
    store.begin("s2")
    index = build(tmp_path / "data", store.home, agent="hermes")
    assert (shown(index, "s1"), shown(index, "s2")) == (
        SAID,
        [("human", [("user", "Is the site up?")])],
    )
    store.begin("s1")
    store.add("s1", "user", "Hello")
    index = build(tmp_path / "data", store.home, agent="hermes")
    assert shown(index, "s1") == [("human", [("user", "Hello")])]
    assert {Path(source.path).name: source.state for source in index.statistics.sources()} == {
        "s1.jsonl": "empty",
        "session_s1.json": "empty",
        "session_s2.json": "ok",
        "state.db#s1": "ok",
        "state.db#s2": "empty",
    }
    # A database that cannot be read leaves the files.
    store.path.with_name("state.db-wal").unlink()
    store.path.write_bytes(b"half a copy " * 500)
    assert not Hermes().is_elsewhere(lines)


def test_results_of_tools() -> None:
    texts = {
        "plain": result_of("done", "terminal"),
        "nothing found": result_of(
            '{"output":"","exit_code":1,"exit_code_meaning":"No matches (not an error)"}', "terminal"
        ),
        "timeout": result_of('{"output":"…","exit_code":124,"error":"timed out"}', "terminal"),
        "patch": result_of(json.dumps({"success": False, "error": "no match", "diff": DIFF}), "patch"),
        "two": result_of('{"output":"a"} {"output":"b"}', "terminal"),
    }
    assert texts == {
        "plain": ToolResult("done"),
        "nothing found": ToolResult(""),
        "timeout": ToolResult("…\ntimed out\nexit code: 124", True),
        "patch": ToolResult(json.dumps({"success": False, "error": "no match", "diff": DIFF}), True, {"patch": HUNKS}),
        "two": ToolResult('{"output":"a"} {"output":"b"}'),
    }


@settings(deadline=None, max_examples=150)
@given(entries=damaged([*LINES, {"role": "user", "content": "last"}]))
def test_values_of_wrong_types_count_as_absent(entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged" / "hermes" / "sessions"
    path = write_lines(folder / "one.jsonl", entries)
    messages = [record for record in records_of(Hermes(), path) if isinstance(record, Message)]
    assert messages[-1].text == "last"
    whole = folder / "session_two.json"
    whole.write_text(json.dumps({**document("two", entries), **entries[0]}))
    messages = [record for record in records_of(Hermes(), whole) if isinstance(record, Message)]
    assert messages[-1].text == "last"


def test_which_files_are_sessions(store: Store, tmp_path: Path) -> None:
    own = Path("/home/ana/.hermes")
    sessions = own / "profiles" / "work" / "sessions"
    copied = write_lines(tmp_path / "lines.jsonl", LINES)
    whole = tmp_path / "session_x.json"
    whole.write_text(json.dumps(document("x", [])))
    other = tmp_path / "elsewhere" / "state.db"
    other.parent.mkdir()
    store.begin("s1")
    store.run("VACUUM INTO ?", str(other))
    paths = [own / "state.db", own / "state.db-wal", own / "profiles" / "work" / "state.db", sessions / "a.jsonl"]
    paths += [sessions / "session_a.json", copied, whole, other]
    assert [reader.agent for path in paths if (reader := reader_for(path))] == ["hermes"] * len(paths)
    other.write_bytes(b"SQLite format 3\x00 no more")
    others = [other, own / "sessions" / "sessions.json", own / "sessions" / "request_dump_a.json", own / "cron.jsonl"]
    assert [Hermes().accepts(path) for path in others] == [False] * 4


def test_the_default_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    home = Path("/home/ana/.hermes")
    assert Hermes().default_locations({}) == [home / "state.db", home / "sessions", home / "profiles"]
    assert Hermes().default_locations({"HERMES_HOME": "/srv/h"})[0] == Path("/srv/h/state.db")
