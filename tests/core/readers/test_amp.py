"""Threads of Amp in a real index."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.index.index import Index
from memtui_core.readers.agents.amp.reader import Amp
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.edits import Edit
from support.conversations import shown, tool_calls
from support.indexes import build, update
from support.line_files import damaged, records_of
from support.pictures import picture
from support.systems import HOME_VARIABLE

ROOT = "/home/ana/code/shop"
ID = "T-33333333-cccc-4ccc-8ccc-000000000001"
STARTED = datetime(2026, 2, 1, 9, 0, tzinfo=UTC)
DIFF = f"```diff\n--- {ROOT}/price.py\n+++ {ROOT}/price.py\n@@ -7,1 +7,1 @@\n-return x\n+return round(x, 2)\n```"
Entry = dict[str, Any]


def ms(second: int) -> int:
    return int((STARTED + timedelta(seconds=second)).timestamp() * 1000)


def user(*parts: Any, sent: int | None = None) -> Entry:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"role": "user", "content": content, **({"meta": {"sentAt": ms(sent)}} if sent is not None else {})}


def assistant(*parts: Any, second: int | None = None, counts: tuple[int, int, int, int] = (0, 0, 0, 0)) -> Entry:
    names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    usage = {"model": "opus-5", **dict(zip(names, counts, strict=True))}
    if second is not None:
        usage["timestamp"] = (STARTED + timedelta(seconds=second)).isoformat()
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"role": "assistant", "content": content, "state": {"type": "complete"}, "usage": usage}


def use(tool_id: str, name: str, **arguments: Any) -> Entry:
    return {"type": "tool_use", "complete": True, "id": tool_id, "name": name, "input": arguments}


def run(tool_id: str, status: str, **fields: Any) -> Entry:
    return {"type": "tool_result", "toolUseID": tool_id, "run": {"status": status, **fields}}


MESSAGES = [
    user("Round the prices", "<system-reminder>Be brief.</system-reminder>", sent=5),
    assistant(
        {"type": "thinking", "thinking": "Two digits.", "signature": "x", "provider": "anthropic"},
        {"type": "redacted_thinking", "data": "x"},
        "I round them.",
        use("t1", "Read", path=f"{ROOT}/price.py", read_range=[1, 9]),
        use("t2", "edit_file", path=f"{ROOT}/price.py", old_str="return x", new_str="return round(x, 2)"),
        use("t3", "Bash", cmd="pytest", cwd=ROOT),
        use("t4", "Grep", pattern="x", path=ROOT),
        use("t5", "undo_edit", path="a.py"),
        use("t6", "web_search", query="round"),
        use("t7", "create_file", path="b.py", content="y"),
        use("t8", "painter", prompt="a cat"),
        use("t9", "mcp__x", y=1),
        second=20,
        counts=(10, 5, 200, 40),
    ),
    user(
        run("t1", "done", result={"absolutePath": f"{ROOT}/price.py", "content": "7: return x"}),
        run("t2", "done", result={"diff": DIFF, "lineRange": [7, 7]}),
        run("t3", "done", result={"output": "1 failed", "exitCode": 1}),
        run("t4", "done", result=["a.py:1:x", "b.py:2:x"]),
        run("t5", "error", error={"message": "nothing to undo"}),
        run("t6", "cancelled"),
        run("t7", "rejected-by-user", reason="Not now."),
        run("t8", "done", result=[{"type": "image", "mimeType": "image/png", "data": "AAAA"}]),
        run("t9", "in-progress", progress="half"),
    ),
    assistant("Rounded.", counts=(1, 2, 3, 4)),
    {"role": "info", "content": [{"type": "summary", "summary": {"type": "message", "summary": "We rounded."}}]},
    user("And this?", {"type": "image", "source": {"mediaType": "image/png", "data": "AAAA"}}, sent=90),
    assistant("A cat.", second=95),
]


def compact(**value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


EXPECTED = [
    (
        "human",
        [
            ("user", "Round the prices"),
            ("note reminder", "<system-reminder>Be brief.</system-reminder>"),
            ("thinking", "Two digits."),
            ("text", "I round them."),
            ("tool_call Read", compact(path=f"{ROOT}/price.py", read_range=[1, 9])),
            *[
                (
                    "tool_call edit_file",
                    compact(path=f"{ROOT}/price.py", old_str="return x", new_str="return round(x, 2)"),
                )
            ],
            ("tool_call Bash", compact(cmd="pytest", cwd=ROOT)),
            ("tool_call Grep", compact(pattern="x", path=ROOT)),
            ("tool_call undo_edit", compact(path="a.py")),
            ("tool_call web_search", compact(query="round")),
            ("tool_call create_file", compact(path="b.py", content="y")),
            ("tool_call painter", compact(prompt="a cat")),
            ("tool_call mcp__x", compact(y=1)),
            ("tool_result Read", "7: return x"),
            ("tool_result edit_file", DIFF),
            ("tool_result Bash!", "1 failed"),
            ("tool_result Grep", "a.py:1:x\nb.py:2:x"),
            ("tool_result undo_edit!", "nothing to undo"),
            ("tool_result web_search!", "cancelled"),
            ("tool_result create_file!", "Not now."),
            ("tool_result painter", "[image/png 1 kB]"),
            ("text", "Rounded."),
        ],
    ),
    ("compaction", [("user", "We rounded.")]),
    ("human", [("user", "And this?"), ("image", "[image/png 1 kB]"), ("text", "A cat.")]),
]
REPOSITORY = {"type": "git", "url": "https://git.example.org/ana/shop.git", "ref": "refs/heads/rounding", "sha": "1a"}
ENVIRONMENT = {
    "initial": {
        "trees": [{"displayName": "shop", "uri": f"file://{ROOT}", "repository": REPOSITORY}],
        "platform": {"client": "CLI", "clientVersion": "0.0.1770000000"},
    }
}


def thread(messages: Any, **more: Any) -> Entry:
    return {"v": 9, "id": ID, "created": ms(0), "messages": messages, "env": ENVIRONMENT, "title": "Rounding", **more}


def write(tmp_path: Path, document: Any, name: str = ID) -> Path:
    folder = tmp_path / "home" / "amp" / "threads"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document, indent=2))
    return path


def index_of(tmp_path: Path) -> Index:
    return build(tmp_path / "data", tmp_path / "home", agent="amp")


def test_everything_in_a_thread(tmp_path: Path) -> None:
    write(tmp_path, thread(MESSAGES))
    index = index_of(tmp_path)
    (found,) = index.sessions.all()
    assert shown(index, ID) == EXPECTED
    assert (found.agent, found.session_id, found.cwd, found.project) == ("amp", ID, ROOT, "shop")
    assert (found.title, found.version, found.branch) == ("Rounding", "0.0.1770000000", "rounding")
    assert (found.models, found.input_tokens, found.output_tokens) == (("opus-5",), 11, 7)
    assert [(turn.started_at, turn.ended_at) for turn in index.sessions.turns(found.key)] == [
        (STARTED + timedelta(seconds=5), STARTED + timedelta(seconds=20)),
        (STARTED + timedelta(seconds=20), STARTED + timedelta(seconds=20)),
        (STARTED + timedelta(seconds=90), STARTED + timedelta(seconds=95)),
    ]
    assert resume_command(found) == ["amp", "threads", "continue", ID]
    assert Amp().start_command("Hi") is None
    read, edit, shell, *_, create, _, unfinished = tool_calls(index, ID)
    assert (read.family, read.path) == ("read", f"{ROOT}/price.py")
    assert edit.edits == (Edit(f"{ROOT}/price.py", "replace", "return x", "return round(x, 2)"),)
    assert diff_of(edit) == "@@ -7,1 +7,1 @@\n-return x\n+return round(x, 2)"
    assert (shell.command, shell.exit_code, shell.is_error) == ("pytest", 1, True)
    assert (create.family, create.is_error, unfinished.result) == ("write", True, None)
    assert [one.turn for one in index.compactions.of_session(found.key)] == [2]


def test_a_thread_of_the_first_versions(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": ["Hello", use("t1", "list_directory", path=".")]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}]},
        user(run("t2", "done", result={"success": False}), run("t3", "done", result=[]), run("t4", "error")),
    ]
    write(tmp_path, {"id": ID, "created": ms(3), "messages": messages})
    index = index_of(tmp_path)
    assert shown(index, ID) == [
        (
            "human",
            [
                ("user", "Hi"),
                ("text", "Hello"),
                ("tool_call list_directory", '{"path":"."}'),
                ("tool_result list_directory", "a.py"),
                ("tool_result!", '{"success":false}'),
                ("tool_result", ""),
                ("tool_result!", ""),
            ],
        )
    ]
    (found,) = index.sessions.all()
    assert (found.started_at, found.ended_at, found.cwd, found.title) == (
        (STARTED + timedelta(seconds=3), STARTED + timedelta(seconds=3), "", "Hi")
    )


def test_a_thread_that_is_written_again_comes_to_the_same(tmp_path: Path) -> None:
    for messages in (MESSAGES[:1], MESSAGES[:2], MESSAGES[:4], MESSAGES, [MESSAGES[0], MESSAGES[6]], MESSAGES):
        write(tmp_path, thread(messages))
        update(tmp_path / "data", tmp_path / "home", agent="amp")
    update(tmp_path / "fresh", tmp_path / "home", agent="amp")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")
    assert shown(Index.open(tmp_path / "data"), ID) == EXPECTED


def test_a_prompt_beside_results_begins_a_turn_however_often_it_is_read(tmp_path: Path) -> None:
    called = [user("List"), assistant(use("t1", "Bash", cmd="ls"))]
    both = user(run("t1", "done", result="a.py"), "And then?", sent=30)
    for messages in (called, [*called, both], [*called, both, assistant("Done")], called, [*called, both]):
        write(tmp_path, thread(messages))
        update(tmp_path / "data", tmp_path / "home", agent="amp")
    update(tmp_path / "fresh", tmp_path / "home", agent="amp")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")
    assert shown(Index.open(tmp_path / "data"), ID) == [
        ("human", [("user", "List"), ("tool_call Bash", '{"cmd":"ls"}'), ("tool_result Bash", "a.py")]),
        ("human", [("user", "And then?")]),
    ]


def test_a_bad_message_costs_itself_and_a_bad_document_the_file(tmp_path: Path) -> None:
    strange = [
        user("Hi", {"type": "radar"}),
        None,
        {"role": "parent", "content": []},
        assistant({"type": "sonar"}, "Hello"),
        {"role": "info", "content": [{"type": "summary", "summary": {"type": "thread", "thread": "T-1"}}]},
    ]
    write(tmp_path, thread(strange))
    write(tmp_path, '{"id": "T-', "T-broken")
    write(tmp_path, "[]", "T-list")
    index = index_of(tmp_path)
    assert shown(index, ID) == [("human", [("user", "Hi"), ("text", "Hello")])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not a JSON object")]
    assert index.snapshot.rows("SELECT line, kind, raw FROM unknown_entries ORDER BY line") == [
        (0, "radar", '{"type":"radar"}'),
        (2, "parent", '{"role":"parent","content":[]}'),
        (3, "sonar", '{"type":"sonar"}'),
        (4, "summary", '{"type":"summary","summary":{"type":"thread","thread":"T-1"}}'),
    ]
    errors = {Path(source.path).stem: source.error for source in index.statistics.sources() if source.state == "error"}
    assert set(errors) == {"T-broken", "T-list"}
    assert "not a JSON object" in str(errors["T-list"])


@settings(deadline=None, max_examples=100)
@given(messages=damaged([*MESSAGES, assistant("The end")]))
def test_values_of_wrong_types_count_as_absent(messages: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write(tmp_path_factory.getbasetemp() / "amp", thread(messages))
    found = [record for record in records_of(Amp(), path) if isinstance(record, Message)]
    assert found[-1].blocks[-1].text == "The end"


def test_which_files_are_threads(tmp_path: Path) -> None:
    copy, other, odd = tmp_path / "T-copy.json", tmp_path / "T-other.json", tmp_path / "copy.json"
    copy.write_text(json.dumps(thread(MESSAGES)))
    odd.write_text(json.dumps(thread(MESSAGES)))
    other.write_text('{"id": "T-1"}')
    folder = Path("/home/ana/.local/share/amp/threads")
    # The first of these files do not exist.
    paths = [folder / f"{ID}.json", folder / "index.json", folder.parent / "T-1.json", copy, other, odd]
    assert [Amp().accepts(path) for path in paths] == [True, False, False, True, False, False]
    assert getattr(reader_for(copy), "agent", None) == "amp"


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    assert Amp().default_locations({}) == [Path("/home/ana/.local/share/amp/threads")]
    assert Amp().default_locations({"XDG_DATA_HOME": "/x"}) == [Path("/x/amp/threads")]
