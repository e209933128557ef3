"""Sessions of Mistral Vibe in a real index."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.vibe.reader import Vibe
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_for, reader_of, resume_command
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.edits import Edit
from support.conversations import shown, tool_calls
from support.indexes import build, update
from support.line_files import damaged, encoded, read_as_it_grows, records_of, write_lines
from support.pictures import picture, turn_counts
from support.systems import HOME_VARIABLE

SESSION = "11111111-aaaa-4aaa-8aaa-000000000001"
NAME = "session_20261101_090000_11111111"
CWD = "/home/ana/code/shop"
BLOCKS = "<<<<<<< SEARCH\nprices = []\n=======\nprices = {}\n>>>>>>> REPLACE"
Entry = dict[str, Any]


def message(role: str, content: Any = "", **fields: Any) -> Entry:
    return {"role": role, "content": content, **fields}


def call(tool_id: str, name: str, arguments: Any) -> Entry:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": tool_id, "index": 0, "function": {"name": name, "arguments": written}, "type": "function"}


def meta(session: str = SESSION, **fields: Any) -> Entry:
    about: Entry = {
        "session_id": session,
        "parent_session_id": None,
        "start_time": "2026-11-01T09:00:00+00:00",
        "end_time": "2026-11-01T09:10:00+00:00",
        "git_branch": "rounding",
        "environment": {"working_directory": CWD},
        "title": "Rounding",
        "title_source": "auto",
        "stats": {"session_prompt_tokens": 900, "session_completion_tokens": 50},
        "config": {
            "active_model": "dev",
            "models": [{"name": "big", "alias": "big"}, {"name": "devstral-2", "alias": "dev"}],
        },
    }
    return about | fields


def write(folder: Path, messages: list[Entry], about: Any, name: str = NAME) -> Path:
    path = write_lines(folder / name / "messages.jsonl", messages)
    path.with_name("meta.json").write_text(json.dumps(about))
    return path


WHOLE = [
    message("user", "Round the prices", message_id="m1", images=[{"alias": "a", "mime_type": "image/png"}]),
    message(
        "assistant",
        "I round them.",
        message_id="m2",
        reasoning_content="Cents, I think.",
        tool_calls=[
            call("t1", "search_replace", {"file_path": "src/prices.py", "content": BLOCKS}),
            call("t2", "bash", {"command": "pytest"}),
            call("t3", "task", {"task": "Find prices", "agent": "explore"}),
            call("t4", "read_file", "{half"),
        ],
    ),
    message("tool", "blocks_applied: 1", name="search_replace", tool_call_id="t1"),
    message("tool", "<tool_error>bash failed: Return code: 1</tool_error>\nmore", name="bash", tool_call_id="t2"),
    message("tool", "response: In src/prices.py", name="task", tool_call_id="t3"),
    message("tool", "<user_cancellation>Skipped</user_cancellation>", name="read_file", tool_call_id="t4"),
    message("assistant", [{"type": "text", "text": "Rounded."}], message_id="m3"),
    message("user", "<vibe_warning>Half of the context is used</vibe_warning>", message_id="m4"),
    message("user", "ran", manual_shell={"command": "make", "exit_code": 2, "stdout": "no rule", "stderr": "stop"}),
    message("user", "Be brief", injected=True, message_id="m5"),
    message("user", "And now?", message_id="m6"),
    message(
        "assistant", "", message_id="m7", tool_calls=[call("t5", "write_file", {"path": "a.md", "content": "A\n"})]
    ),
    message("tool", "", name="write_file", tool_call_id="t5", tool_result={"output": {}, "cancelled": True}),
    message("assistant", "Done.", message_id="m8"),
]


def test_a_session_with_everything(tmp_path: Path) -> None:
    write(tmp_path / "home", WHOLE, meta())
    index = build(tmp_path / "data", tmp_path / "home", agent="vibe")
    session = index.sessions.find(SESSION)
    assert (session.agent, session.project, session.cwd, session.branch) == ("vibe", "shop", CWD, "rounding")
    assert (session.title, session.models) == ("Rounding", ("devstral-2",))
    assert (session.started_at, session.ended_at) == (
        datetime(2026, 11, 1, 9, 0, tzinfo=UTC),
        datetime(2026, 11, 1, 9, 10, tzinfo=UTC),
    )
    assert (session.input_tokens, session.output_tokens) == (900, 50)
    assert shown(index, SESSION) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("image", "[image/png]"),
                ("thinking", "Cents, I think."),
                ("text", "I round them."),
                (
                    "tool_call search_replace",
                    json.dumps({"file_path": "src/prices.py", "content": BLOCKS}, separators=(",", ":")),
                ),
                ("tool_call bash", '{"command":"pytest"}'),
                ("tool_call task", '{"task":"Find prices","agent":"explore"}'),
                ("tool_call read_file", '"{half"'),
                ("tool_result search_replace", "blocks_applied: 1"),
                ("tool_result bash!", "bash failed: Return code: 1\nmore"),
                ("tool_result task", "response: In src/prices.py"),
                ("tool_result read_file!", "Skipped"),
                ("text", "Rounded."),
                ("note reminder", "<vibe_warning>Half of the context is used</vibe_warning>"),
                ("note shell!", "! make\nno rule\nstop\nexit code: 2"),
                ("note reminder", "Be brief"),
            ],
        ),
        (
            "human",
            [
                ("user", "And now?"),
                ("tool_call write_file", '{"path":"a.md","content":"A\\n"}'),
                ("tool_result write_file!", ""),
                ("text", "Done."),
            ],
        ),
    ]
    calls = tool_calls(index, SESSION)
    assert calls[0].edits == (Edit("src/prices.py", "replace", "prices = []", "prices = {}"),)
    assert diff_of(calls[0]) == "@@ -1,1 +1,1 @@\n-prices = []\n+prices = {}"
    assert [one.family for one in calls] == ["edit", "shell", "task", "read", "write"]
    assert resume_command(session) == ["vibe", "--resume", SESSION]
    assert Vibe().start_command("Go") == ["vibe", "Go"]


def test_a_title_of_the_user_and_titles_that_are_none(tmp_path: Path) -> None:
    prompt = [message("user", "Round the prices of all products in the shop, please, and do it today")]
    titles = {
        "a": {"title": "Mine", "title_source": "manual"},
        "b": {"title": "Round the prices of all products in the shop, ple…"},
        "c": {"title": "Untitled session"},
    }
    for number, (session, title) in enumerate(titles.items()):
        write(tmp_path / "home", prompt, meta(session, **title), f"session_20261101_09000{number}_{session}")
    index = build(tmp_path / "data", tmp_path / "home", agent="vibe")
    said = prompt[0]["content"]
    assert {one: index.sessions.find(one).title for one in titles} == {"a": "Mine", "b": said, "c": said}


def test_a_subagent_belongs_to_the_call_that_started_it(tmp_path: Path) -> None:
    path = write(tmp_path / "home", WHOLE, meta())
    task = "Scratchpad directory: /tmp/x\nYou can read and write files here without permission prompts.\n\nFind prices"
    child = [message("user", task, message_id="c1"), message("assistant", "In src/prices.py", message_id="c2")]
    write(path.parent / "agents", child, meta("child", title=None), "explore_20261101_090500_22222222")
    assert list(Vibe().subagent_locations(path)) == [path.parent / "agents"]
    index = build(tmp_path / "data", tmp_path / "home", agent="vibe")
    (found,) = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert (found.session_id, found.parent_tool_id) == ("child", "t3")
    assert shown(index, "child") == [("agent", [("user", "Find prices"), ("text", "In src/prices.py")])]
    assert resume_command(found) is None


def test_compactions_in_the_file_and_into_a_new_session(tmp_path: Path) -> None:
    envelope = (
        "You are continuing a trajectory.\n<previous_user_messages>\n<previous_user_message>\nRound the prices\n"
        "</previous_user_message>\n</previous_user_messages>\n"
        "<compaction_summary>\nPrices: done.\n</compaction_summary>"
    )
    first = [
        message("user", "Round the prices", message_id="a1"),
        message("assistant", "Rounded.", message_id="a2"),
        message("user", envelope, injected=True, context_boundary="compaction", message_id="a3"),
        message("user", "Now the discounts", message_id="a4"),
    ]
    write(tmp_path / "home", first, meta())
    second = [message("user", "The prices are round.", injected=True, message_id="b1"), message("assistant", "Yes.")]
    write(tmp_path / "home", second, meta("next", parent_session_id=SESSION), "session_20261102_090000_next")
    index = build(tmp_path / "data", tmp_path / "home", agent="vibe")
    assert shown(index, SESSION) == [
        ("human", [("user", "Round the prices"), ("text", "Rounded.")]),
        ("compaction", [("user", "Prices: done.")]),
        ("human", [("user", "Now the discounts")]),
    ]
    assert len(index.compactions.of_session(index.sessions.find(SESSION).key)) == 1
    following = index.sessions.find("next")
    assert (following.forked_from, following.parent) == (SESSION, None)
    assert shown(index, "next") == [("compaction", [("user", "The prices are round."), ("text", "Yes.")])]


def test_a_file_of_the_first_versions(tmp_path: Path) -> None:
    path = tmp_path / "home" / "session_20251101_090000_1111abcd.json"
    path.parent.mkdir()
    messages = [message("system", "You are Vibe."), *WHOLE[:1], 7, {"content": "?"}]
    path.write_text(json.dumps({"metadata": meta(), "messages": messages}))
    index = build(tmp_path / "data", path, agent="vibe")
    said = [("user", "Round the prices"), ("image", "[image/png]")]
    assert shown(index, SESSION) == [("human", [("note reminder", "You are Vibe."), *said])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(2, "not a JSON object")]
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries") == [(3, "without a type")]
    for content in ("{}", "[]", "{"):
        path.write_text(content)
        with pytest.raises(SourceUnreadable):
            records_of(Vibe(), path)


def test_messages_that_grow_are_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    path = write(tmp_path / "home", WHOLE, meta())
    content = encoded([*WHOLE, message("user", "Go on", message_id="m9")])
    lines = [position + 1 for position, byte in enumerate(content) if byte == 10]
    cuts = sorted({30, *lines[:-1:3], *(position - 9 for position in lines[2::4])})
    held = read_as_it_grows("vibe", tmp_path / "home", {path: (content, cuts)}, tmp_path)
    assert turn_counts(held) == {(SESSION, ""): 3}


def test_going_back_and_new_metadata_are_read(tmp_path: Path) -> None:
    home, data = tmp_path / "home", tmp_path / "data"
    write(home, WHOLE, meta())
    update(data, home, agent="vibe")
    # The agent writes all messages again, after others than before; the start of the file is the same.
    write(home, [*WHOLE[:7], message("user", "Double the prices"), *WHOLE[1:7]], meta(title="Doubling"))
    index = build(data, home, agent="vibe")
    assert [turn.user_text for turn in index.sessions.turns(index.sessions.find(SESSION).key)] == [
        "Round the prices",
        "Double the prices",
    ]
    assert index.sessions.find(SESSION).title == "Doubling"
    update(tmp_path / "fresh", home, agent="vibe")
    assert picture(data) == picture(tmp_path / "fresh")


def test_bad_lines_half_a_line_and_missing_metadata(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "home" / NAME / "messages.jsonl", WHOLE[:1])
    path.write_bytes(b"{\n[]\n" + encoded(WHOLE[:1]) + encoded(WHOLE[6:7])[:-5])
    path.with_name("meta.json").write_text("{")
    index = build(tmp_path / "data", tmp_path / "home", agent="vibe")
    assert shown(index, NAME) == [("human", [("user", "Round the prices"), ("image", "[image/png]")])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines ORDER BY line") == [
        (0, "not JSON"),
        (1, "not a JSON object"),
    ]
    assert [source.state for source in index.statistics.sources() if source.agent] == ["waiting"]
    path.unlink()
    index = build(tmp_path / "data", tmp_path / "home", agent="vibe")
    assert (len(index.sessions.turns(index.sessions.find(NAME).key)), index.sessions.find(NAME).gone) == (1, True)


@settings(deadline=None, max_examples=150)
@given(entries=damaged([*WHOLE, message("user", "last", message_id="z")]))
def test_values_of_wrong_types_count_as_absent(entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write(tmp_path_factory.getbasetemp() / "damaged", entries, meta())
    messages = [record for record in records_of(Vibe(), path) if isinstance(record, Message)]
    assert messages[-1].text == "last"
    assert all(isinstance(block.text, str) for one in messages for block in one.blocks)


@settings(deadline=None, max_examples=100)
@given(entries=damaged([meta(), {}]))
def test_any_metadata_can_be_read(entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write(tmp_path_factory.getbasetemp() / "metadata", WHOLE, entries[0])
    messages = [record for record in records_of(Vibe(), path) if isinstance(record, Message)]
    assert messages[0].text == "Round the prices"


def test_which_files_are_sessions(tmp_path: Path) -> None:
    own = Path("/home/ana/.vibe/logs/session")
    path = write(tmp_path, WHOLE[:1], meta())
    old = tmp_path / "session_20251101_090000_1111abcd.json"
    old.write_text('{"metadata": {}, "messages": []}')
    files = [own / NAME / "messages.jsonl", own / NAME / "meta.json", own / f"{NAME}.json", path, old]
    files += [path.with_name("meta.json"), path.parent / "agents" / "explore_20261101_090500_2" / "messages.jsonl"]
    assert [reader_for(one) is reader_of("vibe") for one in files] == [True] * 6 + [False]
    assert Vibe().container(path.with_name("meta.json")) == path
    others = [own / "messages.jsonl.tmp", write_lines(tmp_path / "x" / "messages.jsonl", WHOLE), tmp_path / "meta.json"]
    assert [Vibe().accepts(one) for one in others] == [False] * 3


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    assert Vibe().default_locations({}) == [Path("/home/ana/.vibe/logs/session")]
    assert Vibe().default_locations({"VIBE_HOME": "/srv/vibe"}) == [Path("/srv/vibe/logs/session")]
