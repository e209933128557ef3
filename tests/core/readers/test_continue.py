"""Sessions of Continue: of `cn` and of the extensions, in a real index."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.index.index import Index
from memtui_core.readers.agents.continue_dev.reader import Continue
from memtui_core.readers.records import BadLine, Message, TitleRecord
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.edits import Edit
from support.conversations import shown, tool_calls
from support.indexes import build, update
from support.line_files import damaged, records_of
from support.pictures import picture
from support.systems import HOME_VARIABLE

ROOT = "/home/ana/code/shop"
ID = "11111111-aaaa-4aaa-8aaa-000000000001"
STARTED = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
DIFF = "Index: price.py\n===\n--- price.py\n+++ price.py\n@@ -7,1 +7,1 @@\n-return x\n+return round(x, 2)\n"
IMAGE = "data:image/png;base64,AAAA"
Item = dict[str, Any]


def asked(content: Any, *context: str) -> Item:
    items = [{"name": "x", "description": "x", "content": text} for text in context]
    return {"message": {"role": "user", "content": content}, "contextItems": items, "editorState": content}


def said(content: Any, *states: Item, usage: Any = None, **more: Any) -> Item:
    message = {"role": "assistant", "content": content, "toolCalls": [state["toolCall"] for state in states]}
    if usage is not None:
        message["usage"] = usage
    return {"message": message, "contextItems": [], "toolCallStates": list(states), **more}


def state(
    tool_id: str, tool: str, arguments: Any, output: str | None = None, status: str = "done", **about: Any
) -> Item:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    outputs = [] if output is None else [{"name": "Tool Result", "description": "", "content": output, **about}]
    function = {"name": tool, "arguments": text}
    return {
        "toolCallId": tool_id,
        "toolCall": {"id": tool_id, "type": "function", "function": function},
        "status": status,
        "parsedArgs": {} if isinstance(arguments, str) else arguments,
        "output": outputs,
    }


def tokens(prompt: int, completion: int, read: int = 0, written: int = 0) -> Item:
    details = {"cached_tokens": read, "cache_read_tokens": read, "cache_write_tokens": written}
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "prompt_tokens_details": details}
    return {**counts, "model": "sonnet-5"}


def total(prompt: int, completion: int, read: int, written: int) -> Item:
    details = {"cachedTokens": read, "cacheWriteTokens": written}
    return {"promptTokens": prompt, "completionTokens": completion, "promptTokensDetails": details, "totalCost": 0.1}


LOG = f"Error writing to file: EACCES\nDiff:\n{DIFF}"
"""What a file contains looks like the results of other tools."""
EDIT = {"file_path": f"{ROOT}/price.py", "old_string": "return x", "new_string": "return round(x, 2)"}
HISTORY = [
    asked("Round the prices", "def price(x):"),
    said(
        "I round them.",
        state("c1", "Read", {"filepath": f"{ROOT}/price.py"}, LOG),
        state("c2", "Edit", EDIT, f"Successfully edited {ROOT}/price.py\nDiff:\n{DIFF}"),
        state("c3", "Bash", {"command": "pytest"}, "Error (exit code 1): 1 failed", "errored"),
        state("c4", "Write", {"filepath": "/etc/x", "content": "x"}, "Error writing to file: EACCES"),
        state("c5", "Bash", {"command": "make"}, "Permission denied by user", "canceled"),
        state("c6", "MultiEdit", '{"file_path": "a', None, "generating"),
        usage=tokens(100, 20, 30, 40),
    ),
    said("Rounded.", usage=tokens(5, 6, 70)),
    asked([{"type": "text", "text": "And this?"}, {"type": "imageUrl", "imageUrl": {"url": IMAGE}}]),
    said("A cat."),
]


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


EXPECTED = [
    (
        "human",
        [
            ("user", "Round the prices"),
            ("note reminder", "def price(x):"),
            ("text", "I round them."),
            ("tool_call Read", compact({"filepath": f"{ROOT}/price.py"})),
            ("tool_call Edit", compact(EDIT)),
            ("tool_call Bash", '{"command":"pytest"}'),
            ("tool_call Write", '{"filepath":"/etc/x","content":"x"}'),
            ("tool_call Bash", '{"command":"make"}'),
            ("tool_call MultiEdit", '"{\\"file_path\\": \\"a"'),
            ("tool_result Read", LOG),
            ("tool_result Edit", f"Successfully edited {ROOT}/price.py\nDiff:\n{DIFF}"),
            ("tool_result Bash!", "Error (exit code 1): 1 failed"),
            ("tool_result Write!", "Error writing to file: EACCES"),
            ("tool_result Bash!", "Permission denied by user"),
            ("text", "Rounded."),
        ],
    ),
    ("human", [("user", "And this?"), ("image", "[image/png 1 kB]"), ("text", "A cat.")]),
]


def session(history: Any, **more: Any) -> Item:
    return {"sessionId": ID, "title": "Rounding", "workspaceDirectory": ROOT, "history": history, **more}


def write(tmp_path: Path, document: Any, name: str = ID) -> Path:
    folder = tmp_path / "home" / ".continue" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document, indent=2))
    return path


def index_of(tmp_path: Path) -> Index:
    return build(tmp_path / "data", tmp_path / "home", agent="continue")


def spent(index: Index) -> tuple[int, ...]:
    """The tokens of input and output, and those read from the cache and written to it."""
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    (row,) = index.snapshot.rows(f"SELECT {', '.join(f'sum({name})::BIGINT' for name in names)} FROM turns")
    return tuple(row)


def test_everything_in_a_session_of_the_terminal(tmp_path: Path) -> None:
    write(tmp_path, session(HISTORY, usage=total(105, 26, 100, 40)))
    write(tmp_path, [{"sessionId": ID, "dateCreated": str(int(STARTED.timestamp() * 1000))}], "sessions")
    index = index_of(tmp_path)
    (found,) = index.sessions.all()
    assert shown(index, ID) == EXPECTED
    assert (found.agent, found.session_id, found.cwd, found.project, found.title) == (
        ("continue", ID, ROOT, "shop", "Rounding")
    )
    assert (found.models, spent(index)) == (("sonnet-5",), (105, 26, 100, 40))
    assert [turn.started_at for turn in index.sessions.turns(found.key)] == [STARTED, None]
    assert resume_command(found) == ["cn", "--fork", ID]
    assert Continue().start_command("Hi") == ["cn", "Hi"]
    read, edit, failed, written, rejected, unfinished = tool_calls(index, ID)
    assert [call.family for call in (read, edit, failed, written)] == ["read", "edit", "shell", "write"]
    assert read.path == f"{ROOT}/price.py"
    assert edit.edits == (Edit(f"{ROOT}/price.py", "replace", "return x", "return round(x, 2)"),)
    assert diff_of(edit) == "@@ -7,1 +7,1 @@\n-return x\n+return round(x, 2)"
    assert (failed.command, failed.exit_code, failed.is_error) == ("pytest", 1, True)
    assert (written.is_error, written.rejected) == (True, False)
    assert (rejected.is_error, rejected.rejected, unfinished.result) == (True, True, None)
    assert index.statistics.sources()[0].path.endswith(f"{ID}.json")


def test_everything_in_a_session_of_an_extension(tmp_path: Path) -> None:
    replace = {"filepath": "price.py", "old_string": "x", "new_string": "y", "replace_all": True}
    several = {"filepath": "a.py", "edits": [{"old_string": "1", "new_string": "2"}]}
    shared = {"contextItems": [], "promptLogs": [{"modelTitle": "Opus"}]}
    history = [
        asked("Round"),
        {"message": {"role": "thinking", "content": "Two digits."}, "contextItems": []},
        {"message": {"role": "thinking", "content": "hidden", "redactedThinking": "x"}, "contextItems": []},
        said(
            "Yes.",
            state("t1", "single_find_and_replace", replace, "Edited"),
            state("t2", "run_terminal_command", {"command": "pytest"}, "no", name="Tool Call Error"),
            reasoning={"active": False, "text": "Hm.", "startAt": int(STARTED.timestamp() * 1000)},
            **shared,
        ),
        # Older versions have one call, and repeat its output.
        {
            "message": {"role": "assistant", "content": "", "toolCalls": [{"id": "t3", "function": {"name": "ls"}}]},
            "toolCallState": state("t3", "builtin_ls", {"dirPath": "src"}, "a.py"),
        },
        {"message": {"role": "tool", "content": "a.py", "toolCallId": "t3"}, "contextItems": []},
        {"message": {"role": "tool", "content": "alone", "toolCallId": "t4"}, "contextItems": []},
        {"message": {"role": "system", "content": "Be brief."}},
        said("Done.", state("t5", "multi_edit", several, "Edited"), conversationSummary="Rounded x."),
        asked("continue"),
    ]
    document = session(history, chatModelTitle="Sonnet", mode="agent") | {"workspaceDirectory": f"file://{ROOT}%20a"}
    write(tmp_path, {"history": document.pop("history"), **document})
    index = index_of(tmp_path)
    (found,) = index.sessions.all()
    assert shown(index, ID) == [
        (
            "human",
            [
                ("user", "Round"),
                ("thinking", "Two digits."),
                ("thinking", "Hm."),
                ("text", "Yes."),
                ("tool_call single_find_and_replace", compact(replace)),
                ("tool_call run_terminal_command", '{"command":"pytest"}'),
                ("tool_result single_find_and_replace", "Edited"),
                ("tool_result run_terminal_command!", "no"),
                ("tool_call builtin_ls", '{"dirPath":"src"}'),
                ("tool_result builtin_ls", "a.py"),
                ("tool_result", "alone"),
                ("note meta", "Be brief."),
                ("text", "Done."),
                ("tool_call multi_edit", compact(several)),
                ("tool_result multi_edit", "Edited"),
            ],
        ),
        ("compaction", [("user", "Rounded x.")]),
        # Only `cn` writes this prompt itself, after a summary that replaced the history.
        ("human", [("user", "continue")]),
    ]
    assert (found.cwd, set(found.models)) == (f"{ROOT} a", {"Opus", "Sonnet"})
    calls = tool_calls(index, ID)
    assert calls[0].edits == (Edit("price.py", "replace", "x", "y", everywhere=True),)
    assert (diff_of(calls[3]), calls[2].family) == ("@@ -1,1 +1,1 @@\n-1\n+2", "search")
    assert [one.turn for one in index.compactions.of_session(found.key)] == [2]


def test_a_compaction_of_the_terminal_keeps_its_tokens(tmp_path: Path) -> None:
    summary = said("We rounded.", conversationSummary="We rounded.")
    history = [summary, asked("continue"), said("Next."), asked("continue"), said("More.", usage=tokens(10, 2))]
    write(tmp_path, session(history, usage=total(110, 22, 300, 0)))
    index = index_of(tmp_path)
    assert shown(index, ID) == [
        ("compaction", [("user", "We rounded."), ("note meta", "continue"), ("text", "Next.")]),
        ("human", [("user", "continue"), ("text", "More.")]),
    ]
    assert spent(index) == (110, 22, 300, 0)


def test_cached_tokens_of_other_providers_are_part_of_the_input(tmp_path: Path) -> None:
    details = {"prompt_tokens_details": {"cached_tokens": 80}}
    camel = {"promptTokens": 50, "completionTokens": 1, "promptTokensDetails": {"cachedTokens": 90}}
    history = [
        asked("Hi"),
        said("A", usage={"prompt_tokens": 100, "completion_tokens": 2, **details}),
        said("B", usage=camel),
    ]
    write(tmp_path, session(history))
    assert spent(index_of(tmp_path)) == (20, 3, 130, 0)


@pytest.mark.parametrize("title", ["New Session", "Untitled Session", "", None])
def test_a_session_without_a_title_has_none(tmp_path: Path, title: str | None) -> None:
    path = write(tmp_path, session(HISTORY) | {"title": title})
    assert [record for record in records_of(Continue(), path) if isinstance(record, TitleRecord)] == []


def test_a_session_that_is_written_again_comes_to_the_same(tmp_path: Path) -> None:
    running = [*HISTORY[:1], said("I", state("c1", "Bash", {"command": "ls"}, "a", "calling"), usage=tokens(1, 1))]
    histories = (HISTORY[:1], running, HISTORY[:2], HISTORY, [HISTORY[0], said("Another answer")], HISTORY)
    for number, history in enumerate(histories):
        write(tmp_path, session(history, usage=total(200, 50, 100, 40), chatModelTitle=f"Model {number}"))
        update(tmp_path / "data", tmp_path / "home", agent="continue")
    update(tmp_path / "fresh", tmp_path / "home", agent="continue")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")
    assert shown(Index.open(tmp_path / "data"), ID) == EXPECTED


def test_a_summary_after_an_answer_begins_a_turn_however_often_it_is_read(tmp_path: Path) -> None:
    summed = [asked("Hi"), said("Hello", conversationSummary="Greetings")]
    for history in (summed[:1], summed, [*summed, asked("Bye")], summed, [*summed, said("More")]):
        write(tmp_path, session(history))
        update(tmp_path / "data", tmp_path / "home", agent="continue")
    update(tmp_path / "fresh", tmp_path / "home", agent="continue")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")
    assert shown(Index.open(tmp_path / "data"), ID) == [
        ("human", [("user", "Hi"), ("text", "Hello")]),
        ("compaction", [("user", "Greetings"), ("text", "More")]),
    ]


def test_a_bad_item_costs_itself_and_a_bad_document_the_file(tmp_path: Path) -> None:
    write(
        tmp_path, session([asked("Hi"), "no item", {"message": {"role": "radar", "x": 1}}, {"odd": 1}, said("Hello")])
    )
    write(tmp_path, '{"sessionId": "', "broken")
    write(tmp_path, "[]", "list")
    index = index_of(tmp_path)
    assert shown(index, ID) == [("human", [("user", "Hi"), ("text", "Hello")])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not a JSON object")]
    rows = index.snapshot.rows("SELECT kind, raw FROM unknown_entries ORDER BY line")
    assert rows == [("radar", '{"message":{"role":"radar","x":1}}'), ("without a type", '{"odd":1}')]
    states = {Path(source.path).stem: (source.state, source.error) for source in index.statistics.sources()}
    assert states[ID][0] == "partial"
    assert {name: found[0] for name, found in states.items() if name != ID} == {"broken": "error", "list": "error"}
    assert "not JSON" in str(states["broken"][1])
    assert "not a JSON object" in str(states["list"][1])


@settings(deadline=None, max_examples=100)
@given(history=damaged([*HISTORY, said("A dog.", conversationSummary="Dogs"), said("The end")]))
def test_values_of_wrong_types_count_as_absent(history: list[Item], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write(tmp_path_factory.getbasetemp() / "continue", session(history, usage=history))
    found = records_of(Continue(), path)
    messages = [record for record in found if isinstance(record, Message)]
    assert messages[-1].blocks[-1].text == "The end"
    assert not any(isinstance(record, BadLine) for record in found)


def test_which_files_are_sessions(tmp_path: Path) -> None:
    copy, other = tmp_path / "copy.json", tmp_path / "other.json"
    copy.write_text(json.dumps(session(HISTORY)))
    other.write_text('{"sessionId": "x", "history": []}')
    folder = Path("/home/ana/.continue/sessions")
    # The first of these files do not exist.
    paths = [folder / f"{ID}.json", folder / "sessions.json", folder.parent / "config.json", copy, other]
    assert [Continue().accepts(path) for path in paths] == [True, False, False, True, False]
    assert reader_for(copy) is not None
    assert getattr(reader_for(copy), "agent", None) == "continue"


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    assert Continue().default_locations({}) == [Path("/home/ana/.continue/sessions")]
    assert Continue().default_locations({"CONTINUE_GLOBAL_DIR": "/x"}) == [Path("/x/sessions")]
