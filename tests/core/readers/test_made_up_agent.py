"""An agent that does not exist is added by its package and one line; nothing else in memtui knows of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memtui.cli import cli
from memtui.wording.formatting import agent_name
from memtui_brook.database import SCHEMA
from memtui_brook.reader import Brook
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.readers import registry
from memtui_core.readers.agents.claude_code.reader import ClaudeCode
from memtui_core.readers.base import Retention, Transcript
from memtui_core.readers.locations import Location, Scan, default_locations, narrowed, retention
from memtui_core.tools.edits import Edit
from memtui_core.tools.pairing import paired
from support.indexes import update, whole_turns
from support.pictures import picture
from support.registered import registered
from support.transcripts import SESSION, Script

Said = tuple[str, str]


@pytest.fixture(autouse=True)
def brook() -> Iterator[None]:
    with registered(Brook()):
        yield


def message(role: str, text: str, number: int) -> dict[str, Any]:
    return {"role": role, "text": text, "at": f"2026-11-01T09:00:{number:02}Z"}


class Home:
    """The location of the agent: a session in a folder, and one in a database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder, self.database = path / "one.brook", path / "brook.db"
        self.folder.mkdir(parents=True)
        about = {"session": "one", "cwd": "/home/ana/code/shop", "title": "In files"}
        (self.folder / "about.json").write_text(json.dumps(about))
        self.connection = sqlite3.connect(self.database, isolation_level=None)
        self.connection.executescript(SCHEMA)
        self.connection.execute("INSERT INTO sessions VALUES ('two', '/home/ana/code/blog', 'In rows')")
        self.clock = 0

    def say(self, *said: Said, session: str = "") -> None:
        """Add messages to both sessions, or only to one."""
        for role, text in said:
            number = self.clock = self.clock + 1
            if session in ("", "one"):
                (self.folder / f"{number:04}.json").write_text(json.dumps(message(role, text, number)))
            if session in ("", "two"):
                self.connection.execute(
                    "INSERT INTO messages (session, role, text, at, updated) VALUES ('two', :role, :text, :at, :now)",
                    {**message(role, text, number), "now": number},
                )

    def change(self, number: int, text: str) -> None:
        """Write another text into a message of both."""
        self.clock += 1
        (self.folder / f"{number:04}.json").write_text(json.dumps(message("person", text, number)))
        self.connection.execute(
            "UPDATE messages SET text = ?, updated = ? WHERE number = ?", [text, self.clock, number]
        )


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "home")
    made.say(("person", "Please round the prices"), ("agent", "Rounded to cents."))
    made.say(("person", "Also the discounts"), ("agent", "Those, too."))
    yield made
    made.connection.close()


def look(indexer: Indexer, home: Home, changed: Sequence[Path] | None = None) -> tuple[int, int, int]:
    """Take in what changed; how many transcripts were read, and how many turns and blocks written."""
    before = Counts(**{name: getattr(indexer.counts, name) for name in Counts.__slots__})
    for _ in indexer.update([Location(None, home.path)], changed=changed):
        pass
    now = indexer.counts
    return (
        now.files_read - before.files_read,
        now.turns_written - before.turns_written,
        now.blocks_written - before.blocks_written,
    )


def texts(index: Index, session_id: str) -> list[list[str]]:
    return [[text for _, text in blocks] for _, blocks in whole_turns(index, session_id)]


ROUNDED = [["Please round the prices", "Rounded to cents."], ["Also the discounts", "Those, too."]]


