"""What the readers of all databases with sessions have in common."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui_core.errors import SourceUnreadable
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.readers.base import START
from memtui_core.readers.locations import Location
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_for, reader_of
from memtui_core.system.walk import RegularFile
from support.agent_databases import AGENT_DATABASES, AgentDatabase
from support.databases import Program, beside, program
from support.indexes import whole_turns
from support.pictures import picture

Running = tuple[AgentDatabase, Program]
WITHOUT_TITLES = {"kiro", "amazonq"}
SECRET = "Use ghp_" + "aB3" * 12


@pytest.fixture
def running(tmp_path: Path) -> Iterator[list[Running]]:
    """The databases of all agents in one home, each with the program that uses it."""
    with ExitStack() as programs:
        databases = [kind(tmp_path / "home") for kind in AGENT_DATABASES]
        yield [(database, programs.enter_context(program(database.path))) for database in databases]


def ingest(data: Path, *sources: Path) -> Counts:
    with Indexer(data) as indexer:
        for _ in indexer.update([Location(None, source) for source in sources]):
            pass
        return indexer.counts


def texts(index: Index, session: str) -> list[list[str]]:
    return [[text for _, text in blocks] for _, blocks in whole_turns(index, session)]


def talk(running: Running, *sessions: str) -> None:
    database, process = running
    for session in sessions:
        database.session(process, session)
        database.say(process, session, "user", f"Prompt of {session}")
        database.say(process, session, "assistant", f"Answer of {session}")
        database.say(process, session, "user", "One more")


def talk_in_all(running: list[Running]) -> list[str]:
    """A session in each database, with an id that says its agent; the ids."""
    for database, process in running:
        talk((database, process), f"{database.agent}_1")
    return [f"{database.agent}_1" for database, _ in running]


TITLES: dict[str, dict[str, Any]] = {
    "goose": {"description": SECRET},
    "crush": {"title": SECRET},
    "zed": {"thread": {"title": SECRET}},
    "hermes": {"title": SECRET},
    "openclaw": {"label": SECRET},
}
"""The title of a session, as each agent stores it."""


def test_a_secret_in_a_title_is_redacted(running: list[Running], tmp_path: Path) -> None:
    for database, process in running:
        if database.agent in TITLES:
            database.session(process, database.agent, **TITLES[database.agent])
            database.say(process, database.agent, "user", "Hi")
    ingest(tmp_path / "data", tmp_path / "home")
    titles = {session.agent: session.title for session in Index.open(tmp_path / "data").sessions.all()}
    assert titles == dict.fromkeys(TITLES, "Use [redacted:github-token]")


def test_a_session(running: list[Running], tmp_path: Path) -> None:
    ids = talk_in_all(running)
    ingest(tmp_path / "data", tmp_path / "home")
    index = Index.open(tmp_path / "data")
    assert {one: texts(index, one) for one in ids} == {
        one: [[f"Prompt of {one}", f"Answer of {one}"], ["One more"]] for one in ids
    }
    # Projects of one name are shown with the folder in which they are.
    assert {
        one.session_id: (
            one.agent,
            one.project.partition(" ")[0],
            one.title,
            one.started_at and one.started_at.isoformat()[:16],
        )
        for one in index.sessions.all()
    } == {
        one: (
            agent,
            "shop-api",
            f"Prompt of {one}" if agent in WITHOUT_TITLES else "Round the prices",
            "2026-09-21T14:13",
        )
        for one, agent in zip(ids, [database.agent for database, _ in running], strict=True)
    }
    assert {source.path: source.state for source in index.statistics.sources()} == {
        f"{database.path}#{one}": "ok" for one, (database, _) in zip(ids, running, strict=True)
    }


def test_only_a_changed_session_is_read_again(running: list[Running], tmp_path: Path) -> None:
    for database, process in running:
        talk((database, process), *(f"{database.agent}_{number}" for number in (1, 2, 3)))
    data, home = tmp_path / "data", tmp_path / "home"
    assert ingest(data, home).files_read == 3 * len(running)
    assert ingest(data, home).files_read == 0
    for database, process in running:
        database.say(process, f"{database.agent}_2", "assistant", "Another answer")
        assert (database.agent, ingest(data, home).files_read) == (database.agent, 1)
    assert ingest(data, home).files_read == 0
    index = Index.open(data)
    for database, _ in running:
        assert texts(index, f"{database.agent}_2")[-1] == ["One more", "Another answer"]
    ingest(tmp_path / "fresh", home)
    assert picture(data) == picture(tmp_path / "fresh")


def test_reading_step_by_step_is_the_same_as_reading_at_once(running: list[Running], tmp_path: Path) -> None:
    """Of six sessions in each database the first stops after one message, and so on; seven indexers take their time."""
    for step in range(6):
        for database, process in running:
            for number in range(step, 6):
                name = f"{database.agent}_{number}"
                if step == 0:
                    database.session(process, name)
                database.say(process, name, "assistant" if step % 2 else "user", f"Text {step}")
        ingest(tmp_path / "data", tmp_path / "home")
    ingest(tmp_path / "fresh", tmp_path / "home")
    fresh = picture(tmp_path / "fresh")
    assert picture(tmp_path / "data") == fresh
    assert Counter(session for ((session, _), _), *_ in fresh["blocks"]) == {
        f"{database.agent}_{number}": number + 1 for database, _ in running for number in range(6)
    }


def test_nothing_beside_the_databases_changes(running: list[Running], tmp_path: Path) -> None:
    ids = talk_in_all(running)
    for _, process in running:
        process.execute("BEGIN EXCLUSIVE")
    before = [beside(database.path) for database, _ in running]
    assert [len(files) for files in before] == [3] * len(running)
    ingest(tmp_path / "data", tmp_path / "home")
    assert [beside(database.path) for database, _ in running] == before
    index = Index.open(tmp_path / "data")
    assert [len(texts(index, one)) for one in ids] == [2] * len(running)
    for _, process in running:
        process.execute("COMMIT")


def test_a_damaged_database_is_an_error_and_keeps_its_sessions(running: list[Running], tmp_path: Path) -> None:
    ids = talk_in_all(running)
    ingest(tmp_path / "data", tmp_path / "home")
    for database, process in running:
        process.close()
        database.path.write_bytes(b"half a copy " * 500)
    ingest(tmp_path / "data", tmp_path / "home")
    index = Index.open(tmp_path / "data")
    assert {source.path: (source.state, source.error) for source in index.statistics.sources()} == {
        **{f"{database.path}#{one}": ("ok", None) for one, (database, _) in zip(ids, running, strict=True)},
        **{str(database.path): ("error", f"{database.path}: file is not a database") for database, _ in running},
    }
    assert [index.sessions.find(one).gone for one in ids] == [False] * len(ids)


def test_other_tables_and_columns(running: list[Running], tmp_path: Path) -> None:
    ids = talk_in_all(running)
    for database, process in running:
        process.execute(f"ALTER TABLE {database.document[0]} ADD COLUMN mood TEXT DEFAULT 'good'")
        process.execute("CREATE TABLE moods (id TEXT)")
    ingest(tmp_path / "data", tmp_path / "home")
    index = Index.open(tmp_path / "data")
    assert [len(texts(index, one)) for one in ids] == [2] * len(running)
    for database, process in running:
        process.close()
        database.path.unlink()
        with closing(sqlite3.connect(database.path)) as connection:
            connection.execute(f"CREATE TABLE {database.document[0]} (mood TEXT)")
    ingest(tmp_path / "data", tmp_path / "home")
    assert [source.state for source in Index.open(tmp_path / "data").statistics.sources()] == ["gone"] * len(running)


@pytest.mark.parametrize("kind", AGENT_DATABASES, ids=lambda one: one.agent)
def test_files_are_accepted_by_their_names(kind: type[AgentDatabase], tmp_path: Path) -> None:
    database = kind(tmp_path / "home")
    reader = reader_of(database.agent)
    assert reader is not None
    name = Path(database.file).name
    for suffix in ("", "-wal", "-shm", "-journal"):
        path = database.path.with_name(name + suffix)
        assert reader_for(path) is reader
        assert reader.container(path) == database.path
    assert reader_for(database.path.with_name(f"{name}.bak")) is None
    assert reader.samples_only is (reader.agent != "crush")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = """
