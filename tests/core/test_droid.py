"""Sessions of Droid: lines that are only appended."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.index import Index
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.droid import Droid
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.edits import Edit
from support.conversations import assert_grows, jsonl, shown, tool_calls
from support.indexes import build

ROOT = "/home/ana/code/shop"
ID = "4e5f6a7b-1111-4222-8333-444455556666"
HEAD = {"type": "session_start", "id": ID, "title": "x", "sessionTitle": "Prices", "cwd": ROOT, "version": "0.81.0"}


def message(number: int, role: str, *parts: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    at = f"2026-07-01T09:00:{number:02}.000Z"
    return {"type": "message", "id": f"m{number}", "timestamp": at, "message": {"role": role, "content": content}}


def use(tool_id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": arguments}


def result(tool_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool_id, "content": content, **more}


REMINDER = "<system-reminder>\nBe brief\n</system-reminder>"
CHANGES = {"file_path": "a.py", "changes": [{"old_str": "x", "new_str": "y"}, {"old_str": "p", "new_str": "q"}]}
EDIT = {"file_path": f"{ROOT}/price.py", "old_str": "return x", "new_str": "return y"}
FAILURE = "Error: Command failed (exit code: 1)\n1 failed"
ENTRIES = [
    HEAD,
    message(1, "user", f"{REMINDER}\n\nRound the prices"),
    message(
        2,
        "assistant",
        {"type": "thinking", "thinking": "Two digits."},
        "I round them.",
        use("t1", "Edit", EDIT),
        use("t2", "MultiEdit", CHANGES),
        use("t3", "Execute", {"command": "pytest"}),
    ),
    message(3, "user", result("t1", "Edited"), result("t2", [{"type": "text", "text": "Both"}]), result("t3", FAILURE)),
    {"type": "todo_state", "todos": []},
    message(4, "assistant", "Done.", {"type": "radar"}),
    {"type": "compaction_state", "id": "c", "timestamp": "2026-07-01T09:01:00.000Z", "summaryText": "Rounded so far."},
    message(5, "assistant", "Going on."),
    message(6, "user", {"type": "image", "source": {"media_type": "image/png", "data": "A" * 4000}}),
    {"type": "weather"},
]
EXPECTED = [
    (
        "human",
        [
            ("user", "Round the prices"),
            ("note reminder", REMINDER),
            ("thinking", "Two digits."),
            ("text", "I round them."),
            ("tool_call Edit", json.dumps(EDIT, separators=(",", ":"))),
            ("tool_call MultiEdit", json.dumps(CHANGES, separators=(",", ":"))),
            ("tool_call Execute", '{"command":"pytest"}'),
            ("tool_result Edit", "Edited"),
            ("tool_result MultiEdit", "Both"),
            ("tool_result Execute!", FAILURE),
            ("text", "Done."),
        ],
    ),
    ("compaction", [("user", "Rounded so far."), ("text", "Going on.")]),
    ("human", [("image", "[image/png 3 kB]")]),
]


def session_file(tmp_path: Path, name: str = ID) -> Path:
    folder = tmp_path / "home" / ".factory" / "sessions" / "-home-ana-code-shop"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.jsonl"


def index_of(tmp_path: Path) -> Index:
    return build(tmp_path / "data", tmp_path / "home", agent="droid")


def test_everything_in_a_session(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    path.write_text(jsonl(ENTRIES))
    path.with_suffix(".settings.json").write_text('{"model": "opus-5"}')
    index = index_of(tmp_path)
    (session,) = index.sessions()
    assert shown(index, ID) == EXPECTED
    assert (session.agent, session.cwd, session.project, session.title) == ("droid", ROOT, "shop", "Prices")
    assert (session.version, session.models, session.compactions) == ("0.81.0", ("opus-5",), 1)
    assert session.started_at == datetime(2026, 7, 1, 9, 0, 1, tzinfo=UTC)
    assert resume_command(session) == ["droid", "--resume", ID]
    assert Droid().start_command("Hi") == ["droid", "Hi"]
    edit, several, run = tool_calls(index, ID)
    assert diff_of(edit) == "@@ -1,1 +1,1 @@\n-return x\n+return y"
    assert several.edits == (Edit("a.py", "replace", "x", "y"), Edit("a.py", "replace", "p", "q"))
    assert (run.command, run.exit_code) == ("pytest", 1)
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line") == [(5, "radar"), (9, "weather")]


def test_a_subagent_belongs_to_its_call(tmp_path: Path) -> None:
    task = {"subagent_type": "explorer", "description": "Look", "prompt": "Find the prices"}
    parent = [HEAD, message(1, "user", "Where?"), message(2, "assistant", use("t1", "Task", task))]
    session_file(tmp_path).write_text(jsonl(parent))
    child = [HEAD | {"id": "child", "callingSessionId": ID}, message(3, "user", "Find the prices")]
    session_file(tmp_path, "child").write_text(jsonl(child))
    index = index_of(tmp_path)
    (started,) = index.subagents(index.find_session(ID).key)
    assert (started.session_id, started.parent_tool_id) == ("child", "t1")
    assert shown(index, "child") == [("agent", [("user", "Find the prices")])]


@pytest.mark.parametrize("seed", range(3))
def test_a_file_that_grows_comes_to_the_same(tmp_path: Path, seed: int) -> None:
    late = message(8, "assistant", use("t9", "Read", {"file_path": f"{ROOT}/src/late.py"}))
    entries = [*ENTRIES, message(7, "user", "And?"), late]
    assert_grows(tmp_path, "droid", session_file(tmp_path, "copy"), jsonl(entries).encode(), seed=seed)


def test_bad_lines_cost_themselves(tmp_path: Path) -> None:
    session_file(tmp_path).write_text(jsonl(ENTRIES[:1]) + "no JSON\n" + jsonl([message(1, "user", "Hi")]) + '{"ty')
    index = index_of(tmp_path)
    assert shown(index, ID) == [("human", [("user", "Hi")])]
    assert [one.state for one in index.sources()] == ["waiting"]
    assert index.snapshot.rows("SELECT line FROM bad_lines") == [(1,)]


def test_which_files_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session_file(tmp_path)
    assert [Droid().accepts(one) for one in (path, path.with_suffix(".settings.json"))] == [True, False]
    copy, other = tmp_path / "copy.jsonl", tmp_path / "other.jsonl"
    copy.write_text(jsonl(ENTRIES))
    other.write_text(jsonl([{"type": "session", "id": "1"}]))
    assert [getattr(reader_for(one), "agent", None) for one in (copy, other)] == ["droid", "claude-code"]
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Droid().default_locations({}) == [tmp_path / ".factory" / "sessions"]
    assert Droid().default_locations({"FACTORY_DIR": "/f"}) == [Path("/f/sessions")]


KEYS = [
    "type",
    "id",
    "message",
    "role",
    "content",
    "text",
    "thinking",
    "name",
    "input",
    "tool_use_id",
    "is_error",
    "cwd",
]
TEXTS = ["message", "session_start", "compaction_state", "user", "assistant", "text", "tool_use", "tool_result"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)
PART = st.fixed_dictionaries({"type": st.sampled_from(TEXTS[5:]), "text": VALUES, "content": VALUES, "input": VALUES})
BODY = st.fixed_dictionaries({"role": st.sampled_from(TEXTS[3:5]), "content": st.lists(PART | VALUES)})


@settings(deadline=None, max_examples=100)
@given(st.lists(st.fixed_dictionaries({"type": st.sampled_from(TEXTS), "message": BODY | VALUES}) | VALUES, max_size=5))
def test_no_value_is_an_error(tmp_path_factory: pytest.TempPathFactory, entries: list[Any]) -> None:
    path = tmp_path_factory.mktemp("hostile") / "a.jsonl"
    path.write_text(jsonl(entries))
    transcript = Transcript("droid", path, path.stat().st_size, 1)
    records = list(Droid().read(transcript, START))
    assert list(Droid().read(transcript, START)) == records