def cli_rows(data: Path, *arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(cli, [*arguments, "--json", "--data-dir", str(data)])
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


def test_it_is_found_in_its_own_location_and_shown_like_any_other(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROOK_HOME", str(home.path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    script = Script()
    script.user("Which prices?")
    path = script.write(tmp_path / "claude" / "projects" / "shop")
    assert [one for one in default_locations() if one.agent in {"claude-code", "brook"}] == [
        Location("claude-code", tmp_path / "claude" / "projects"),
        Location("brook", home.path),
    ]
    data = tmp_path / "data"
    (counts,) = cli_rows(data, "index", "--no-embed")
    assert (counts["files_read"], counts["turns_written"], counts["failed_sources"]) == (3, 5, 0)
    assert {one.session_id: (one.agent, one.project, one.title) for one in Index.open(data).sessions.all()} == {
        SESSION: ("claude-code", "shop", "Which prices?"),
        "one": ("brook", "shop", "In files"),
        "two": ("brook", "blog", "In rows"),
    }
    assert {(row["session_id"], row["turn"]) for row in cli_rows(data, "search", "discounts agent:brook")} == {
        ("one", 2),
        ("two", 2),
    }
    assert [(row["path"], row["agent"], row["state"], row["lines"]) for row in cli_rows(data, "doctor")[:-1]] == [
        (str(path), "claude-code", "ok", 1),
        (f"{home.database}#two", "brook", "ok", 4),
        (str(home.folder), "brook", "ok", 4),
    ]


def test_every_file_of_a_named_folder_is_read_by_the_reader_that_accepts_it(home: Home, tmp_path: Path) -> None:
    script = Script()
    script.user("Which prices?")
    script.write(home.path / "logs")
    (home.path / "notes.txt").write_text("nothing")
    with Indexer(tmp_path / "data") as indexer:
        assert look(indexer, home) == (3, 5, 9)
    assert [
        (Path(one.path).name, one.agent, one.state) for one in Index.open(tmp_path / "data").statistics.sources()
    ] == [
        ("brook.db#two", "brook", "ok"),
        (f"{SESSION}.jsonl", "claude-code", "ok"),
        ("notes.txt", "", "ignored"),
        ("one.brook", "brook", "ok"),
    ]


@pytest.mark.parametrize("another_process", [False, True])
def test_only_what_came_is_read(home: Home, tmp_path: Path, another_process: bool) -> None:
    data = tmp_path / "data"
    indexer = Indexer(data)
    assert look(indexer, home) == (2, 4, 8)
    if another_process:
        indexer.close()
        indexer = Indexer(data)
    assert look(indexer, home) == (0, 0, 0)
    home.say(("agent", "Tested."))
    # The rows are gone on with by the process that read them; of the files, and by another one, the turn is read again.
    assert look(indexer, home) == (2, 2, 6 if another_process else 4)
    indexer.close()
    index = Index.open(data)
    grown = [ROUNDED[0], [*ROUNDED[1], "Tested."]]
    assert (texts(index, "one"), texts(index, "two")) == (grown, grown)
    with Indexer(tmp_path / "fresh") as fresh:
        look(fresh, home)
    assert picture(data) == picture(tmp_path / "fresh")


@pytest.mark.parametrize("another_process", [False, True])
@pytest.mark.parametrize("number", [1, 3])
def test_what_was_rewritten_is_read_again(home: Home, tmp_path: Path, another_process: bool, number: int) -> None:
    data = tmp_path / "data"
    indexer = Indexer(data)
    look(indexer, home)
    home.change(number, "Please double the prices at once")
    home.say(("agent", "Done."))
    if another_process:
        indexer.close()
        indexer = Indexer(data)
    # Only the last turn, unless an earlier one is another one now.
    assert look(indexer, home) == ((2, 4, 10) if number == 1 else (2, 2, 6))
    indexer.close()
    expected = [[*ROUNDED[0]], [*ROUNDED[1], "Done."]]
    expected[number // 2][0] = "Please double the prices at once"
    assert (texts(Index.open(data), "one"), texts(Index.open(data), "two")) == (expected, expected)
    with Indexer(tmp_path / "fresh") as fresh:
        look(fresh, home)
    assert picture(data) == picture(tmp_path / "fresh")


@pytest.mark.parametrize("narrow", [False, True])
def test_what_was_deleted_stays_readable(home: Home, tmp_path: Path, narrow: bool) -> None:
    data = tmp_path / "data"
    home.connection.execute("INSERT INTO messages VALUES (90, 'three', 'person', 'Stays', NULL, 90)")
    with Indexer(data) as indexer:
        look(indexer, home)
        message_file = home.folder / "0001.json"
        for path in home.folder.iterdir():
            path.unlink()
        home.folder.rmdir()
        home.connection.execute("DELETE FROM messages WHERE session = 'two'")
        assert look(indexer, home, [message_file, home.database] if narrow else None) == (0, 0, 0)
    index = Index.open(data)
    assert {one.session_id: one.gone for one in index.sessions.all()} == {"one": True, "two": True, "three": False}
    assert (texts(index, "one"), texts(index, "two")) == (ROUNDED, ROUNDED)
    home.connection.close()
    home.database.unlink()
    with Indexer(data) as indexer:
        assert look(indexer, home, [home.database] if narrow else None) == (0, 0, 0)
    assert [one.gone for one in Index.open(data).sessions.all()] == [True, True, True]


def test_a_change_in_the_log_of_a_database_is_a_change_of_the_database(home: Home, tmp_path: Path) -> None:
    home.connection.execute("PRAGMA journal_mode = wal")
    log = home.path / "brook.db-wal"
    with Indexer(tmp_path / "data") as indexer:
        look(indexer, home)
        home.say(("agent", "Tested."), session="two")
        assert log.stat().st_size > 0
        assert narrowed(Location(None, home.database), [log]) == [Location(None, home.database)]
        assert look(indexer, home, [log]) == (1, 1, 1)
    assert texts(Index.open(tmp_path / "data"), "two")[-1][-1] == "Tested."


def test_looking_changes_nothing_in_the_location(home: Home, tmp_path: Path) -> None:
    home.connection.execute("PRAGMA journal_mode = wal")
    home.connection.close()
    before = [home.database, home.folder]
    assert sorted(home.path.iterdir()) == before
    assert [type(entry) for entry in Scan().below(Location(None, home.path))] == [Transcript, Transcript]
    with Indexer(tmp_path / "data") as indexer:
        assert look(indexer, home) == (2, 4, 8)
    assert sorted(home.path.iterdir()) == before


def test_a_bad_entry_costs_the_entry_and_a_bad_file_the_file(home: Home, tmp_path: Path) -> None:
    (home.folder / "0002.json").write_text("{")
    home.connection.execute("UPDATE messages SET text = NULL WHERE number = 2")
    second = home.path / "broken.brook"
    second.mkdir()
    (second / "about.json").write_text("[]")
    (home.path / "more").mkdir()
    (home.path / "more" / "brook.db").write_bytes(b"not a database, though long enough to be read as one" * 20)
    (home.path / "odd").mkdir()
    odd = sqlite3.connect(home.path / "odd" / "brook.db", isolation_level=None)
    odd.executescript(f"{SCHEMA} INSERT INTO messages (session, role, text) VALUES ('x', 'person', 'Hello')")
    odd.close()
    data = tmp_path / "data"
    with Indexer(data) as indexer:
        look(indexer, home)
    kept = [["Please round the prices"], ROUNDED[1]]
    assert (texts(Index.open(data), "one"), texts(Index.open(data), "two")) == (kept, kept)
    rows = {Path(row["path"]).relative_to(home.path).as_posix(): row for row in cli_rows(data, "doctor")[:-1]}
    assert {name: (row["state"], row["skipped"]) for name, row in rows.items()} == {
        "brook.db#two": ("partial", [{"line": 1, "reason": "no message"}]),
        "broken.brook": ("error", []),
        "more/brook.db": ("error", []),
        "odd/brook.db": ("error", []),
        "one.brook": ("partial", [{"line": 1, "reason": "not JSON"}]),
    }
    assert rows["more/brook.db"]["error"] == f"{home.path}/more/brook.db: file is not a database"
    assert rows["odd/brook.db"]["error"].startswith("memtui failed on this file: TypeError: ")
    assert rows["broken.brook"]["error"].startswith(f"{second}/about.json: ")


def test_a_database_that_cannot_be_read_for_a_while_keeps_its_sessions(home: Home, tmp_path: Path) -> None:
    data = tmp_path / "data"
    home.connection.close()
    whole = home.database.read_bytes()
    with Indexer(data) as indexer:
        look(indexer, home)
        home.database.write_bytes(b"half a copy" * 100)
        look(indexer, home)
        index = Index.open(data)
        assert not index.sessions.find("two").gone
        assert [(Path(one.path).name, one.state) for one in index.statistics.sources()] == [
            ("brook.db", "error"),
            ("brook.db#two", "ok"),
            ("one.brook", "ok"),
        ]
        home.database.write_bytes(whole)
        look(indexer, home)
    index = Index.open(data)
    assert [(Path(one.path).name, one.state) for one in index.statistics.sources()] == [
        ("brook.db#two", "ok"),
        ("one.brook", "ok"),
    ]
    assert texts(index, "two") == ROUNDED


def test_what_another_reader_accepts_by_now_is_read_by_it(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    with monkeypatch.context() as before:
        before.setattr(registry, "_registered", [])
        with Indexer(data) as indexer:
            assert look(indexer, home) == (0, 0, 0)
        assert {one.state for one in Index.open(data).statistics.sources()} == {"ignored"}
    with Indexer(data) as indexer:
        assert look(indexer, home) == (2, 4, 8)
    index = Index.open(data)
    assert (texts(index, "one"), texts(index, "two")) == (ROUNDED, ROUNDED)


def test_its_own_tool_edits_a_file(home: Home, tmp_path: Path) -> None:
    call = {"tool": "carve", "input": {"bank": "src/prices.py", "from_here": "round(x)", "to_there": "cents(x)"}}
    (home.folder / "0009.json").write_text(json.dumps(message("agent", "Done.", 9) | {"call": call}))
    with Indexer(tmp_path / "data") as indexer:
        look(indexer, home)
    index = Index.open(tmp_path / "data")
    touches = index.files.touches("prices.py").rows
    assert [(one.path, one.session_id, one.tool, one.kind) for one in touches] == [
        ("src/prices.py", "one", "carve", "edited")
    ]
    (made,) = paired(index.sessions.blocks(index.sessions.find("one").key, 2, 2)[2])
    assert (made.family, made.edits) == ("edit", (Edit("src/prices.py", "replace", "round(x)", "cents(x)"),))


def test_its_sessions_are_resumed_by_its_own_command(home: Home, tmp_path: Path) -> None:
    with Indexer(tmp_path / "data") as indexer:
        look(indexer, home)
    index = Index.open(tmp_path / "data")
    assert registry.resume_command(index.sessions.find("two")) == ["brook", "again", "two"]
    assert (agent_name("brook"), registry.reader_of("nobody")) == ("brook", None)


def test_a_subagent_belongs_to_the_session_that_started_it(home: Home, tmp_path: Path) -> None:
    child = home.path / "child.brook"
    child.mkdir()
    about = {"session": "child", "cwd": "/home/ana/code/shop", "title": "A look", "parent": "one"}
    (child / "about.json").write_text(json.dumps(about))
    (child / "0001.json").write_text(json.dumps(message("person", "Look for prices", 1)))
    (home.folder / "0009.json").write_text(json.dumps(message("agent", "I asked.", 9) | {"started": "child"}))
    with Indexer(tmp_path / "data") as indexer:
        look(indexer, home)
    index = Index.open(tmp_path / "data")
    (started,) = index.sessions.subagents(index.sessions.find("one").key)
    assert (started.session_id, started.parent_tool_id, started.agent) == ("child", "one/4", "brook")
    assert registry.resume_command(started) is None


class Lines(ClaudeCode):
    """An agent that writes as Claude Code does."""

    agent = "lines"

    def accepts(self, path: Path) -> bool:
        return path.name == f"{SESSION}.jsonl"


def test_a_transcript_that_another_reader_accepts_by_now_is_read_anew(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.user("Thanks")
    script.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    registry.register(Lines())
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update([Location(None, tmp_path / "src")]):
            pass
        assert (indexer.counts.files_read, indexer.counts.turns_written) == (1, 2)
    turns = {
        session.agent: [turn.user_text for turn in Index.open(tmp_path / "data").sessions.turns(session.key)]
        for session in Index.open(tmp_path / "data").sessions.all()
    }
    assert turns["lines"] == ["Round the prices", "Thanks"]
    assert turns.get("claude-code", []) == []


def test_its_own_files_are_no_work_on_a_project() -> None:
    paths = ("/home/ana/.brook/plan.json", "/home/ana/.claude/todos/1.json", "/home/ana/code/brook/plan.json")
    assert [registry.is_agents_own(path) for path in paths] == [True, True, False]


def test_how_long_it_keeps_its_transcripts_is_its_own_knowledge(home: Home) -> None:
    assert retention(Location("brook", home.path)) is None
    settings_file = home.path / "settings.json"
    settings_file.write_text('{"keep": 9}')
    assert retention(Location("brook", home.path)) == Retention("brook", "Brook", 9, settings_file, "keep")
