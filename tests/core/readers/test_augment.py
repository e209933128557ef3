"""Sessions of Auggie in a real index."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.index.index import Index
from memtui_core.readers.agents.augment.reader import Augment
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.edits import Edit, edits_of
from support.conversations import shown, tool_calls
from support.indexes import build, update
from support.line_files import damaged, records_of
from support.pictures import picture
from support.systems import HOME_VARIABLE

ROOT = "/home/ana/code/shop"
ID = "22222222-bbbb-4bbb-8bbb-000000000001"
STARTED = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
Entry = dict[str, Any]


def at(second: int) -> str:
    return (STARTED + timedelta(seconds=second)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ms(second: int) -> int:
    return int((STARTED + timedelta(seconds=second)).timestamp() * 1000)


def exchange(second: int, message: str, request: list[Any], response: list[Any], text: str = "", **more: Any) -> Entry:
    fields = {"request_message": message, "request_nodes": request, "response_text": text, "response_nodes": response}
    about = {"request_id": f"r{second}", "model_id": "sonnet-5"}
    return {"exchange": {**about, **fields}, "completed": True, "finishedAt": at(second), **more}


def text(content: str) -> Entry:
    return {"id": 0, "type": 0, "text_node": {"content": content}}


def result(tool_id: str, content: str, **more: Any) -> Entry:
    return {"id": 1, "type": 1, "tool_result_node": {"tool_use_id": tool_id, "content": content, **more}}


def use(tool_id: str, name: str, arguments: Any, second: int) -> Entry:
    fields = {"tool_use_id": tool_id, "tool_name": name, "started_at_ms": ms(second)}
    return {"id": 3, "type": 5, "tool_use": {**fields, "input_json": json.dumps(arguments)}}


def out(content: str, second: int) -> Entry:
    return {"id": 1, "type": 0, "content": content, "timestamp_ms": ms(second)}


def spent(*counts: int) -> Entry:
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return {"id": 4, "type": 10, "token_usage": dict(zip(names, counts, strict=True))}


STATE = {
    "id": 2,
    "type": 4,
    "ide_state_node": {
        "workspace_folders": [{"folder_root": ROOT, "repository_root": "/home/ana/code"}],
        "current_terminal": {"current_working_directory": f"{ROOT}/src"},
    },
}
EDIT = {
    "command": "str_replace",
    "path": "price.py",
    "old_str_1": "return x",
    "new_str_1": "return round(x, 2)",
    "old_str_start_line_number_1": 2,
    "old_str_2": "# old",
    "new_str_2": "",
}
FAILED = "Here are the results from executing the command.\n<return-code>\n2\n</return-code>\n<output>\nno\n</output>"
SEEN = f"     1\tDEBUG = '{FAILED}'"
CHAT = [
    exchange(
        9,
        "Round the prices",
        [text("Round the prices"), text("<supervisor>\nBe brief.\n</supervisor>"), STATE],
        [
            {"id": 2, "type": 8, "thinking": {"content": "", "summary": "Two digits."}},
            out("I round them.", 3),
            {"id": 2, "type": 7, "tool_use": {"tool_use_id": "t1", "tool_name": "view"}},
            use("t1", "view", {"path": "price.py", "type": "file"}, 4),
            use("t2", "str-replace-editor", EDIT, 5),
            {"id": 6, "type": 2, "content": "I round them."},
            spent(10, 5, 200, 40),
        ],
        "I round them.",
    ),
    exchange(
        12,
        "",
        [result("t1", SEEN, is_error=False), result("t2", "Edited")],
        [use("t3", "launch-process", {"command": "pytest", "cwd": ROOT, "wait": True}, 11), spent(1, 2, 3, 4)],
    ),
    exchange(15, "", [result("t3", FAILED)], [], "One test fails."),
    exchange(
        60,
        "Then fix it",
        [
            {"id": 5, "type": 10, "history_summary_node": {"summary_text": "We round.", "history_end": [{"x": "no"}]}},
            result("t9", "", content_nodes=[{"type": 1, "text_content": "seen"}, {"type": 2, "image_content": {}}]),
            text("Then fix it"),
            {"id": 6, "type": 2, "image_node": {"image_data": "AAAA", "format": 1}},
        ],
        [use("t4", "save-file", {"path": "test.py", "file_content": "x = 1\n"}, 59), out("Fixed.", 59)],
    ),
]


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


EXPECTED = [
    (
        "human",
        [
            ("user", "Round the prices"),
            ("note reminder", "<supervisor>\nBe brief.\n</supervisor>"),
            ("thinking", "Two digits."),
            ("text", "I round them."),
            ("tool_call view", '{"path":"price.py","type":"file"}'),
            ("tool_call str-replace-editor", compact(EDIT)),
            ("tool_result view", SEEN),
            ("tool_result str-replace-editor", "Edited"),
            ("tool_call launch-process", compact({"command": "pytest", "cwd": ROOT, "wait": True})),
            ("tool_result launch-process!", FAILED),
            ("text", "One test fails."),
            ("tool_result", "seen\n[image]"),
        ],
    ),
    ("compaction", [("user", "We round.")]),
    (
        "human",
        [
            ("user", "Then fix it"),
            ("image", "[image/png 1 kB]"),
            ("tool_call save-file", '{"path":"test.py","file_content":"x = 1\\n"}'),
            ("text", "Fixed."),
        ],
    ),
]


def session(chat: Any, **more: Any) -> Entry:
    return {"sessionId": ID, "created": at(0), "modified": at(60), "chatHistory": chat, **more}


def write(tmp_path: Path, document: Any, name: str = ID) -> Path:
    folder = tmp_path / "home" / ".augment" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document, indent=2))
    return path


def index_of(tmp_path: Path) -> Index:
    return build(tmp_path / "data", tmp_path / "home", agent="augment")


def test_everything_in_a_session(tmp_path: Path) -> None:
    write(tmp_path, session(CHAT, customTitle=" Rounding "))
    index = index_of(tmp_path)
    (found,) = index.sessions.all()
    assert shown(index, ID) == EXPECTED
    assert (found.agent, found.session_id, found.cwd, found.project) == ("augment", ID, ROOT, "shop")
    assert (found.title, found.models, found.input_tokens, found.output_tokens) == ("Rounding", ("sonnet-5",), 11, 7)
    assert [(turn.started_at, turn.ended_at) for turn in index.sessions.turns(found.key)] == [
        (STARTED, STARTED + timedelta(seconds=59)),
        (STARTED + timedelta(seconds=59), STARTED + timedelta(seconds=59)),
        (STARTED + timedelta(seconds=59), STARTED + timedelta(seconds=60)),
    ]
    assert resume_command(found) == ["auggie", "--resume", ID]
    assert Augment().start_command("Hi") == ["auggie", "Hi"]
    view, edit, shell, save = tool_calls(index, ID)
    assert [(call.family, call.path) for call in (view, edit, save)] == [
        ("read", "price.py"),
        ("edit", "price.py"),
        ("write", "test.py"),
    ]
    assert edit.edits == (
        Edit("price.py", "replace", "return x", "return round(x, 2)"),
        Edit("price.py", "replace", "# old", ""),
    )
    assert diff_of(edit) == "@@ -1,1 +1,1 @@\n-return x\n+return round(x, 2)\n@@ -1,1 +0,0 @@\n-# old"
    assert (shell.command, shell.exit_code, shell.is_error) == ("pytest", 2, True)
    assert save.edits == (Edit("test.py", "write", "", "x = 1\n"),)
    assert [one.turn for one in index.compactions.of_session(found.key)] == [2]


def test_an_exchange_without_nodes_has_texts(tmp_path: Path) -> None:
    chat = [
        exchange(5, "Hi", [], [], "Hello"),
        exchange(6, "", [text("And")], [{"type": 0, "text_node": {"content": "Yes"}}, {"type": 2, "content": "Yes"}]),
        exchange(7, "Hi was said", [], [], "", isHistorySummary=True),
        exchange(8, "<rules>\nShort\n</rules>", [text("Go on")], [{"type": 2, "content": "Done"}]),
        exchange(9, "<b>Pay</b>", [text("<b>Pay</b>"), text("<rules>\nShort\n</rules>")], [], "Bold"),
    ]
    write(tmp_path, session(chat, workspaceRoot="/home/ana/code/site"))
    index = index_of(tmp_path)
    assert shown(index, ID) == [
        ("human", [("user", "Hi"), ("text", "Hello")]),
        ("human", [("user", "And"), ("text", "Yes")]),
        ("compaction", [("user", "Hi was said")]),
        ("human", [("user", "Go on"), ("note reminder", "<rules>\nShort\n</rules>"), ("text", "Done")]),
        ("human", [("user", "<b>Pay</b>"), ("note reminder", "<rules>\nShort\n</rules>"), ("text", "Bold")]),
    ]
    (found,) = index.sessions.all()
    assert (found.cwd, found.title, found.models) == ("/home/ana/code/site", "Hi", ("sonnet-5",))


@pytest.mark.parametrize(
    ("fields", "edits"),
    [
        ({"command": "insert", "insert_line_1": 3, "new_str_1": "x"}, (Edit("a", "part", "", "x"),)),
        ({"old_str_1": 5, "new_str_1": "x"}, (Edit("a", "unknown"),)),
        ({"str_replace_entries": [{"old_str": "x", "new_str": "y"}]}, (Edit("a", "replace", "x", "y"),)),
        ({"old_str": "x", "new_str": "y"}, (Edit("a", "replace", "x", "y"),)),
    ],
)
def test_edits_by_numbered_arguments(fields: Entry, edits: tuple[Edit, ...]) -> None:
    assert edits_of("edit", "a", fields) == edits


def test_a_session_that_is_written_again_comes_to_the_same(tmp_path: Path) -> None:
    unfinished = [exchange(9, "Round the prices", [text("Round the prices")], [])]
    for chat in (unfinished, CHAT[:1], CHAT[:2], CHAT[:3], CHAT, [CHAT[0], CHAT[3]], CHAT):
        write(tmp_path, session(chat))
        update(tmp_path / "data", tmp_path / "home", agent="augment")
    update(tmp_path / "fresh", tmp_path / "home", agent="augment")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")
    assert shown(Index.open(tmp_path / "data"), ID) == EXPECTED


def test_a_bad_exchange_costs_itself_and_a_bad_document_the_file(tmp_path: Path) -> None:
    strange = exchange(7, "Hi", [{"type": 77}], [{"type": "x"}, out("Hello", 6)])
    write(tmp_path, session([strange, 5, {"sequenceId": 3}]))
    write(tmp_path, '{"sessionId": "', "broken")
    write(tmp_path, "[]", "list")
    index = index_of(tmp_path)
    assert shown(index, ID) == [("human", [("user", "Hi"), ("text", "Hello")])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not a JSON object")]
    assert index.snapshot.rows("SELECT line, kind, raw FROM unknown_entries ORDER BY line, kind") == [
        (0, "request node 77", '{"type":77}'),
        (0, "response node x", '{"type":"x"}'),
        (2, "without a type", '{"sequenceId":3}'),
    ]
    errors = {Path(source.path).stem: source.error for source in index.statistics.sources() if source.state == "error"}
    assert set(errors) == {"broken", "list"}
    assert "not a JSON object" in str(errors["list"])


@settings(deadline=None, max_examples=100)
@given(chat=damaged([*CHAT, exchange(70, "Bye", [], [], "The end")]))
def test_values_of_wrong_types_count_as_absent(chat: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write(tmp_path_factory.getbasetemp() / "augment", session(chat))
    messages = [record for record in records_of(Augment(), path) if isinstance(record, Message)]
    assert messages[-1].blocks[-1].text == "The end"


def test_which_files_are_sessions(tmp_path: Path) -> None:
    copy, other = tmp_path / "copy.json", tmp_path / "other.json"
    copy.write_text(json.dumps(session(CHAT)))
    other.write_text('{"sessionId": "x"}')
    home = Path("/home/ana/.augment")
    # The first of these files do not exist.
    paths = [home / "sessions" / f"{ID}.json", home / "session.json", home / "sessions" / "x.txt", copy, other]
    assert [Augment().accepts(path) for path in paths] == [True, False, False, True, False]
    assert getattr(reader_for(copy), "agent", None) == "augment"


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    assert Augment().default_locations({}) == [Path("/home/ana/.augment/sessions")]
