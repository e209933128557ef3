"""Sessions of OpenCode in trees of JSON files and in exports."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui_core.errors import SourceUnreadable
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.readers.agents.opencode.reader import OpenCode
from memtui_core.readers.agents.opencode.transcript import OpenCodeReading
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.locations import Location
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_for
from support.databases import program
from support.indexes import whole_turns
from support.opencode import START as FIRST_TIME
from support.opencode import Store, empty, tool
from support.transcripts import Script

Json = dict[str, Any]
INFO: Json = {"id": "ses_1", "directory": "/home/ana/code/shop-api", "title": "Round", "version": "1.1.0"}


def message(number: int, role: str, *parts: Json | str, **info: Any) -> Json:
    """A message as an export has it."""
    own = {"id": f"msg_{number}", "sessionID": "ses_1", "role": role, "time": {"created": FIRST_TIME + number * 1000}}
    whole = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"info": {**own, **info}, "parts": whole}


CONVERSATION = [
    message(1, "user", "Round the prices"),
    message(2, "assistant", tool("bash", "call_1", {"command": "ls"}, "a.py"), "Rounded.", modelID="glm"),
    message(3, "user", "Thanks"),
    message(4, "assistant", "Welcome.", modelID="glm"),
]
TURNS = [
    [("user", "Round the prices"), ("tool_call", '{"command":"ls"}'), ("tool_result", "a.py"), ("text", "Rounded.")],
    [("user", "Thanks"), ("text", "Welcome.")],
]


def ingest(data: Path, *sources: Path) -> Counts:
    with Indexer(data) as indexer:
        for _ in indexer.update([Location(None, source) for source in sources]):
            pass
        return indexer.counts


def texts(data: Path, session: str = "ses_1") -> list[list[tuple[str, str]]]:
    return [blocks for _, blocks in whole_turns(Index.open(data), session)]


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def tree(folder: Path, layout: str, conversation: list[Json]) -> Path:
    """Write a tree in one of its layouts. Return the file of the session."""
    old = layout == "old"
    storage = folder / ("project/shop/storage/session" if old else "storage")
    session = write(storage / ("info" if old else "session/global") / "ses_1.json", INFO)
    for entry in conversation:
        name = entry["info"]["id"]
        write(storage / "message" / "ses_1" / f"{name}.json", entry["info"])
        for number, part in enumerate(entry["parts"]):
            place = {"old": f"ses_1/{name}/prt_{number}", "new": f"{name}/prt_{number}", "flat": f"prt_{name}_{number}"}
            write(storage / "part" / f"{place[layout]}.json", {**part, "messageID": name, "id": f"prt_{number}"})
    return session


@pytest.mark.parametrize("layout", ["old", "new", "flat"])
def test_a_tree_of_each_layout(tmp_path: Path, layout: str) -> None:
    session = tree(tmp_path / "home", layout, CONVERSATION)
    ingest(tmp_path / "data", tmp_path / "home")
    index = Index.open(tmp_path / "data")
    assert [(source.path, source.state, source.lines) for source in index.statistics.sources()] == [
        (str(session), "ok", 4)
    ]
    assert texts(tmp_path / "data") == TURNS
    found = index.sessions.find("ses_1")
    assert (found.title, found.cwd, found.version, found.agent) == (
        "Round",
        "/home/ana/code/shop-api",
        "1.1.0",
        "opencode",
    )


@pytest.mark.parametrize("layout", ["old", "new"])
def test_a_tree_that_grew_is_read_again(tmp_path: Path, layout: str) -> None:
    data = tmp_path / "data"
    session = tree(tmp_path / "home", layout, CONVERSATION[:3])
    other = session.with_name("ses_2.json")
    write(other, {**INFO, "id": "ses_2"})
    folder = session.parent.parent.parent / "message" if layout == "new" else session.parent.parent / "message"
    write(folder / "ses_2" / "msg_9.json", message(9, "user")["info"])
    assert ingest(data, session.parent).files_read == 2
    assert ingest(data, session.parent).files_read == 0
    tree(tmp_path / "home", layout, CONVERSATION)
    os.utime(session, ns=(1, 1))
    assert ingest(data, session.parent).files_read == 1
    assert texts(data) == TURNS


@pytest.mark.parametrize("layout", ["old", "new"])
def test_a_changed_part_of_a_tree_is_read_again(tmp_path: Path, layout: str) -> None:
    data = tmp_path / "data"
    session = tree(tmp_path / "home", layout, CONVERSATION)
    ingest(data, session.parent)
    (part,) = (tmp_path / "home").rglob("part/**/msg_4/prt_0.json")
    part.write_text(part.read_text().replace("Welcome.", "At any time"))
    os.utime(part, ns=(2**62, 2**62))
    assert ingest(data, session.parent).files_read == 1
    assert texts(data)[-1][-1] == ("text", "At any time")


def test_the_messages_of_a_tree_are_in_the_order_of_their_times(tmp_path: Path) -> None:
    session = tree(tmp_path / "home", "new", [])
    for entry, name in zip(CONVERSATION, ("msg_d", "msg_c", "msg_b", "msg_a"), strict=True):
        info = {**entry["info"], "id": name}
        tree(tmp_path / "home", "new", [{"info": info, "parts": entry["parts"]}])
    ingest(tmp_path / "data", session.parent)
    assert texts(tmp_path / "data") == TURNS


def test_a_changed_message_of_a_tree_leads_to_its_session(tmp_path: Path) -> None:
    session = tree(tmp_path / "home", "new", CONVERSATION)
    storage = tmp_path / "home" / "storage"
    reader = OpenCode()
    assert reader.container(storage / "message" / "ses_1" / "msg_1.json") == session
    for path in (storage / "message" / "ses_1" / "deleted.json", storage / "part" / "msg_1" / "deleted.json"):
        assert reader.accepts(path)
    assert not reader.accepts(storage / "session_diff" / "ses_1.json")
    assert not reader.accepts(tmp_path / "home" / "storage" / "session" / "global" / "ses_1.jsonl")


def test_damaged_files_of_a_tree_cost_the_file(tmp_path: Path) -> None:
    session = tree(tmp_path / "home", "new", CONVERSATION)
    storage = tmp_path / "home" / "storage"
    (storage / "message" / "ses_1" / "msg_3.json").write_text("{")
    (storage / "part" / "msg_4" / "prt_0.json").write_text("")
    ingest(tmp_path / "data", tmp_path / "home")
    assert texts(tmp_path / "data") == TURNS[:1]
    (source,) = Index.open(tmp_path / "data").statistics.sources()
    assert (source.state, source.skipped) == ("partial", ((2, "a message is not JSON"), (3, "a part is empty")))
    session.write_text("[")
    ingest(tmp_path / "data", tmp_path / "home")
    (source,) = Index.open(tmp_path / "data").statistics.sources()
    assert (source.state, source.error) == ("error", f"{session}: not JSON")


@pytest.mark.parametrize("name", ["session.json", "full.jsonl"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_export(tmp_path: Path, name: str, indent: int | None) -> None:
    path = tmp_path / "home" / name
    path.parent.mkdir()
    path.write_text(json.dumps({"info": INFO, "messages": CONVERSATION}, indent=indent))
    ingest(tmp_path / "data", tmp_path / "home")
    assert texts(tmp_path / "data") == TURNS
    assert [source.agent for source in Index.open(tmp_path / "data").statistics.sources()] == ["opencode"]


def test_an_export_that_grew(tmp_path: Path) -> None:
    path = tmp_path / "home" / "session.json"
    write(path, {"info": INFO, "messages": CONVERSATION[:3]})
    ingest(tmp_path / "data", path)
    write(path, {"info": INFO, "messages": CONVERSATION})
    assert ingest(tmp_path / "data", path).turns_written == 1
    assert texts(tmp_path / "data") == TURNS


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
@pytest.mark.parametrize("at_once", [True, False])
def test_exports_of_a_session_while_it_grows_are_one_session(
    tmp_path: Path, order: tuple[int, ...], at_once: bool
) -> None:
    """A message has more text and more calls in a later export; in any order they are the same."""
    begun = message(2, "assistant", "I look at the prices a", modelID="glm")
    running = tool("bash", "call_1", {"command": "ls"}, "")
    running["state"] |= {"status": "running", "time": {"start": FIRST_TIME + 2500}}
    called = message(2, "assistant", "I look at the prices and more.", running, modelID="glm")
    whole = message(
        2,
        "assistant",
        "I look at the prices and more.",
        tool("bash", "call_1", {"command": "ls"}, "a.py"),
        modelID="glm",
    )
    stages = [[begun], [called], [whole, *CONVERSATION[2:]]]
    for place in order:
        content = {"info": INFO, "messages": [CONVERSATION[0], *stages[place]]}
        write(tmp_path / "exports" / f"{order.index(place)}.json", content)
        if not at_once:
            ingest(tmp_path / "data", tmp_path / "exports")
    ingest(tmp_path / "data", tmp_path / "exports")
    assert texts(tmp_path / "data") == [
        [
            ("user", "Round the prices"),
            ("text", "I look at the prices and more."),
            ("tool_call", '{"command":"ls"}'),
            ("tool_result", "a.py"),
        ],
        TURNS[1],
    ]
    # Of the first two, which have the same messages, the larger one counts.
    for place in order:
        if place == 2:
            (tmp_path / "exports" / f"{order.index(place)}.json").unlink()
    ingest(tmp_path / "fresh", tmp_path / "exports")
    assert texts(tmp_path / "fresh") == [
        [("user", "Round the prices"), ("text", "I look at the prices and more."), ("tool_call", '{"command":"ls"}')]
    ]


def test_other_files_are_not_exports(tmp_path: Path) -> None:
    script = Script()
    script.user("Hello")
    claude = script.write(tmp_path / "projects")
    others: Json = {
        "a.json": {"info": "x"},
        "d.json": {"info": {"id": "0198-ab", "cwd": "/x"}, "messages": []},
        "b.json": [{"info": {"id": 1}}],
        "c.json": {"version": 1, "info": {"id": 1}},
    }
    assert [reader_for(write(tmp_path / name, value)) for name, value in others.items()] == [None] * 4
    reader = reader_for(claude)
    assert reader is not None
    assert reader.agent == "claude-code"


@pytest.mark.parametrize(("content", "reason"), [('{"info": {"id": "ses_1"}, "messages": [', "not JSON")])
def test_a_damaged_export_is_an_error(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "session.json"
    path.write_text(content)
    ingest(tmp_path / "data", path)
    (source,) = Index.open(tmp_path / "data").statistics.sources()
    assert (source.state, source.error) == ("error", f"{path}: {reason}")


def test_a_session_in_a_database_a_tree_and_an_export_counts_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    tree(home, "new", CONVERSATION[:2])
    write(home / "session.json", {"info": INFO, "messages": CONVERSATION[:3]})
    path = empty(home / "opencode.db")
    with program(path) as running:
        store = Store(path, running)
        store.session("ses_1")
        for entry in CONVERSATION:
            info = entry["info"]
            store.say("ses_1", info["role"], *entry["parts"], at=info["time"]["created"], modelID=info.get("modelID"))
    ingest(tmp_path / "data", home)
    assert texts(tmp_path / "data") == TURNS
    index = Index.open(tmp_path / "data")
    states = {Path(source.path.partition("#")[0]).name: source.state for source in index.statistics.sources()}
    assert states == {"opencode.db": "ok", "session.json": "copy", "ses_1.json": "copy"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "type",
        "text",
        "tool",
        "callID",
        "state",
        "status",
        "input",
        "metadata",
        "time",
        "created",
        "start",
        "role",
        "url",
        "mime",
        "summary",
        "tokens",
        "cache",
        "error",
        "content",
        "id",
        "model",
        "path",
        "exit",
        "diff",
        "auto",
        "cwd",
        "output",
        "overflow",
    ]
)
WORDS = st.sampled_from(
    ["text", "tool", "reasoning", "file", "compaction", "subtask", "retry", "user", "assistant", "shell", "completed"]
)
HOSTILE = st.recursive(
    JSON | WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=8
)


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(info=HOSTILE, entries=st.lists(HOSTILE, max_size=4), parts=st.lists(HOSTILE, max_size=4), role=WORDS)
def test_no_value_makes_the_reader_fail(
    tmp_path: Path, info: Any, entries: list[Any], parts: list[Any], role: str
) -> None:
    whole = [*entries, {"info": {"role": role, "time": {"created": 1}}, "parts": parts}]
    whole += [{"type": role, "content": parts, "time": info}, *CONVERSATION[:1]]
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"info": info, "messages": whole}))
    transcript = Transcript("opencode", path, 1, 1)
    try:
        reading = OpenCodeReading(transcript, START)
    except SourceUnreadable:
        return
    records = list(reading)
    assert [record.text for record in records if isinstance(record, Message)][-1:] == ["Round the prices"]
    middle = reading.cursor(next(record for record in reversed(records) if isinstance(record, Message)))
    again = list(OpenCodeReading(transcript, middle))
    assert again[-1] == records[-1]
