"""What the readers of all databases with sessions have in common."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui_core.errors import SourceUnreadable
from memtui_core.index import Index
from memtui_core.ingest.indexer import Counts, Indexer
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


@pytest.fixture(params=AGENT_DATABASES, ids=lambda one: one.agent)
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    database = request.param(tmp_path / "home")
    with program(database.path) as process:
        yield database, process


def ingest(data: Path, *sources: Path) -> Counts:
    with Indexer(data) as indexer:
        for _ in indexer.update([Location(None, source) for source in sources]):
            pass
        return indexer.counts


def texts(data: Path, session: str) -> list[list[str]]:
    return [[text for _, text in blocks] for _, blocks in whole_turns(Index.open(data), session)]


def talk(running: Running, *sessions: str) -> None:
    database, process = running
    for session in sessions:
        database.session(process, session)
        database.say(process, session, "user", f"Prompt of {session}")
        database.say(process, session, "assistant", f"Answer of {session}")
        database.say(process, session, "user", "One more")


def test_a_session(running: Running, tmp_path: Path) -> None:
    talk(running, "ses_1")
    database, _ = running
    ingest(tmp_path / "data", database.home)
    assert texts(tmp_path / "data", "ses_1") == [["Prompt of ses_1", "Answer of ses_1"], ["One more"]]
    index = Index.open(tmp_path / "data")
    session = index.find_session("ses_1")
    assert (session.agent, session.project) == (database.agent, "shop-api")
    assert session.title == ("Prompt of ses_1" if database.agent == "kiro" else "Round the prices")
    assert session.started_at is not None
    assert session.started_at.isoformat()[:16] == "2026-09-21T14:13"
    assert [(source.path, source.state) for source in index.sources()] == [(f"{database.path}#ses_1", "ok")]


def test_only_a_changed_session_is_read_again(running: Running, tmp_path: Path) -> None:
    talk(running, "ses_1", "ses_2", "ses_3")
    database, process = running
    data = tmp_path / "data"
    assert ingest(data, database.path).files_read == 3
    assert ingest(data, database.path).files_read == 0
    database.say(process, "ses_2", "assistant", "Another answer")
    assert ingest(data, database.path).files_read == 1
    assert ingest(data, database.path).files_read == 0
    assert texts(data, "ses_2")[-1] == ["One more", "Another answer"]
    ingest(tmp_path / "fresh", database.path)
    assert picture(data) == picture(tmp_path / "fresh")


def test_reading_step_by_step_is_the_same_as_reading_at_once(running: Running, tmp_path: Path) -> None:
    database, process = running
    database.session(process, "ses_1")
    for number in range(6):
        database.say(process, "ses_1", "assistant" if number % 2 else "user", f"Text {number}")
        ingest(tmp_path / "data", database.path)
        ingest(tmp_path / f"fresh{number}", database.path)
        assert picture(tmp_path / "data") == picture(tmp_path / f"fresh{number}")


def test_nothing_beside_the_database_changes(running: Running, tmp_path: Path) -> None:
    talk(running, "ses_1")
    database, process = running
    process.execute("BEGIN EXCLUSIVE")
    before = beside(database.path)
    assert len(before) == 3
    ingest(tmp_path / "data", database.path)
    assert beside(database.path) == before
    assert len(texts(tmp_path / "data", "ses_1")) == 2
    process.execute("COMMIT")


def test_a_damaged_database_is_an_error_and_keeps_its_sessions(running: Running, tmp_path: Path) -> None:
    talk(running, "ses_1")
    database, process = running
    ingest(tmp_path / "data", database.path)
    process.close()
    database.path.write_bytes(b"half a copy " * 500)
    ingest(tmp_path / "data", database.path)
    index = Index.open(tmp_path / "data")
    assert {source.state: source.error for source in index.sources()} == {
        "ok": None,
        "error": f"{database.path}: file is not a database",
    }
    assert not index.find_session("ses_1").gone


def test_other_tables_and_columns(running: Running, tmp_path: Path) -> None:
    talk(running, "ses_1")
    database, process = running
    table = database.document[0]
    process.execute(f"ALTER TABLE {table} ADD COLUMN mood TEXT DEFAULT 'good'")
    process.execute("CREATE TABLE moods (id TEXT)")
    ingest(tmp_path / "data", database.path)
    assert len(texts(tmp_path / "data", "ses_1")) == 2
    process.close()
    database.path.unlink()
    with closing(sqlite3.connect(database.path)) as connection:
        connection.execute(f"CREATE TABLE {table} (mood TEXT)")
    ingest(tmp_path / "data", database.path)
    assert [source.state for source in Index.open(tmp_path / "data").sources()] == ["gone"]


def test_files_are_accepted_by_their_names(running: Running, tmp_path: Path) -> None:
    database, _ = running
    reader = reader_of(database.agent)
    assert reader is not None
    name = Path(database.file).name
    for suffix in ("", "-wal", "-shm", "-journal"):
        path = database.path.with_name(name + suffix)
        assert reader_for(path) is reader
        assert reader.container(path) == database.path
    assert reader_for(database.path.with_name(f"{name}.bak")) is None
    assert reader.samples_only


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
    JSON | KEYS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=20
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
    shapes["kiro"] = {"history": [*parts, {"user": {"content": value}, "assistant": value}], "latest_summary": value}
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
