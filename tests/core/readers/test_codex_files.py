"""The files of Codex: how they grow, move, are compressed and fork, and where the names of threads are."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui_core.errors import SessionUnknown, SourceUnreadable
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers import registry
from memtui_core.readers.agents.codex.reader import Codex
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.locations import Location
from memtui_core.readers.new_session import NewMessage, NewSession
from memtui_core.readers.records import Message, Record, UnknownEntry
from memtui_core.system.compression import zstd
from support.indexes import build, update, whole_turns
from support.rollouts import CHILD, CWD, OTHER, THREAD, Rollout, opened

# Many snapshots at once.
pytestmark = pytest.mark.much_memory


def said(index: Index, session: str = THREAD) -> list[list[tuple[str, str]]]:
    try:
        return [blocks for _, blocks in whole_turns(index, session)]
    except SessionUnknown:
        return []


def titles(index: Index) -> dict[str, str]:
    return {session.session_id: session.title for session in index.sessions.all()}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "codex"


def long_rollout() -> Rollout:
    rollout = Rollout()
    rollout.user_item("# AGENTS.md instructions", "<environment_context>\n</environment_context>")
    for turn in range(4):
        rollout.event("task_started", turn_id=f"t{turn}")
        rollout.user(f"Task {turn % 2}")
        rollout.turn(f"t{turn}", f"model-{turn // 2}", f"{CWD}/{turn // 2}")
        rollout.think("**Thinking**")
        rollout.answer("Working.")
        rollout.shell("make", "ok")
        rollout.tokens(100 * turn + 100, 5, 5, 5)
        rollout.finished("AgentMessage", content=[{"type": "Text", "text": "Working."}])
        if turn == 1:
            rollout.add("compacted", message="They did much.")
            rollout.event("context_compacted")
        rollout.answer("Done.")
        rollout.event("task_complete", turn_id=f"t{turn}", last_agent_message="Done.")
    rollout.event("turn_aborted", reason="interrupted")
    return rollout


def records(path: Path) -> list[Record]:
    return list(opened(path))


def test_reading_from_any_message_is_the_rest_of_reading_from_the_start(tmp_path: Path) -> None:
    path = long_rollout().write(tmp_path)
    whole = records(path)
    reading = opened(path)
    assert list(reading) == whole
    for at, record in enumerate(whole):
        if isinstance(record, Message):
            first = next(n for n, other in enumerate(whole) if getattr(other, "line", -1) == record.line)
            again = opened(path, reading.cursor(record))
            assert list(again) == whole[first:]
            assert (again.facts, again.identity()) == (reading.facts, reading.identity()), at
    assert list(opened(path, reading.cursor(None))) == []


def test_a_growing_rollout_is_indexed_as_if_it_was_read_at_once(home: Path, tmp_path: Path) -> None:
    """For each cut two indexes are brought up to date, one of them by a new indexer."""
    rollout = long_rollout()
    whole = said(build(tmp_path / "whole", rollout.write(home), agent="codex"))
    path = home / "growing" / rollout.name
    path.parent.mkdir()
    content = rollout.content
    cuts = [*range(150, len(content), 977), len(content)]
    with Indexer(tmp_path / "live") as live:
        for cut in cuts:
            path.write_bytes(content[:cut])
            for _ in live.update([Location("codex", path.parent)]):
                pass
            update(tmp_path / "cursor", path.parent, agent="codex")
            assert said(Index.open(tmp_path / "live")) == said(Index.open(tmp_path / "cursor"))
    assert said(Index.open(tmp_path / "live")) == whole
    assert said(Index.open(tmp_path / "cursor")) == whole


def test_a_rewritten_rollout_and_a_bad_line(home: Path, tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("First")
    path = rollout.write(home)
    update(tmp_path / "data", home, agent="codex")
    other = Rollout()
    other.user("Other words")
    other.lines.insert(2, b'{"type": broken')
    path.write_bytes(other.content + b'{"type": "half')
    index = build(tmp_path / "data", home, agent="codex")
    assert said(index) == [[("user", "Other words")]]
    [source] = index.statistics.sources()
    assert (source.state, source.skipped) == ("waiting", ((2, "not JSON"),))


def compressed(path: Path) -> Path:
    target = path.with_name(path.name + ".zst")
    target.write_bytes(zstd.compress(path.read_bytes()))
    return target


def test_a_compressed_rollout_is_read_and_the_plain_one_wins(home: Path, tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Packed")
    path = rollout.write(home)
    packed = compressed(path)
    both = build(tmp_path / "both", home, agent="codex")
    assert [Path(source.path) for source in both.statistics.sources()] == [path]
    path.unlink()
    assert said(build(tmp_path / "packed", home, agent="codex")) == [[("user", "Packed")]]
    # The session stays as it is when its file is compressed.
    update(tmp_path / "both", home, agent="codex")
    index = Index.open(tmp_path / "both")
    assert said(index) == [[("user", "Packed")]]
    assert {Path(source.path).name: source.state for source in index.statistics.sources()} == {
        path.name: "gone",
        packed.name: "copy",
    }
    assert not index.sessions.find(THREAD).gone


def test_an_archived_session_stays_one_session(home: Path, tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Put away")
    path = rollout.write(home)
    update(tmp_path / "data", home, agent="codex")
    (home / "archived_sessions").mkdir()
    path.rename(home / "archived_sessions" / path.name)
    index = build(tmp_path / "data", home, agent="codex")
    assert (said(index), [session.gone for session in index.sessions.all()]) == ([[("user", "Put away")]], [False])


def test_of_a_compressed_rollout_that_is_still_written_the_whole_lines_are_read(home: Path, tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Packed")
    path = rollout.write(home)
    packed = frame_without_end(path.read_bytes())
    path.with_name(f"{path.name}.zst").write_bytes(packed)
    path.unlink()
    index = build(tmp_path / "data", home, agent="codex")
    assert said(index) == [[("user", "Packed")]]
    assert [(source.state, source.error) for source in index.statistics.sources()] == [("ok", None)]


def frame_without_end(content: bytes) -> bytes:
    """A frame that has the content, and not its end."""
    compressor = zstd.ZstdCompressor()
    return compressor.compress(content) + compressor.flush(compressor.FLUSH_BLOCK)


def test_damaged_compression_is_an_error_of_that_file(home: Path, tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Whole")
    rollout.write(home)
    bad = home / "sessions/2026/07/01" / f"rollout-2026-07-01T09-00-00-{OTHER}.jsonl.zst"
    bad.write_bytes(b"\x28\xb5\x2f\xfd garbage")
    index = build(tmp_path / "data", home, agent="codex")
    states = {Path(source.path).name: source.state for source in index.statistics.sources()}
    assert states == {rollout.name: "ok", bad.name: "error"}


def test_files_are_recognized(tmp_path: Path) -> None:
    reader = Codex()
    first = {
        "meta.jsonl": {"type": "session_meta", "payload": {"id": "x"}},
        "old.jsonl": {"id": "x", "timestamp": "2025-05-07T17:24:21Z", "instructions": None},
        "claude.jsonl": {"type": "user", "sessionId": "x", "uuid": "y", "message": {}},
        "history.jsonl": {"session_id": "x", "ts": 1, "text": "a prompt"},
        "prompts.jsonl": {"session_id": "x", "ts": 1, "text": "a prompt"},
        "empty_meta.jsonl": {"type": "session_meta", "payload": {}},
    }
    for name, entry in first.items():
        (tmp_path / name).write_bytes(orjson.dumps(entry) + b"\n")
    accepted = {name for name in first if reader.accepts(tmp_path / name)}
    assert accepted == {"meta.jsonl", "old.jsonl", "history.jsonl"}
    gone = tmp_path / "gone"
    assert reader.accepts(gone / f"rollout-2026-07-01T09-00-00-{THREAD}.jsonl.zst")
    assert not reader.accepts(gone / "any.jsonl")
    assert not reader.accepts(gone / "state_5.sqlite")
    assert reader.accepts(gone / ".codex" / "state_5.sqlite-wal")


def test_default_locations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    databases = ("state_4.sqlite", "state_12.sqlite", "thread_history_1.sqlite", "logs_2.sqlite")
    for name in (*databases, "session_index.jsonl"):
        (tmp_path / name).touch()
    names = ["sessions", "archived_sessions", "session_index.jsonl", "state_12.sqlite", "thread_history_1.sqlite"]
    assert Codex().default_locations({"CODEX_HOME": str(tmp_path)}) == [tmp_path / name for name in names]
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "ana")
    own = tmp_path / "ana" / ".codex"
    assert Codex().default_locations({}) == [own / "sessions", own / "archived_sessions"]


def parent_and_copy(turn_ids: bool) -> tuple[Rollout, Rollout]:
    """A session, and a fork that copied its first turn, with new times."""
    parent, fork = Rollout(), Rollout(OTHER, forked_from_id=THREAD)
    for rollout in (parent, fork):
        if rollout is fork:
            fork.add("session_meta", id=THREAD, cwd="/elsewhere", cli_version="0.1.0")
        rollout.user("Shared")
        if turn_ids:
            rollout.turn("t1")
        rollout.answer("Shared answer")
        rollout.tokens(100, 10, 0, 1)
    parent.user("Only in the parent")
    fork.user("Only in the fork")
    if turn_ids:
        fork.turn("t9")
    fork.answer("New answer")
    fork.tokens(200, 20, 0, 2)
    return parent, fork


@pytest.mark.parametrize("turn_ids", [True, False])
@pytest.mark.parametrize("parent_exists", [True, False])
def test_turns_that_a_fork_copied_count_once(home: Path, tmp_path: Path, turn_ids: bool, parent_exists: bool) -> None:
    parent, fork = parent_and_copy(turn_ids)
    if parent_exists:
        parent.write(home)
    fork.write(home, folder="archived_sessions")
    index = build(tmp_path / "data", home, agent="codex")
    session = index.sessions.find(OTHER)
    own = [("user", "Only in the fork"), ("text", "New answer")]
    shared = [("user", "Shared"), ("text", "Shared answer")]
    assert said(index, OTHER) == ([own] if parent_exists else [shared, own])
    assert (session.forked_from, session.cwd, session.version) == (THREAD, CWD, "0.142.0")
    assert session.input_tokens == (20 if parent_exists else 30)
    if parent_exists:
        assert said(index) == [shared, [("user", "Only in the parent")]]


def test_copied_items_that_name_their_turn_may_differ(home: Path, tmp_path: Path) -> None:
    parent, fork = Rollout(), Rollout(OTHER, forked_from_id=THREAD)

    def say(rollout: Rollout, turn: str, role: str, text: str) -> None:
        content = [{"type": "input_text", "text": text}]
        passed = {"turn_id": turn}
        rollout.item("message", role=role, content=content, internal_chat_message_metadata_passthrough=passed)

    say(parent, "t1", "user", "Shared")
    say(parent, "t1", "assistant", "Shared answer")
    say(fork, "t1", "user", "Shared, written anew")
    say(fork, "t9", "user", "Only in the fork")
    parent.write(home)
    fork.write(home)
    index = build(tmp_path / "data", home, agent="codex")
    assert said(index, OTHER) == [[("user", "Only in the fork")]]


def test_a_subagent_that_got_the_history_of_its_parent(home: Path, tmp_path: Path) -> None:
    parent, child = Rollout(), Rollout(CHILD, parent_thread_id=THREAD, session_id=THREAD)
    child.add("session_meta", id=THREAD, cwd=CWD)
    for rollout in (parent, child):
        rollout.event("task_started", turn_id="t1")
        rollout.user("Shared")
        rollout.answer("Shared answer")
    child.event("task_started", turn_id="c1")
    child.user("Look at it")
    parent.write(home)
    child.write(home)
    index = build(tmp_path / "data", home, agent="codex")
    assert said(index, CHILD) == [[("user", "Look at it")]]


def test_a_fork_whose_first_turns_are_in_another_file(home: Path, tmp_path: Path) -> None:
    base = {"thread_id": THREAD, "end_ordinal_exclusive": 3, "end_byte_offset": 900}
    parent, fork, back = Rollout(), Rollout(OTHER, history_base=base), Rollout(history_base=base)
    for rollout, text in ((parent, "First"), (fork, "Fork"), (back, "Taken back")):
        rollout.user(text)
    parent.write(home)
    fork.write(home)
    back.write(home, f"rollout-2026-07-01T10-00-00-{THREAD}_{CHILD}.jsonl")
    index = build(tmp_path / "data", home, agent="codex")
    again = index.sessions.find(f"{THREAD}_{CHILD}")
    assert {one.session_id: one.forked_from for one in index.sessions.all()} == {
        THREAD: None,
        OTHER: THREAD,
        again.session_id: THREAD,
    }
    assert [said(index, one) for one in (THREAD, OTHER, again.session_id)] == [
        [[("user", "First")]],
        [[("user", "Fork")]],
        [[("user", "Taken back")]],
    ]
    assert registry.resume_command(again) == ["codex", "resume", THREAD]


def test_a_reference_to_the_rollout_before(home: Path, tmp_path: Path) -> None:
    rollout = Rollout(OTHER)
    rollout.add("fork_reference", rollout_path=f"/x/rollout-2026-07-01T09-00-00-{THREAD}.jsonl", nth_user_message=1)
    rollout.user("Go on")
    rollout.write(home)
    index = build(tmp_path / "data", home, agent="codex")
    assert index.sessions.find(OTHER).forked_from == THREAD


SCHEMA = """CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT, source TEXT, cwd TEXT, title TEXT,
    first_user_message TEXT, name TEXT)"""


class Names:
    """The database with the names of threads."""

    def __init__(self, home: Path, schema: str = SCHEMA) -> None:
        self.path = home / "state_5.sqlite"
        self.connection = sqlite3.connect(self.path, isolation_level=None)
        self.connection.executescript(schema)

    def put(self, thread: str, **values: Any) -> None:
        columns = {"id": thread, **values}
        marks = ", ".join("?" * len(columns))
        sql = f"INSERT OR REPLACE INTO threads ({', '.join(columns)}) VALUES ({marks})"
        self.connection.execute(sql, list(columns.values()))


@pytest.fixture
def named(home: Path) -> Iterator[Names]:
    """A home with two sessions, of which one has a name."""
    for thread, text in ((THREAD, "Round the prices"), (OTHER, "Another prompt")):
        rollout = Rollout(thread)
        rollout.user(text)
        rollout.write(home)
    names = Names(home)
    names.put(THREAD, name="Prices", cwd=CWD, source="cli", title="Round the prices")
    names.put(OTHER, title="Another prompt", first_user_message="Another prompt", source="cli")
    names.put(CHILD, name="A helper", source='{"subagent": "review"}')
    with closing(names.connection):
        yield names


def test_names_come_from_the_database_also_when_only_it_changes(named: Names, home: Path, tmp_path: Path) -> None:
    locations = [Location("codex", path) for path in Codex().default_locations({"CODEX_HOME": str(home)})]

    def look(changed: Path | None = None) -> dict[str, str]:
        with Indexer(tmp_path / "data") as indexer:
            for _ in indexer.update(locations, changed=None if changed is None else [changed]):
                pass
        return titles(Index.open(tmp_path / "data"))

    assert look() == {THREAD: "Prices", OTHER: "Another prompt"}
    named.put(OTHER, name="A name")
    named.put(THREAD, name="Other prices")
    assert look() == {THREAD: "Other prices", OTHER: "A name"}
    named.connection.execute("PRAGMA journal_mode = wal")
    named.put(THREAD, name="In the log")
    assert look(named.path.with_name("state_5.sqlite-wal")) == {THREAD: "In the log", OTHER: "A name"}
    index = Index.open(tmp_path / "data")
    assert (index.statistics.of_index().sessions, index.sessions.find(THREAD).turns) == (2, 1)
    assert index.snapshot.rows("SELECT session_id FROM sessions ORDER BY session_id") == [(THREAD,), (OTHER,)]


def test_a_name_in_the_database_counts_more_than_older_ones(named: Names, home: Path, tmp_path: Path) -> None:
    path = next((home / "sessions").rglob(f"*{THREAD}.jsonl"))
    rollout = Rollout(THREAD)
    rollout.user("Round the prices")
    rollout.event("thread_name_updated", thread_id=THREAD, thread_name="Before")
    rollout.event("thread_name_updated", thread_id=THREAD, thread_name="In the rollout")
    path.write_bytes(rollout.content)
    index = home / "session_index.jsonl"
    index.write_text(
        f'{{"id":"{OTHER}","thread_name":"First"}}\nbroken\n{{"id":"{OTHER}","thread_name":"In the list"}}\n'
        f'{{"id":"{THREAD}","thread_name":"Old"}}\n'
    )
    assert titles(build(tmp_path / "all", home, agent="codex")) == {THREAD: "Prices", OTHER: "In the list"}
    named.path.unlink()
    assert titles(build(tmp_path / "list", home, agent="codex")) == {THREAD: "In the rollout", OTHER: "In the list"}


def test_the_database_is_not_touched(named: Names, home: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}
    update(tmp_path / "data", home, agent="codex")
    assert {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()} == before
    named.connection.execute("PRAGMA journal_mode = wal")
    named.put(THREAD, name="Committed")
    named.connection.execute("BEGIN EXCLUSIVE")
    named.connection.execute("UPDATE threads SET name = 'Uncommitted'")
    before = {path.name: path.read_bytes() for path in home.iterdir() if path.is_file() and "shm" not in path.name}
    assert titles(build(tmp_path / "data", home, agent="codex"))[THREAD] == "Committed"
    assert {path.name: path.read_bytes() for path in home.iterdir() if path.name in before} == before
    named.connection.execute("ROLLBACK")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("CREATE TABLE threads (id TEXT, title TEXT, first_user_message TEXT, extra BLOB)", "By the title"),
        ("CREATE TABLE threads (id TEXT, name TEXT, tomorrow INT); CREATE TABLE other (x INT)", "By the name"),
        ("CREATE TABLE threads (id TEXT)", "Round the prices"),
        ("CREATE TABLE thread_turns (thread_id TEXT)", "Round the prices"),
    ],
)
def test_schemas_of_other_versions(home: Path, tmp_path: Path, schema: str, expected: str) -> None:
    rollout = Rollout()
    rollout.user("Round the prices")
    rollout.write(home)
    names = Names(home, schema)
    with closing(names.connection):
        columns = {row[1] for row in names.connection.execute("PRAGMA table_info(threads)")}
        if columns:
            values = {"name": "By the name", "title": "By the title", "first_user_message": "Round"}
            names.put(THREAD, **{key: value for key, value in values.items() if key in columns})
        assert titles(build(tmp_path / "data", home, agent="codex")) == {THREAD: expected}


def test_a_title_that_is_a_piece_of_the_prompt_is_no_name(home: Path, tmp_path: Path) -> None:
    prompt = "Please look at the cart.\n\nIt rounds the  prices twice."
    given = {THREAD: "the cart. It rounds the prices…", OTHER: "A name"}
    home.mkdir(exist_ok=True)
    names = Names(home)
    with closing(names.connection):
        for thread, title in given.items():
            rollout = Rollout(thread)
            rollout.user(prompt)
            rollout.write(home)
            names.put(thread, title=title, first_user_message=prompt)
        assert titles(build(tmp_path / "data", home, agent="codex")) == {
            THREAD: "Please look at the cart. It rounds the prices twice.",
            OTHER: "A name",
        }


def test_a_damaged_database_costs_only_the_names(home: Path, tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Round the prices")
    rollout.write(home)
    (home / "state_5.sqlite").write_bytes(b"no database" * 100)
    assert titles(build(tmp_path / "data", home, agent="codex")) == {THREAD: "Round the prices"}


def test_a_session_whose_rollout_is_gone_is_gone_although_it_has_a_name(
    named: Names, home: Path, tmp_path: Path
) -> None:
    path = next((home / "sessions").rglob(f"*{THREAD}.jsonl"))
    named.put(THREAD, name="Prices", rollout_path=f"/old/home/.codex/{path.relative_to(home).as_posix()}")
    update(tmp_path / "data", home, agent="codex")
    path.unlink()
    named.put(THREAD, name="Prices!", rollout_path=f"/old/home/.codex/{path.relative_to(home).as_posix()}")
    index = build(tmp_path / "data", home, agent="codex")
    assert {one.session_id: (one.title, one.gone) for one in index.sessions.all()} == {
        THREAD: ("Prices", True),
        OTHER: ("Another prompt", False),
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([THREAD, "message", "user"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = [
    *(
        "type",
        "role",
        "content",
        "text",
        "message",
        "payload",
        "call_id",
        "name",
        "arguments",
        "input",
        "output",
        "info",
    ),
    *("summary", "action", "item", "changes", "turn_id", "cwd", "git", "id", "history_base", "source", "tools"),
    *("last_agent_message", "replacement_history", "namespace", "status", "internal_chat_message_metadata_passthrough"),
]
KINDS = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "inter_agent_communication",
    "message",
]
TYPES = [
    *("message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "local_shell_call"),
    *("web_search_call", "tool_search_output", "image_generation_call", "agent_message", "user_message", "token_count"),
    *(
        "agent_reasoning",
        "task_complete",
        "item_completed",
        "patch_apply_end",
        "sub_agent_activity",
        "thread_name_updated",
    ),
]
PAYLOAD = st.builds(
    lambda kind, rest: {**rest, "type": kind},
    st.sampled_from(TYPES),
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=5),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.sampled_from(KINDS), PAYLOAD | JSON), max_size=6))
@example([("response_item", {"type": "web_search_call", "status": []})])
@example([("event_msg", {"type": "patch_apply_end", "call_id": "a", "status": {}})])
def test_no_value_is_too_strange(tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, Any]]) -> None:
    path = tmp_path_factory.mktemp("codex") / "rollout-2026-07-01T09-00-00-x.jsonl"
    time = "2026-07-01T09:00:00Z"
    lines = [json.dumps({"timestamp": time, "type": kind, "payload": value}).encode() for kind, value in entries]
    path.write_bytes(b"\n".join(lines) + b"\n")
    reading = opened(path)
    whole = list(reading)
    for record in whole:
        # A note about an unknown entry has the place of the message before it.
        if isinstance(record, Message) and [block.tool for block in record.blocks] != ["unknown"]:
            assert list(opened(path, reading.cursor(record)))[-1] == whole[-1]


def test_an_unknown_entry_before_a_damaged_head_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2026-07-01T09-00-00-x.jsonl"
    path.write_text('{"type": "hologram", "text": "seen from afar"}\n{"type": "session_meta", "payload": null}\n')
    entry, note = records(path)
    assert isinstance(entry, UnknownEntry)
    assert isinstance(note, Message)
    assert (entry.kind, note.blocks[0].text) == ("hologram", "hologram\nseen from afar")


@pytest.mark.parametrize(
    "text", ["\x00", "\ud800", "9" * 5000, "[" * 3000, "<a" * 20000, "`" * 30001, "@@ -1 +1 @@\n" * 3000]
)
def test_hostile_texts(home: Path, tmp_path: Path, text: str) -> None:
    rollout = Rollout()
    rollout.user("Go")
    content = orjson.dumps(text) if text.isascii() else b'"\\ud800"'
    for line in (
        b'{"type":"message","role":"user","content":[{"type":"input_text","text":%s}]}',
        b'{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]}',
        b'{"type":"function_call","name":"exec_command","call_id":"a","arguments":%s}',
        b'{"type":"custom_tool_call","name":"exec","call_id":"b","input":%s}',
        b'{"type":"function_call_output","call_id":"b","output":%s}',
    ):
        rollout.lines.append(
            b'{"timestamp":"2026-07-01T09:00:00Z","type":"response_item","payload":' + line % content + b"}"
        )
    rollout.write(home)
    index = build(tmp_path / "data", home, agent="codex")
    [source] = index.statistics.sources()
    assert (source.state, source.lines) == ("ok", 8)
    assert index.sessions.find(THREAD).tool_calls == 2


def test_a_session_that_memtui_writes_is_read_back(tmp_path: Path) -> None:
    at = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
    texts: list[Any] = [("user", "Round the prices"), ("assistant", "Rounded."), ("user", "Thanks")]
    messages = [NewMessage(role, text, at + timedelta(minutes=place)) for place, (role, text) in enumerate(texts)]
    made = Codex().session_file(
        NewSession(THREAD, "Prices", CWD, "fix/prices", tuple(messages)), {"CODEX_HOME": str(tmp_path)}
    )
    local = at.astimezone()
    folder = tmp_path / "sessions" / f"{local:%Y/%m/%d}"
    assert made.path == folder / f"rollout-{local:%Y-%m-%dT%H-%M-%S}-{THREAD}.jsonl"
    made.path.parent.mkdir(parents=True)
    made.path.write_bytes(made.content)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="codex")
    session = index.sessions.find(THREAD)
    assert said(index) == [[("user", "Round the prices"), ("text", "Rounded.")], [("user", "Thanks")]]
    assert (session.cwd, session.title, session.branch) == (CWD, "Prices", "fix/prices")
    assert [(turn.started_at, turn.ended_at) for turn in index.sessions.turns(session.key)] == [
        (at, at + timedelta(minutes=1)),
        (at + timedelta(minutes=2), at + timedelta(minutes=2)),
    ]
    assert index.statistics.by_agent()["codex"].unknown_entries == {}
    kinds = [(line["type"], line["payload"].get("type")) for line in map(orjson.loads, made.content.splitlines())]
    assert kinds == [
        ("session_meta", None),
        ("response_item", "message"),
        ("event_msg", "user_message"),
        ("response_item", "message"),
        ("event_msg", "agent_message"),
        ("response_item", "message"),
        ("event_msg", "user_message"),
        ("event_msg", "thread_name_updated"),
    ]


def test_a_transcript_that_was_deleted_meanwhile_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2026-07-01T09-00-00-x.jsonl"
    reading = Codex().read(Transcript("codex", path, 1, 1), START)
    with pytest.raises(SourceUnreadable):
        list(reading)