type text thinking toolRequest toolResponse toolCall toolResult value name arguments content status error isError id
role data tool_call tool_result tool_call_id is_error metadata finish reason input prompt binary image User Agent Text
Thinking ToolUse tool_results Mention uri Image source Compaction Summary segments tool_uses output diff messages model
history user assistant Prompt Response ToolUseResults tool_use_results Json stdout exit_status request_metadata
latest_summary request_token_usage cumulative_token_usage title subagent_context folder created timestamp
"""
KEYS = st.sampled_from(sorted(NAMES.split()))
HOSTILE = st.recursive(
    JSON | KEYS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=8
)


@pytest.mark.parametrize("kind", AGENT_DATABASES, ids=lambda one: one.agent)
@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(value=HOSTILE, parts=st.lists(HOSTILE, max_size=4))
def test_no_value_makes_the_reader_fail(tmp_path: Path, kind: type[AgentDatabase], value: Any, parts: Any) -> None:
    home = tmp_path / "hostile"
    database = kind(home) if not home.exists() else None
    path = home / kind.file
    if database is not None:
        with program(path, "delete") as process:
            talk((database, process), "ses_1")
    table, column = kind.document
    shapes = {
        "zed": {"messages": [{"Agent": {"content": parts}}, {"User": {"content": parts}}, *parts], "title": value}
    }
    shapes["kiro"] = shapes["amazonq"] = {
        "history": [*parts, {"user": {"content": value}, "assistant": value}],
        "latest_summary": value,
    }
    shapes["openclaw"] = {"type": "message", "message": {"role": "assistant", "content": parts}, "timestamp": value}
    with closing(sqlite3.connect(path)) as connection:
        rows = [value, shapes.get(kind.agent, [*parts, {"type": "text", "data": value, "text": value}])]
        for content in rows:
            connection.execute(f"UPDATE {table} SET {column} = ?", [json.dumps(content)])
            connection.commit()
            read_all(kind.agent, path)


def read_all(agent: str, path: Path) -> None:
    reader = reader_of(agent)
    assert reader is not None
    status = path.stat()
    for transcript in reader.transcripts(RegularFile(path, status.st_size, status.st_mtime_ns)):
        with suppress(SourceUnreadable):
            reading = reader.read(transcript, START)
            list(reading)
            again = reader.read(transcript, reading.cursor(None))
            assert again.from_start or not any(isinstance(record, Message) for record in again)
