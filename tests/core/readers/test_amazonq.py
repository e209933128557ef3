"""Conversations of the Amazon Q Developer command line; test_agent_databases.py tests what all databases share."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.agents.amazonq.reader import AmazonQ
from memtui_core.readers.locations import Location
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from support.agent_databases import AmazonQDatabase, KiroDatabase
from support.conversations import shown, tool_calls
from support.databases import Program, program
from support.systems import HOME_VARIABLE

CWD = "/home/ana/code/shop-api"
Opened = tuple[AmazonQDatabase, Program]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    database = AmazonQDatabase(tmp_path / "home")
    with program(database.path) as process:
        yield database, process


def index_of(home: Path) -> Index:
    with Indexer(home.parent / "data") as indexer:
        for _ in indexer.update([Location(None, home)]):
            pass
    return Index.open(home.parent / "data")


def test_a_conversation(opened: Opened) -> None:
    database, process = opened
    database.session(process, "conv", model="claude-sonnet-4")
    database.say(process, "conv", "user", "Round the prices")
    edit = {"command": "str_replace", "path": "prices.py", "old_str": "prices = []", "new_str": "prices = {}"}
    run = {"id": "c2", "name": "execute_bash", "args": {"command": "pytest -q"}}
    uses = [{"id": "c1", "name": "fs_write", "args": edit}, run]
    database.say(process, "conv", "assistant", {"ToolUse": {"content": "I edit.", "tool_uses": uses}})
    failed = {"Json": {"exit_status": "1", "stdout": "1 failed", "stderr": ""}}
    results = [
        {"tool_use_id": "c1", "content": [{"Text": ""}], "status": "Success"},
        {"tool_use_id": "c2", "content": [failed], "status": "Success"},
    ]
    database.say(process, "conv", "user", {"ToolUseResults": {"tool_use_results": results}})
    database.say(process, "conv", "assistant", "The test fails.")
    index = index_of(database.home)
    call = json.dumps(edit, separators=(",", ":"))
    assert shown(index, "conv") == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("text", "I edit."),
                ("tool_call fs_write", call),
                ("tool_call execute_bash", '{"command":"pytest -q"}'),
                ("tool_result fs_write", ""),
                ("tool_result execute_bash!", "1 failed"),
                ("text", "The test fails."),
            ],
        )
    ]
    first, second = tool_calls(index, "conv")
    assert diff_of(first) == "@@ -1,1 +1,1 @@\n-prices = []\n+prices = {}"
    assert (second.command, second.exit_code) == ("pytest -q", 1)
    session = index.sessions.find("conv")
    assert (session.agent, session.cwd, session.title, session.models) == (
        *("amazonq", CWD, "Round the prices"),
        ("claude-sonnet-4",),
    )
    assert session.started_at == datetime(2026, 9, 21, 14, 13, 21, 500_000, tzinfo=UTC)
    assert resume_command(session) is None
    assert AmazonQ().start_command("Hello") == ["q", "chat", "Hello"]


def test_an_older_conversation_of_a_folder(opened: Opened) -> None:
    database, process = opened
    pair = [{"content": {"Prompt": {"prompt": "Round"}}}, {"Response": {"message_id": "m", "content": "Rounded."}}]
    cancelled: dict[str, Any] = {"tool_use_id": "c1", "content": [{"Text": "Tool use was cancelled by the user"}]}
    entry = {"user": {"content": {"CancelledToolUses": {"prompt": None, "tool_use_results": [cancelled]}}}}
    older = {"conversation_id": "conv", "history": [pair, entry], "latest_summary": ["Prices were cut", {}]}
    database.insert(process, "conversations", {"key": CWD, "value": json.dumps(older)})
    database.insert(process, "conversations", {"key": "/broken", "value": '{"conversation_id": "half'})
    index = index_of(database.home)
    assert shown(index, "conv") == [
        ("compaction", [("user", "Prices were cut")]),
        ("human", [("user", "Round"), ("text", "Rounded."), ("tool_result!", "Tool use was cancelled by the user")]),
    ]
    assert [source.state for source in index.statistics.sources()] == ["ok"]
    database.insert(process, "conversations", {"key": CWD, "value": json.dumps({**older, "history": [pair, pair]})})
    assert [turn.user_text for turn in index_of(database.home).sessions.turns(index.sessions.find("conv").key)] == [
        *("Prices were cut", "Round", "Round")
    ]


def test_an_older_conversation_without_an_id_is_that_of_its_folder(opened: Opened) -> None:
    database, process = opened
    pair = [{"content": {"Prompt": {"prompt": "Round"}}}, {"Response": {"message_id": "m", "content": "Rounded."}}]
    for folder in (CWD, "/home/ana/code/site"):
        database.insert(process, "conversations", {"key": folder, "value": json.dumps({"history": [pair]})})
    index = index_of(database.home)
    turns = [("human", [("user", "Round"), ("text", "Rounded.")])]
    assert {session.cwd: shown(index, session.session_id) for session in index.sessions.all()} == {
        CWD: turns,
        "/home/ana/code/site": turns,
    }


def test_a_conversation_that_kiro_took_over_counts_once(opened: Opened, tmp_path: Path) -> None:
    database, process = opened
    kiro = KiroDatabase(tmp_path / "home")
    kiro.milliseconds = database.milliseconds
    with program(kiro.path) as other:
        for one, running in ((database, process), (kiro, other)):
            one.session(running, "conv")
            one.say(running, "conv", "user", "Round the prices")
            one.say(running, "conv", "assistant", "Rounded.")
        kiro.say(other, "conv", "user", "Now the discounts")
        index = index_of(database.home)
    texts = [(one.agent, [turn.user_text for turn in index.sessions.turns(one.key)]) for one in index.sessions.all()]
    assert texts == [("kiro", ["Round the prices", "Now the discounts"])]


def test_where_the_database_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert AmazonQ().default_locations({"XDG_DATA_HOME": "/data"}) == [Path("/data/amazon-q/data.sqlite3")]
    assert AmazonQ().default_locations({}) == [tmp_path / ".local/share/amazon-q/data.sqlite3"]
    monkeypatch.setattr(sys, "platform", "darwin")
    assert AmazonQ().default_locations({}) == [tmp_path / "Library/Application Support/amazon-q/data.sqlite3"]
    paths = [tmp_path / folder / "data.sqlite3" for folder in ("amazon-q", "kiro-cli", "other")]
    assert [reader and reader.agent for reader in map(reader_for, paths)] == ["amazonq", "kiro", None]
