"""Sessions of Antigravity: steps of the user, the planner and tools."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.readers.agents.antigravity.reader import Antigravity
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.edits import Edit
from support.conversations import assert_grow, jsonl, shown, tool_calls
from support.indexes import build
from support.systems import HOME_VARIABLE

ROOT = "/home/ana/code/shop"
ID = "9d8c7b6a-1111-4222-8333-444455556666"


def step(number: int, source: str, kind: str, content: str = "", **more: Any) -> dict[str, Any]:
    known = {"step_index": number, "source": source, "type": kind, "status": "DONE", "content": content}
    return {**known, "created_at": f"2026-07-01T09:00:{number:02}Z", **more}


def planner(number: int, *calls: tuple[str, dict[str, str]], content: str = "", thinking: str = "") -> dict[str, Any]:
    listed = [{"name": name, "args": arguments} for name, arguments in calls]
    return step(number, "MODEL", "PLANNER_RESPONSE", content, thinking=thinking, tool_calls=listed)


REQUEST = (
    "<USER_REQUEST>\nRound the prices\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\nModel: Gemini\n</USER_SETTINGS_CHANGE>"
)
CHUNKS = '[{"TargetContent": "a", "ReplacementContent": "b"}, {"TargetContent": "c", "ReplacementContent": "d"}]'
EDIT = {"TargetFile": f'"{ROOT}/price.py"', "TargetContent": '"return x"', "ReplacementContent": '"return y"'}
STEPS = [
    step(0, "USER_EXPLICIT", "USER_INPUT", REQUEST),
    step(1, "SYSTEM", "CONVERSATION_HISTORY"),
    planner(
        2,
        ("run_command", {"CommandLine": '"pytest -q"', "Cwd": f'"{ROOT}/src"'}),
        ("replace_file_content", EDIT),
        ("multi_replace_file_content", {"TargetFile": '"b.py"', "ReplacementChunks": CHUNKS}),
        content="I round them.",
        thinking="Two digits.",
    ),
    step(3, "MODEL", "CODE_ACTION", "[diff_block_start]\n@@ -1,1 +1,1 @@\n-return x\n+return y\n[diff_block_end]"),
    step(4, "MODEL", "RUN_COMMAND", "1 failed", status="ERROR"),
    step(5, "MODEL", "VIEW_FILE", "File Path: a.py"),
    step(6, "SYSTEM", "SYSTEM_MESSAGE", "Be brief"),
    step(7, "SYSTEM", "ERROR_MESSAGE", "No quota"),
    step(8, "SYSTEM", "CHECKPOINT", "# So far: rounded"),
    planner(9, content="Going on."),
    step(10, "USER_EXPLICIT", "USER_INPUT", "Thanks"),
    step(11, "OTHER", "RADAR", "?"),
]
EXPECTED = [
    (
        "human",
        [
            ("user", "Round the prices"),
            ("note reminder", "Model: Gemini"),
            ("thinking", "Two digits."),
            ("text", "I round them."),
            ("tool_call run_command", '{"CommandLine":"pytest -q","Cwd":"/home/ana/code/shop/src"}'),
            (
                "tool_call replace_file_content",
                '{"TargetFile":"/home/ana/code/shop/price.py","TargetContent":"return x",'
                '"ReplacementContent":"return y"}',
            ),
            (
                "tool_call multi_replace_file_content",
                '{"TargetFile":"b.py","ReplacementChunks":[{"TargetContent":"a","ReplacementContent":"b"},'
                '{"TargetContent":"c","ReplacementContent":"d"}]}',
            ),
            ("tool_result replace_file_content", STEPS[3]["content"]),
            ("tool_result run_command!", "1 failed"),
            ("tool_call view_file", "{}"),
            ("tool_result view_file", "File Path: a.py"),
            ("note reminder", "Be brief"),
            ("note error!", "No quota"),
        ],
    ),
    ("compaction", [("user", "# So far: rounded"), ("text", "Going on.")]),
    ("human", [("user", "Thanks")]),
]


def logs(tmp_path: Path, session: str = ID) -> Path:
    folder = tmp_path / "home" / ".gemini" / "antigravity-cli" / "brain" / session / ".system_generated" / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def index_of(tmp_path: Path) -> Index:
    return build(tmp_path / "data", tmp_path / "home", agent="antigravity")


def test_everything_in_a_session(tmp_path: Path) -> None:
    (logs(tmp_path) / "transcript.jsonl").write_text(jsonl(STEPS))
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    assert shown(index, ID) == EXPECTED
    assert (session.agent, session.session_id, session.cwd) == ("antigravity", ID, f"{ROOT}/src")
    assert session.compactions == 1
    assert session.started_at == datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
    assert resume_command(session) == ["agy", "--conversation", ID]
    assert Antigravity().start_command("Hi") == ["agy", "-i", "Hi"]
    run, edit, several, view = tool_calls(index, ID)
    assert (run.command, run.is_error, several.result, view.family) == ("pytest -q", True, None, "read")
    assert (edit.path, diff_of(edit)) == (f"{ROOT}/price.py", "@@ -1,1 +1,1 @@\n-return x\n+return y")
    assert several.edits == (Edit("b.py", "replace", "a", "b"), Edit("b.py", "replace", "c", "d"))
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries") == [(11, "RADAR")]


def test_a_checkpoint_before_the_first_answer_is_no_compaction(tmp_path: Path) -> None:
    """Also when reading continues after it; a later one is a compaction."""
    first = step(1, "SYSTEM", "CHECKPOINT", "{{ CHECKPOINT 0 }}")
    steps = [STEPS[0], first, planner(2, content="I round."), step(3, "USER_EXPLICIT", "USER_INPUT", "Thanks")]
    steps += [step(4, "SYSTEM", "CHECKPOINT", "{{ CHECKPOINT 0 }}\nSo far: rounded")]
    for count in (2, 4, 5):
        (logs(tmp_path) / "transcript.jsonl").write_text(jsonl(steps[:count]))
        index = index_of(tmp_path)
    assert shown(index, ID) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("note reminder", "Model: Gemini"),
                ("note reminder", "{{ CHECKPOINT 0 }}"),
                ("text", "I round."),
            ],
        ),
        ("human", [("user", "Thanks")]),
        ("compaction", [("user", "{{ CHECKPOINT 0 }}\nSo far: rounded")]),
    ]


def test_the_complete_transcript_is_read_in_place_of_the_short_one(tmp_path: Path) -> None:
    short = [STEPS[0], step(1, "MODEL", "PLANNER_RESPONSE", "I rou", truncated_fields=["content"])]
    (logs(tmp_path) / "transcript.jsonl").write_text(jsonl(short))
    (logs(tmp_path) / "transcript_full.jsonl").write_text(jsonl(STEPS))
    index = index_of(tmp_path)
    assert shown(index, ID) == EXPECTED
    assert {Path(one.path).name: one.state for one in index.statistics.sources()} == {
        "transcript.jsonl": "ignored",
        "transcript_full.jsonl": "ok",
    }


def test_files_that_grow_come_to_the_same(tmp_path: Path) -> None:
    """It takes more than two seconds because an index is made in many steps."""
    elsewhere = ("run_command", {"CommandLine": '"ls"', "Cwd": f'"{ROOT}/src/deep"'})
    late = planner(13, elsewhere, ("view_file", {"AbsolutePath": '"late.py"'}))
    steps = [*STEPS, step(12, "USER_EXPLICIT", "USER_INPUT", "And?"), late, step(14, "MODEL", "VIEW_FILE", "x")]
    ids = [f"{number}{ID[1:]}" for number in range(3)]
    files = {logs(tmp_path, one) / "transcript.jsonl": jsonl(steps).encode() for one in ids}
    assert_grow(tmp_path, "antigravity", files)


def test_a_reading_that_continues_knows_the_first_working_directory(tmp_path: Path) -> None:
    path = logs(tmp_path) / "transcript.jsonl"
    path.write_text(jsonl([*STEPS[:11], planner(11, ("run_command", {"CommandLine": '"ls"', "Cwd": '"/tmp"'}))]))
    transcript = Transcript("antigravity", path, path.stat().st_size, 1)
    reading = Antigravity().read(transcript, START)
    messages = [record for record in reading if isinstance(record, Message)]
    again = Antigravity().read(transcript, reading.cursor(messages[-2]))
    assert (list(again), again.facts) == (messages[-2:], reading.facts)


def test_which_files_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = logs(tmp_path)
    names = ("transcript.jsonl", "transcript_full.jsonl", "other.jsonl", "overview.txt")
    assert [Antigravity().accepts(folder / name) for name in names] == [True, True, False, False]
    copy = tmp_path / "copy.jsonl"
    copy.write_text(jsonl(STEPS))
    assert getattr(reader_for(copy), "agent", None) == "antigravity"
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    assert Antigravity().default_locations({}) == [tmp_path / "home" / ".gemini" / "antigravity-cli" / "brain"]
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "new"))
    assert Antigravity().default_locations({}) == [tmp_path / "new" / ".gemini" / "antigravity" / "brain"]


def test_bad_lines_cost_themselves(tmp_path: Path) -> None:
    path = logs(tmp_path) / "transcript.jsonl"
    path.write_text(jsonl([STEPS[10]]) + "no JSON\n" + jsonl([planner(11, content="Hello")]) + '{"step_index": 1')
    index = index_of(tmp_path)
    assert shown(index, ID) == [("human", [("user", "Thanks"), ("text", "Hello")])]
    assert ([one.state for one in index.statistics.sources()], index.snapshot.rows("SELECT line FROM bad_lines")) == (
        ["waiting"],
        [(1,)],
    )


KEYS = [
    *("source", "type", "content", "thinking", "tool_calls", "name", "args", "Cwd", "step_index", "created_at"),
    "status",
]
TEXTS = [
    *("USER_EXPLICIT", "MODEL", "SYSTEM", "PLANNER_RESPONSE", "CODE_ACTION", "CHECKPOINT"),
    *('"', "{", "<USER_REQUEST>"),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=8,
)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6) | VALUES, max_size=6))
def test_no_value_is_an_error(tmp_path_factory: pytest.TempPathFactory, entries: list[Any]) -> None:
    path = tmp_path_factory.mktemp("hostile") / "a.jsonl"
    path.write_text(jsonl(entries))
    transcript = Transcript("antigravity", path, path.stat().st_size, 1)
    records = list(Antigravity().read(transcript, START))
    assert list(Antigravity().read(transcript, START)) == records
