"""Prompts that outlive their transcripts: sessions of prompts only, until the transcript is known."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.agents.claude_code.reader import ClaudeCode
from memtui_core.readers.agents.codex.reader import Codex
from memtui_core.readers.base import START
from memtui_core.readers.locations import Location
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.system.walk import RegularFile
from support.conversations import shown
from support.indexes import update
from support.pictures import picture
from support.rollouts import OTHER as ROLLOUT
from support.rollouts import Rollout
from support.transcripts import OTHER_SESSION, SESSION, Script

SHOP, SITE = "/home/ana/code/shop", "/home/ana/code/site"
AT = 1_782_810_000_000
NOTICE = ("note notification", "Only the prompts are left: the transcript is not on the disk.")


def line(session: str | None, text: Any, number: int = 0, project: str = SHOP, **more: Any) -> dict[str, Any]:
    entry = {"display": text, "pastedContents": {}, "timestamp": AT + number * 1000, "project": project, **more}
    return entry | ({"sessionId": session} if session else {})


def write(tmp_path: Path, entries: Iterable[Any]) -> Path:
    path = tmp_path / ".claude" / "history.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{entry if isinstance(entry, str) else json.dumps(entry)}\n" for entry in entries))
    return path


def read(tmp_path: Path, agent: str = "claude-code", folder: str = ".claude") -> Index:
    with Indexer(tmp_path / "data") as indexer:
        locations = [Location(agent, path) for path in sorted((tmp_path / folder).glob("*"))]
        for _ in indexer.update(locations):
            pass
    return Index.open(tmp_path / "data")


LINES = [
    line(SESSION, "Round the prices", 0),
    line(
        SESSION,
        "Like this: [Pasted text #1 +2 lines] and [Pasted text #2]",
        1,
        pastedContents={"1": {"content": "a\nb"}},
    ),
    line(OTHER_SESSION, "Fix the site", 2, SITE),
    line(SESSION, "/clear", 3),
    line(SESSION, "!git status", 4),
    line(SESSION, "/home/ana/x.py fails", 5),
]
PROMPTS = [
    ("human", [("user", "Round the prices"), NOTICE]),
    (
        "human",
        [
            ("user", "Like this: a\nb and [Pasted text #2]"),
            ("note command", "/clear"),
            ("note shell", "!git status"),
        ],
    ),
    ("human", [("user", "/home/ana/x.py fails")]),
]


def test_the_prompts_of_deleted_sessions(tmp_path: Path) -> None:
    write(tmp_path, LINES)
    index = read(tmp_path)
    sessions = {session.session_id: session for session in index.sessions.all()}
    assert {name: (one.title, one.cwd, one.only_prompts) for name, one in sessions.items()} == {
        SESSION: ("Round the prices", SHOP, True),
        OTHER_SESSION: ("Fix the site", SITE, True),
    }
    assert shown(index, SESSION) == PROMPTS
    assert sessions[SESSION].started_at == datetime.fromtimestamp(AT / 1000, UTC)
    assert resume_command(sessions[SESSION]) is None
    # Whether the last prompt was answered is unknown.
    assert not any(turn.provisional for turn in index.sessions.turns(sessions[SESSION].key))
    assert [hit.session_id for hit in index.search("site").hits] == [OTHER_SESSION]
    assert {source.state for source in index.statistics.sources()} == {"prompts"}


def transcript(tmp_path: Path, session: str = SESSION, cwd: str = SHOP) -> Path:
    script = Script(session, cwd)
    script.user("Round the prices")
    script.says("Rounded.")
    script.user("Thanks")
    folder = tmp_path / ".claude" / "projects" / cwd.replace("/", "-")
    return script.write(folder)


WHOLE = [("human", [("user", "Round the prices"), ("text", "Rounded.")]), ("human", [("user", "Thanks")])]


@pytest.mark.parametrize("order", ["transcript first", "prompts first", "both", "elsewhere"])
def test_a_known_transcript_counts_in_any_order(tmp_path: Path, order: str) -> None:
    """Whether it is read before, after or with the prompts, is on the disk or gone, or lies in an unusual folder."""
    if order == "prompts first":
        write(tmp_path, LINES)
        assert shown(read(tmp_path), SESSION) == PROMPTS
    path = transcript(tmp_path)
    if order == "elsewhere":
        (path.parent.parent / "moved").mkdir()
        path.rename(path.parent.parent / "moved" / path.name)
    if order == "transcript first":
        read(tmp_path)
        path.unlink()
    write(tmp_path, LINES)
    for _ in range(2):
        index = read(tmp_path)
        assert shown(index, SESSION) == WHOLE
        assert [turn.number for turn in index.sessions.turns(index.sessions.find(SESSION).key)] == [1, 2]
        assert {one.session_id: one.only_prompts for one in index.sessions.all()} == {
            SESSION: False,
            OTHER_SESSION: True,
        }
        assert [hit.turn for hit in index.search("like this").hits] == []


def test_the_prompts_do_not_come_back_when_the_transcript_is_deleted_or_the_file_grows(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    write(tmp_path, LINES)
    read(tmp_path)
    path.unlink()
    assert shown(read(tmp_path), SESSION) == WHOLE
    write(tmp_path, [*LINES, line(SESSION, "One more", 9), line(OTHER_SESSION, "More of the site", 10, SITE)])
    index = read(tmp_path)
    assert shown(index, SESSION) == WHOLE
    assert [blocks[0] for _, blocks in shown(index, OTHER_SESSION)] == [
        ("user", "Fix the site"),
        ("user", "More of the site"),
    ]
    assert index.sessions.find(SESSION).gone


def test_the_file_grows_as_if_it_was_read_at_once(tmp_path: Path) -> None:
    for count in range(1, len(LINES) + 1):
        write(tmp_path, LINES[:count])
        read(tmp_path)
    update(tmp_path / "fresh", tmp_path / ".claude" / "history.jsonl", agent="claude-code")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")


def test_prompts_of_versions_without_sessions_are_those_of_a_project(tmp_path: Path) -> None:
    write(tmp_path, [line(None, "One", 0), line(None, "Two", 1), line("bad/../id", "Three", 2, SITE)])
    index = read(tmp_path)
    found = {one.cwd: [blocks[0][1] for _, blocks in shown(index, one.session_id)] for one in index.sessions.all()}
    assert found == {SHOP: ["One", "Two"], SITE: ["Three"]}
    assert all(one.session_id.startswith("prompts-") for one in index.sessions.all())


def test_bad_lines_cost_themselves(tmp_path: Path) -> None:
    write(tmp_path, [LINES[0], "no json", line(SESSION, 5), "[1]", line(SESSION, "Go on", 3)])
    index = read(tmp_path)
    assert [blocks[0] for _, blocks in shown(index, SESSION)] == [("user", "Round the prices"), ("user", "Go on")]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines ORDER BY line") == [
        (1, "not JSON"),
        (2, "not a JSON object"),
    ]


def test_other_files_of_that_name(tmp_path: Path) -> None:
    """A transcript may have the name; and an empty file is nothing."""
    script = Script()
    script.user("Hello")
    path = script.write(tmp_path / ".claude", "history.jsonl")
    assert shown(read(tmp_path), SESSION) == [("human", [("user", "Hello")])]
    path.write_text("")
    codex = tmp_path / ".codex" / "history.jsonl"
    codex.parent.mkdir()
    codex.write_text('{"session_id": "a", "ts": 1, "text": "Hi"}\n')
    assert [getattr(reader_for(one), "agent", None) for one in (path, codex)] == ["claude-code", "codex"]


def test_the_prompts_of_codex(tmp_path: Path) -> None:
    """A session is left out while its rollout is there."""
    seconds = int(datetime(2026, 7, 1, 9, tzinfo=UTC).timestamp())
    lines = [
        {"session_id": "gone", "ts": seconds, "text": "Round the prices"},
        {"session_id": ROLLOUT, "ts": seconds + 1, "text": "Here"},
        {"session_id": "gone", "ts": "?", "text": "Thanks"},
        {"session_id": "gone", "ts": True, "text": ""},
        {"session_id": 7, "ts": seconds, "text": "Nobody's"},
    ]
    home = tmp_path / ".codex"
    rollout = Rollout(ROLLOUT)
    rollout.user("Here")
    rollout.answer("There.")
    rollout.write(home)
    (home / "history.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    index = read(tmp_path, "codex", ".codex")
    assert shown(index, "gone") == [
        ("human", [("user", "Round the prices"), NOTICE]),
        ("human", [("user", "Thanks")]),
    ]
    assert shown(index, ROLLOUT) == [("human", [("user", "Here"), ("text", "There.")])]
    assert {one.session_id: one.only_prompts for one in index.sessions.all()} == {"gone": True, ROLLOUT: False}
    assert sorted(Path(source.path).name for source in index.statistics.sources()) == [
        "history.jsonl#gone",
        rollout.name,
    ]


def test_their_locations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are looked at if they are there."""
    for reader, variable, folder in ((ClaudeCode(), "CLAUDE_CONFIG_DIR", "claude"), (Codex(), "CODEX_HOME", "codex")):
        home = tmp_path / folder
        home.mkdir()
        before = list(reader.default_locations({variable: str(home)}))
        (home / "history.jsonl").touch()
        assert list(reader.default_locations({variable: str(home)})) == [*before, home / "history.jsonl"]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([SESSION, "/", "!"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["1", "content"]), inner, max_size=2),
    max_leaves=5,
)
NAMES = ["display", "pastedContents", "timestamp", "project", "sessionId", "session_id", "ts", "text"]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES), max_size=6))
def test_no_value_is_an_error(tmp_path_factory: pytest.TempPathFactory, entries: list[Any]) -> None:
    first = line(SESSION, "Hi") | {"session_id": "x", "ts": 1, "text": "Hi"}
    path = write(tmp_path_factory.mktemp("history"), [first, *entries])
    for reader in (ClaudeCode(), Codex()):
        transcripts = list(reader.transcripts(RegularFile(path, path.stat().st_size, path.stat().st_mtime_ns)))
        assert transcripts
        for one in transcripts:
            reading = reader.read(one, START)
            assert list(reading) == list(reader.read(one, START))
