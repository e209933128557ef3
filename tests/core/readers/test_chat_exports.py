"""Conversations that are imported: exports of chat services, and plain messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memtui.cli import cli
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from support.indexes import whole_turns

CHATGPT: list[dict[str, Any]] = [
    {
        "conversation_id": "c-1",
        "title": "Rounding",
        "update_time": 1_780_000_100.5,
        "mapping": {
            "root": {"id": "root", "message": None, "children": ["u1"]},
            "u1": {
                "id": "u1",
                "parent": "root",
                "message": {
                    "id": "u1-0000-0000-0000",
                    "author": {"role": "user"},
                    "create_time": 1_780_000_000,
                    "content": {
                        "content_type": "multimodal_text",
                        "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "x"}, "Round to cents"],
                    },
                },
            },
            "a2": {
                "id": "a2",
                "parent": "t1",
                "message": {
                    "id": "a2-0000-0000-0000",
                    "author": {"role": "assistant"},
                    "create_time": 1_780_000_030,
                    "content": {"content_type": "text", "parts": ["Use Decimal."]},
                    "metadata": {"model_slug": "gpt-5"},
                    "recipient": "all",
                },
            },
            "k1": {
                "id": "k1",
                "parent": "u1",
                "message": {
                    "id": "k1",
                    "author": {"role": "assistant"},
                    "create_time": 1_780_000_010,
                    "content": {"content_type": "code", "text": "round(2.675, 2)"},
                    "recipient": "python",
                },
            },
            "t1": {
                "id": "t1",
                "parent": "k1",
                "message": {
                    "id": "t1",
                    "author": {"role": "tool", "name": "python"},
                    "create_time": 1_780_000_020,
                    "content": {"content_type": "execution_output", "text": "2.67"},
                },
            },
            "h1": {
                "id": "h1",
                "parent": "u1",
                "message": {
                    "id": "h1",
                    "author": {"role": "assistant"},
                    "create_time": 1_780_000_005,
                    "content": {"content_type": "thoughts", "thoughts": [{"summary": "Floats", "content": "are odd"}]},
                },
            },
            "n1": {
                "id": "n1",
                "message": {
                    "id": "n1",
                    "author": {"role": "assistant"},
                    "create_time": 1_780_000_040,
                    "content": {"content_type": "hologram", "depth": 3},
                },
            },
        },
    },
    {"conversation_id": "c-2", "title": "", "mapping": {}},
    {"title": "no id", "mapping": {}},
    7,  # type: ignore[list-item]
]

CLAUDE_AI: list[dict[str, Any]] = [
    {
        "uuid": "d-1",
        "name": "Discounts",
        "updated_at": "2026-07-01T10:00:00Z",
        "chat_messages": [
            {
                "uuid": "m-1",
                "sender": "human",
                "text": "And discounts?",
                "created_at": "2026-07-01T09:00:00Z",
                "content": [{"type": "text", "text": "And discounts?"}],
                "attachments": [{"file_name": "rules.txt", "extracted_content": "ten percent"}],
                "files": [{"file_name": "chart.png"}],
            },
            {
                "uuid": "m-2",
                "sender": "assistant",
                "created_at": "2026-07-01T09:00:10Z",
                "content": [
                    {"type": "thinking", "thinking": "Search first"},
                    {"type": "tool_use", "id": "s1", "name": "web_search", "input": {"query": "discounts"}},
                    {"type": "tool_result", "tool_use_id": "s1", "content": "nothing", "is_error": True},
                    {"type": "text", "text": "Ten percent."},
                    {"type": "token_budget"},
                    {"type": "telepathy", "wave": 1},
                ],
            },
        ],
    }
]


def zipped(path: Path, *, name: str = "conversations.json", value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", "{}")
        archive.writestr(name, json.dumps(value))
    return path


def index_of(data: Path, source: Path, agent: str | None = None) -> Index:
    with Indexer(data) as indexer:
        for _ in indexer.update([Location(agent, source)]):
            pass
    return Index.open(data)


def blocks(index: Index, session_id: str) -> list[list[tuple[str, str]]]:
    return [turn for _, turn in whole_turns(index, session_id)]


@pytest.mark.parametrize("name", ["conversations.json", "conversations-000.json", "export/conversations.json"])
def test_an_archive_of_chatgpt_is_read(name: str, tmp_path: Path) -> None:
    index = index_of(tmp_path / "data", zipped(tmp_path / "src" / "export.zip", name=name, value=CHATGPT))
    [session] = index.sessions.all()
    assert (session.agent, session.session_id, session.title, session.models) == (
        "chatgpt",
        "c-1",
        "Rounding",
        ("gpt-5",),
    )
    assert blocks(index, "c-1") == [
        [
            ("user", "Round to cents"),
            ("image", "[image]"),
            ("thinking", "Floats\nare odd"),
            ("tool_call", '{"input":"round(2.675, 2)"}'),
            ("tool_result", "2.67"),
            ("text", "Use Decimal."),
        ]
    ]
    [call] = [block for block in index.sessions.blocks(session.key, 1, 1)[1] if block.kind == "tool_result"]
    assert (call.tool, call.tool_id) == ("python", "k1")
    assert index.statistics.by_agent()["chatgpt"].unknown_entries == {"hologram": 1}
    [turn] = index.sessions.turns(session.key)
    assert turn.started_at is not None
    assert turn.started_at.isoformat() == "2026-05-28T20:26:40+00:00"


def test_an_archive_of_claude_ai_is_read(tmp_path: Path) -> None:
    index = index_of(tmp_path / "data", zipped(tmp_path / "src" / "export.zip", value=CLAUDE_AI))
    [session] = index.sessions.all()
    assert (session.agent, session.title, session.tool_calls) == ("claude-ai", "Discounts", 1)
    assert blocks(index, "d-1") == [
        [
            ("user", "And discounts?"),
            ("note", "rules.txt\nten percent"),
            ("image", "[chart.png]"),
            ("thinking", "Search first"),
            ("tool_call", '{"query":"discounts"}'),
            ("tool_result", "nothing"),
            ("text", "Ten percent."),
        ]
    ]
    assert index.sessions.turns(session.key)[0].errors == 1
    assert index.statistics.by_agent()["claude-ai"].unknown_entries == {"telepathy": 1}


def test_a_newer_export_adds_only_what_is_new(tmp_path: Path) -> None:
    data, source = tmp_path / "data", tmp_path / "src"
    zipped(source / "july.zip", value=CLAUDE_AI)
    index_of(data, source)
    grown = json.loads(json.dumps(CLAUDE_AI))
    grown[0]["chat_messages"].append(
        {"uuid": "m-3", "sender": "human", "text": "Thanks", "created_at": "2026-07-02T09:00:00Z"}
    )
    zipped(source / "august.zip", value=grown)
    index = index_of(data, source)
    [session] = index.sessions.all()
    assert [turn.user_text for turn in index.sessions.turns(session.key)] == ["And discounts?", "Thanks"]


@pytest.mark.parametrize("number", [None, "", "a#b"])
def test_a_conversation_without_an_id_is_read(number: str | None, tmp_path: Path) -> None:
    for agent, value, key in (("chatgpt", CHATGPT, "conversation_id"), ("claude-ai", CLAUDE_AI, "uuid")):
        source = tmp_path / "src" / agent / "conversations.json"
        source.parent.mkdir(parents=True)
        source.write_text(json.dumps([{**value[0], key: number}, {"x": 1}]))
    index = index_of(tmp_path / "data", tmp_path / "src")
    assert {session.agent: session.title for session in index.sessions.all()} == {
        "chatgpt": "Rounding",
        "claude-ai": "Discounts",
    }
    assert len(index.statistics.sources()) == 2


def test_half_of_a_character_costs_nothing_else(tmp_path: Path) -> None:
    grown = [{**CLAUDE_AI[0], "chat_messages": [{"uuid": "m-9", "sender": "human", "text": "Round it \ud83d"}]}]
    zipped(tmp_path / "src" / "export.zip", value=grown)
    index = index_of(tmp_path / "data", tmp_path / "src")
    [session] = index.sessions.all()
    assert [turn.user_text for turn in index.sessions.turns(session.key)] == ["Round it \ufffd"]


def test_a_damaged_archive_is_reported_and_keeps_what_was_read(tmp_path: Path) -> None:
    data, path = tmp_path / "data", zipped(tmp_path / "src" / "export.zip", value=CLAUDE_AI)
    index_of(data, path)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"conversations.json", b"conversations.json", 1)[:-40])
    index = index_of(data, path, "claude-ai")
    assert [session.title for session in index.sessions.all()] == ["Discounts"]
    path.with_name("conversations.json").write_text('[{"chat_messages": [')
    index = index_of(data, path.parent)
    [source] = [source for source in index.statistics.sources() if source.path.endswith("conversations.json")]
    assert source.state == "error"
    assert source.error is not None
    assert "not JSON" in source.error


MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "List the files", "timestamp": 1_780_000_000},
    {
        "role": "assistant",
        "content": None,
        "model": "local-7b",
        "reasoning_content": "A call will do",
        "tool_calls": [{"id": "k1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}],
    },
    {"role": "tool", "tool_call_id": "k1", "content": "a.py"},
    {"role": "assistant", "content": [{"type": "text", "text": "One file: a.py"}]},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "k1", "content": "late"},
            {"type": "text", "text": "Thanks"},
            {"type": "image", "source": {"media_type": "image/png", "data": "A" * 4000}},
        ],
    },
    {"role": "narrator", "content": "The end"},
]
EXPECTED = [
    [
        ("note", "Be brief."),
        ("user", "List the files"),
        ("thinking", "A call will do"),
        ("tool_call", '{"command":"ls"}'),
        ("tool_result", "a.py"),
        ("text", "One file: a.py"),
        ("tool_result", "late"),
    ],
    [("user", "Thanks"), ("image", "[image/png 3 kB]"), ("note", "narrator\nThe end")],
]


def write(path: Path, form: str) -> Path:
    """The messages in one of the forms that are read."""
    lines = "\n".join(map(json.dumps, MESSAGES))
    path.write_text(
        {"lines": lines, "list": json.dumps(MESSAGES, indent=1), "object": json.dumps({"messages": MESSAGES})}[form]
    )
    return path


@pytest.mark.parametrize(("form", "name"), [("lines", "chat.jsonl"), ("list", "chat.json"), ("object", "chat.json")])
def test_plain_messages_are_read_when_they_are_named(form: str, name: str, tmp_path: Path) -> None:
    data, path = tmp_path / "data", write(tmp_path / name, form)
    result = CliRunner().invoke(
        cli, ["index", "--source", str(path), "--agent", "generic", "--no-embed", "--data-dir", str(data)]
    )
    assert result.exit_code == 0, result.output
    index = Index.open(data)
    [session] = index.sessions.all()
    assert (session.agent, session.project, session.models, session.tool_calls) == ("generic", "chat", ("local-7b",), 1)
    assert blocks(index, session.session_id) == EXPECTED
    assert index.statistics.by_agent()["generic"].unknown_entries == {"narrator": 1}


def test_each_object_with_messages_is_a_session(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    objects = [{"id": "first", "title": "One", "cwd": "/home/ana/code/shop", "messages": MESSAGES[1:2]}]
    objects.append({"messages": [{"role": "user", "content": "Second"}]})
    path.write_text("\n".join(map(json.dumps, objects)))
    index = index_of(tmp_path / "data", path, "generic")
    sessions = {session.session_id.rpartition("-")[0]: session for session in index.sessions.all()}
    assert {number: (session.title, session.project) for number, session in sessions.items()} == {
        "first": ("One", "shop"),
        "many-2": ("Second", "many"),
    }


def test_only_the_last_turn_of_a_growing_file_is_written_again_and_a_bad_line_costs_that_line(tmp_path: Path) -> None:
    path, data = tmp_path / "chat.jsonl", tmp_path / "data"
    lines = [json.dumps({"role": "user", "content": f"Prompt {number}"}) for number in range(5)]
    lines.insert(2, '{"role": "user", "content"')
    path.write_text("\n".join(lines[:4]))
    index = index_of(data, path, "generic")
    assert [source.skipped for source in index.statistics.sources()] == [((2, "not JSON"),)]
    path.write_text("\n".join(lines))
    with Indexer(data) as indexer:
        for _ in indexer.update([Location("generic", path)]):
            pass
        assert indexer.counts.turns_written == 3
    index = Index.open(data)
    [session] = index.sessions.all()
    assert [turn.user_text for turn in index.sessions.turns(session.key)] == [f"Prompt {number}" for number in range(5)]


def test_messages_without_unique_ids_are_not_taken_for_those_of_another_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": "1", "role": "user", "content": f"Hello {name}"}))
    index = index_of(tmp_path / "data", tmp_path, "generic")
    assert sorted(session.title for session in index.sessions.all()) == ["Hello a", "Hello b"]


def test_no_file_is_taken_for_plain_messages_unless_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    write(tmp_path / "src" / "chat.json", "list")
    assert [source.state for source in index_of(tmp_path / "data", tmp_path / "src").statistics.sources()] == [
        "ignored"
    ]


def test_an_agent_is_named_only_with_its_source(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["index", "--agent", "generic", "--data-dir", str(tmp_path / "data")])
    assert (result.exit_code, "--agent needs --source." in result.output) == (2, True)


def test_times_that_are_too_early_or_too_late_cost_nothing_else(tmp_path: Path) -> None:
    text = {"uuid": "h1", "sender": "human", "text": "Round to cents", "content": []}
    times = ("0001-01-01T00:00:00Z", "9998-01-01T00:00:00Z", "2026-06-01T08:00:00Z")
    chats = [
        {"uuid": f"c{year}", "updated_at": time, "chat_messages": [{**text, "uuid": f"h{year}", "created_at": time}]}
        for year, time in enumerate(times)
    ]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(chats))
    index = index_of(tmp_path / "data", path)
    assert {session.session_id: session.turns for session in index.sessions.all()} == {"c0": 1, "c1": 1, "c2": 1}


def test_an_archive_that_cannot_be_decompressed_stops_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([{"mapping": {}, "number": n} for n in range(1000)]))
    content = bytearray((folder / "a.zip").read_bytes())
    content[60:90] = b"\xff" * 30
    (folder / "a.zip").write_bytes(content)
    (folder / "conversations.json").write_text(json.dumps(CHATGPT[:1]))
    index = index_of(tmp_path / "data", folder)
    assert {Path(source.path).name: source.state for source in index.statistics.sources()} == {
        "a.zip": "ignored",
        "conversations.json#c-1": "ok",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs")
@pytest.mark.parametrize("name", ["chat.jsonl", "chat.json", "chat.zip", "conversations.json"])
def test_no_reader_waits_for_a_fifo(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    script = "from pathlib import Path; from memtui_core.readers.registry import all_readers as a\n"
    script += f"[reader.accepts(Path({str(tmp_path / name)!r})) for reader in a()]"
    assert subprocess.run([sys.executable, "-c", script], timeout=20, check=False).returncode == 0


def test_files_of_one_name_are_sessions_of_their_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        messages = [{"role": "user", "content": f"Hello {name}"}]
        (tmp_path / name / "chat.json").write_text(json.dumps(messages))
        (tmp_path / name / "many.json").write_text(json.dumps([{"id": 1, "messages": messages}]))
        (tmp_path / name / "named.json").write_text(json.dumps([{"id": "1", "messages": messages}]))
    index = index_of(tmp_path / "data", tmp_path, "generic")
    assert [session.title for session in sorted(index.sessions.all(), key=lambda session: session.title)] == [
        *["Hello a"] * 3,
        *["Hello b"] * 3,
    ]
