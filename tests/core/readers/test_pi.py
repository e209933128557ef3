"""Sessions of Pi and Oh My Pi in a real index."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.model import Block
from memtui_core.readers import registry
from memtui_core.readers.agents.pi.numbered_diffs import hunks_of
from memtui_core.readers.agents.pi.reader import OhMyPi, Pi
from memtui_core.readers.locations import Location
from memtui_core.readers.records import Message
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.pairing import paired
from support.indexes import build, update
from support.line_files import damaged, encoded, grown, read_as_it_grows, records_of, write_lines
from support.pictures import turn_counts
from support.systems import HOME_VARIABLE

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
SESSION = "0195aaaa-0000-7000-8000-000000000001"
FOLDER = "--home-ana-code-shop--"
FILE = f"2026-11-01T09-00-00-000Z_{SESSION}.jsonl"
CWD = "/home/ana/code/shop"
Entry = dict[str, Any]


def time(number: int) -> str:
    return (START + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Script:
    """Collects the entries of one session; each is the child of the one before."""

    def __init__(self, session_id: str = SESSION, prefix: str = "e", **header: Any) -> None:
        fields = {"version": 3, "id": session_id, "timestamp": time(0), "cwd": CWD}
        self.entries: list[Entry] = [{"type": "session", **fields, **header}]
        self._prefix = prefix

    def add(self, kind: str, **fields: Any) -> str:
        number = len(self.entries)
        name, parent = f"{self._prefix}{number}", f"{self._prefix}{number - 1}" if number > 1 else None
        self.entries.append({"type": kind, "id": name, "parentId": parent, "timestamp": time(number), **fields})
        return name

    def message(self, role: str, **fields: Any) -> str:
        return self.add("message", message={"role": role, **fields})

    def user(self, text: str) -> str:
        return self.message("user", content=[{"type": "text", "text": text}])

    def answer(self, *parts: Any, **fields: Any) -> str:
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        fields = {"model": "claude-sonnet-4-5", "stopReason": "stop"} | fields
        return self.message("assistant", content=content, **fields)

    def result(self, tool_id: str, text: str, tool: str = "bash", **fields: Any) -> str:
        content = [{"type": "text", "text": text}]
        fields = {"toolCallId": tool_id, "toolName": tool, "isError": False} | fields
        return self.message("toolResult", content=content, **fields)

    def write(self, folder: Path, name: str = FILE) -> Path:
        return write_lines(folder / FOLDER / name, self.entries)


def call(tool_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": tool_id, "name": name, "arguments": arguments}


def usage(given: int, made: int, read: int = 0, written: int = 0) -> dict[str, int]:
    return {"input": given, "output": made, "cacheRead": read, "cacheWrite": written, "totalTokens": 9}


def image(data: str = "A" * 400) -> dict[str, str]:
    return {"type": "image", "mimeType": "image/png", "data": data}


def blocks_of(index: Index, session_id: str = SESSION) -> dict[int, tuple[Block, ...]]:
    session = index.sessions.find(session_id)
    return index.sessions.blocks(session.key, 1, session.turns)


def said(index: Index, session_id: str = SESSION) -> list[list[tuple[str, str | None, str]]]:
    return [[(b.kind, b.tool, b.text) for b in blocks] for blocks in blocks_of(index, session_id).values()]


DIFF = "   9 a\n-10 prices = []\n+10 prices = {}\n+11 totals = {}\n  11 b\n     ...\n  30 c\n-31 old\n  32 d\n"


def whole_session() -> Script:
    script = Script()
    script.add("model_change", provider="anthropic", modelId="claude-sonnet-4-5")
    script.add("thinking_level_change", thinkingLevel="high")
    script.user("Please round the prices")
    script.answer(
        {"type": "thinking", "thinking": "Cents, I think.", "thinkingSignature": "sig"},
        "I will look.",
        call("t1", "read", path="src/prices.py"),
        call("t2", "bash", command="pytest tests/test_prices.py"),
        usage=usage(100, 20, 300, 40),
    )
    script.result("t1", "prices = []", "read")
    script.result("t2", "1 failed", isError=True)
    edit = call("t3", "edit", path="src/prices.py", oldText="prices = []", newText="prices = {}")
    script.answer(edit, model="gpt-5", usage=usage(10, 5))
    script.result("t3", "Successfully replaced text", "edit", details={"diff": DIFF})
    script.answer("Rounded to cents.")
    script.message("bashExecution", command="git status", output="clean", exitCode=0, cancelled=False)
    script.message("bashExecution", command="make lint", output="E501", exitCode=2, cancelled=False)
    script.message("user", content=[{"type": "text", "text": "What is in the picture?"}, image()])
    script.answer("", stopReason="error", errorMessage="The service is overloaded")
    script.add("label", targetId="e3", label="before the picture")
    script.add("session_info", name="Rounding of prices")
    return script


def test_a_session_with_everything(tmp_path: Path) -> None:
    whole_session().write(tmp_path / "sessions")
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    session = index.sessions.find(SESSION)
    assert (session.agent, session.project, session.cwd, session.title) == ("pi", "shop", CWD, "Rounding of prices")
    assert (session.turns, session.tool_calls, session.input_tokens, session.output_tokens) == (2, 3, 110, 25)
    assert index.snapshot.rows("SELECT sum(cache_read_tokens), sum(cache_write_tokens) FROM turns") == [(300, 40)]
    assert set(session.models) == {"claude-sonnet-4-5", "gpt-5"}
    assert (session.started_at, session.ended_at) == (START + timedelta(seconds=3), START + timedelta(seconds=14))
    assert said(index) == [
        [
            ("user", None, "Please round the prices"),
            ("thinking", None, "Cents, I think."),
            ("text", None, "I will look."),
            ("tool_call", "read", '{"path":"src/prices.py"}'),
            ("tool_call", "bash", '{"command":"pytest tests/test_prices.py"}'),
            ("tool_result", "read", "prices = []"),
            ("tool_result", "bash", "1 failed"),
            ("tool_call", "edit", '{"path":"src/prices.py","oldText":"prices = []","newText":"prices = {}"}'),
            ("tool_result", "edit", "Successfully replaced text"),
            ("text", None, "Rounded to cents."),
            ("note", "shell", "! git status\nclean"),
            ("note", "shell", "! make lint\nE501\nexit code: 2"),
        ],
        [
            ("user", None, "What is in the picture?"),
            ("image", None, "[image/png 1 kB]"),
            ("note", "error", "The service is overloaded"),
            ("note", "meta", "Label: before the picture"),
        ],
    ]
    assert [block.is_error for block in blocks_of(index)[1] if block.kind == "tool_result"] == [False, True, False]
    assert registry.resume_command(session) == ["pi", "--session", SESSION]
    assert Pi().start_command("Round the prices") == ["pi", "Round the prices"]


def test_the_lines_of_an_edit_have_the_numbers_of_the_file(tmp_path: Path) -> None:
    whole_session().write(tmp_path / "sessions")
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    edit = paired(blocks_of(index)[1])[2]
    assert (edit.family, edit.paths) == ("edit", ("src/prices.py",))
    assert diff_of(edit) == (
        "@@ -9,3 +9,4 @@\n a\n-prices = []\n+prices = {}\n+totals = {}\n b\n@@ -30,3 +31,2 @@\n c\n-old\n d"
    )
    touched = {(touch.path, touch.kind) for touch in index.files.of_turn(index.sessions.find(SESSION).key, 1)}
    assert ("src/prices.py", "edited") in touched


def test_a_patch_of_an_edit_is_preferred_to_the_diff_for_the_screen(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.answer(call("t1", "edit", path="a.py", edits=[{"oldText": "a", "newText": "b"}]))
    patch = "Index: a.py\n====\n--- a.py\n+++ a.py\n@@ -70,2 +70,2 @@\n x\n-a\n+b\n"
    script.result("t1", "Edited.", "edit", details={"diff": " 1 x\n-2 a\n+2 b", "patch": patch})
    script.write(tmp_path / "sessions")
    (edit,) = paired(blocks_of(build(tmp_path / "data", tmp_path / "sessions", agent="pi"))[1])
    assert (edit.paths, diff_of(edit)) == (("a.py",), "@@ -70,2 +70,2 @@\n x\n-a\n+b")


def test_lines_of_an_edit_that_are_written_with_a_bar() -> None:
    diff = "@@ -258,7 +258,8 @@\n 253|def outer():\n\n 258|    a\n-259|    b\n+259|    c\n+260|    d\n 260|    e\n"
    assert hunks_of(diff) == [
        {
            "oldStart": 258,
            "oldLines": 3,
            "newStart": 258,
            "newLines": 4,
            "lines": ["     a", "-    b", "+    c", "+    d", "     e"],
        }
    ]
    assert hunks_of("no diff\n+\n-x|\n") == []


def test_a_compaction_starts_a_segment_and_kept_messages_are_not_repeated(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    kept = script.answer("Rounded.")
    tail = [{"type": "message", "message": {"role": "user", "content": "Round the prices"}}]
    script.add(
        "compaction", summary="Prices were rounded.", firstKeptEntryId=kept, tokensBefore=5000, retainedTail=tail
    )
    script.user("Now the discounts")
    script.answer("Those, too.")
    script.write(tmp_path / "sessions")
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    session = index.sessions.find(SESSION)
    assert [(turn.kind, turn.segment, turn.user_text) for turn in index.sessions.turns(session.key)] == [
        ("human", 0, "Round the prices"),
        ("compaction", 1, "Prices were rounded."),
        ("human", 1, "Now the discounts"),
    ]
    (compaction,) = index.compactions.of_session(session.key)
    assert (compaction.at, compaction.tokens_before) == (START + timedelta(seconds=3), 5000)


def test_all_branches_of_the_tree_are_kept_in_file_order(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.answer("Rounded up.")
    script.add("branch_summary", parentId="e1", fromId="e2", summary="Rounding up was tried.")
    script.entries[-1]["parentId"] = "e1"
    script.answer("Rounded down.")
    script.write(tmp_path / "sessions")
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    assert said(index) == [
        [
            ("user", None, "Round the prices"),
            ("text", None, "Rounded up."),
            ("note", "recap", "Rounding up was tried."),
            ("text", None, "Rounded down."),
        ]
    ]


def test_the_entries_of_a_fork_count_once(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.answer("Rounded.", call("t1", "bash", command="ls"), usage=usage(10, 1))
    script.result("t1", "a.py")
    path = script.write(tmp_path / "sessions")
    other = "0195aaaa-0000-7000-8000-000000000002"
    fork = Script(other, parentSession=str(path), timestamp=time(50))
    fork.entries += script.entries[1:]
    fork._prefix = "f"
    fork.user("Now the discounts")
    fork.answer("Those, too.", usage=usage(20, 2))
    fork.write(tmp_path / "sessions", f"2026-11-01T09-00-50-000Z_{other}.jsonl")
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    assert ([kind for kind, _, _ in said(index)[0]], said(index, other)) == (
        ["user", "text", "tool_call", "tool_result"],
        [[("user", None, "Now the discounts"), ("text", None, "Those, too.")]],
    )
    assert (index.sessions.find(other).forked_from, index.sessions.find(other).output_tokens) == (SESSION, 2)
    assert index.sessions.find(SESSION).forked_from is None


@pytest.mark.parametrize("reference", ["parentSession", "branchedFrom"])
def test_a_fork_without_copied_entries_names_its_origin(tmp_path: Path, reference: str) -> None:
    fork = Script(**{reference: rf"C:\Users\ana\.pi\agent\sessions\x\{FILE.replace(SESSION, 'origin')}"})
    fork.user("Now the discounts")
    fork.write(tmp_path / "sessions")
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    assert index.sessions.find(SESSION).forked_from == "origin"


def test_entries_of_the_first_version_have_no_ids(tmp_path: Path) -> None:
    entries: list[Entry] = [
        {"type": "session", "id": SESSION, "timestamp": time(0), "cwd": CWD, "provider": "x", "modelId": "y"},
        {"type": "message", "timestamp": time(1), "message": {"role": "user", "content": "Round"}},
        {"type": "message", "timestamp": time(2), "message": {"role": "assistant", "content": "Rounded."}},
        {"type": "message", "timestamp": time(3), "message": {"role": "user", "content": "Round"}},
    ]
    write_lines(tmp_path / "sessions" / FOLDER / FILE, entries)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    assert said(index) == [[("user", None, "Round"), ("text", None, "Rounded.")], [("user", None, "Round")]]


def test_notes_of_extensions_and_unknown_entries(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    script.add("custom", customType="todo", data={"items": ["hidden"]})
    script.add("custom_message", customType="irc", content="A message came in", display=True)
    script.add("custom_message", customType="rules", content=[{"type": "text", "text": "Use tabs"}], display=False)
    script.add("weather", text="sunny")
    script.message("oracle", content="hm")
    script.message("fileMention", files=[{"path": "a.py", "content": "x = 1"}, {"content": "nameless"}])
    script.message("assistant", content=[{"type": "hologram", "beam": 3}, None, 7])
    script.write(tmp_path / "sessions")
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    assert said(index) == [
        [
            ("user", None, "Round the prices"),
            ("note", "notification", "A message came in"),
            ("note", "reminder", "Use tabs"),
            ("note", "meta", "@a.py\nx = 1"),
            ("note", "meta", '{"type":"hologram","beam":3}'),
        ]
    ]
    rows = index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line")
    assert rows == [(5, "weather"), (6, "message oracle")]


def test_a_file_that_grows_is_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    script = whole_session()
    script.add("compaction", summary="Prices were rounded.", tokensBefore=10)
    script.user("Go on")
    script.answer("Done.", usage=usage(1, 2))
    content = encoded(script.entries)
    path = tmp_path / "sessions" / FOLDER / FILE
    lines = [i + 1 for i, byte in enumerate(content) if byte == 10]
    cuts = sorted({40, *lines[:-1:2], *(position - 9 for position in lines[2::4])})
    held = read_as_it_grows("pi", tmp_path / "sessions", {path: (content, cuts)}, tmp_path)
    assert turn_counts(held) == {(SESSION, ""): 4}


def test_a_rewritten_file_and_half_a_last_line(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    path = script.write(tmp_path / "sessions")
    update(tmp_path / "data", tmp_path / "sessions", agent="pi")
    other = Script()
    other.user("Double the prices")
    other.answer("Doubled.")
    path.write_bytes(encoded(other.entries)[:-8])
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    assert said(index) == [[("user", None, "Double the prices")]]
    assert [source.state for source in index.statistics.sources()] == ["waiting"]
    path.write_bytes(encoded(other.entries))
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    assert said(index) == [[("user", None, "Double the prices"), ("text", None, "Doubled.")]]


def test_a_line_that_cannot_be_read_costs_that_line(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    path = script.write(tmp_path / "sessions")
    script.entries = script.entries[:1]
    script.answer("Rounded.")
    path.write_bytes(path.read_bytes() + b'{"type":"message",\n[1]\n\n' + encoded(script.entries[1:]))
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    assert said(index) == [[("user", None, "Round the prices"), ("text", None, "Rounded.")]]
    rows = index.snapshot.rows("SELECT line, reason FROM bad_lines ORDER BY line")
    assert rows == [(2, "not JSON"), (3, "not a JSON object")]


@settings(deadline=None, max_examples=150)
@given(entries=damaged([*whole_session().entries, Script(prefix="z").entries[0] | {"title": "End"}]))
def test_values_of_wrong_types_count_as_absent(entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_lines(tmp_path_factory.getbasetemp() / "damaged" / FILE, entries)
    records = records_of(Pi(), path)
    assert [getattr(record, "text", "") for record in records][-1] == "End"
    for record in records:
        if isinstance(record, Message):
            assert all(isinstance(block.text, str) for block in record.blocks)


# Oh My Pi


def slot(title: str, **fields: Any) -> dict[str, Any]:
    """The first line, which has the same length with every title."""
    return {"type": "title", "v": 1, "title": title, "updatedAt": time(0), **fields, "pad": " " * (120 - len(title))}


def omp_session(title: str = "") -> list[Entry]:
    script = Script()
    script.user("Round the prices")
    script.answer("Rounded.", call("t1", "grep", pattern="price", path="src", i="Look for prices"))
    script.result("t1", "src/prices.py:1", "grep")
    return [slot(title), *script.entries]


def test_a_session_of_oh_my_pi(tmp_path: Path) -> None:
    write_lines(tmp_path / "sessions" / "-code-shop" / FILE, omp_session("Prices"))
    index = build(tmp_path / "data", tmp_path / "sessions", agent="omp")
    session = index.sessions.find(SESSION)
    assert (session.agent, session.title, session.cwd, session.turns) == ("omp", "Prices", CWD, 1)
    assert registry.resume_command(session) == ["omp", "--resume", SESSION]
    assert OhMyPi().start_command("Go") == ["omp", "Go"]


def test_an_edit_by_the_numbers_of_lines(tmp_path: Path) -> None:
    text = "[app/[id]/page.py#1A2B]\nSWAP 3.=4:\n+prices = {}\n+totals = {}\nINS POST 9:\n+end\n¶b.py#00ff\nDEL 4\n"
    script = Script()
    script.user("Round the prices")
    script.answer(call("t1", "edit", input=text, i="Round"), call("t2", "edit", input="[no section]\n+x"))
    script.result("t1", "Updated.", "edit")
    write_lines(tmp_path / "sessions" / "-code-shop" / FILE, [slot(""), *script.entries])
    index = build(tmp_path / "data", tmp_path / "sessions", agent="omp")
    edit, other = paired(blocks_of(index)[1])
    assert [(one.path, one.kind, one.new) for one in edit.edits] == [
        ("app/[id]/page.py", "part", "prices = {}\ntotals = {}"),
        ("app/[id]/page.py", "part", "end"),
        ("b.py", "unknown", ""),
    ]
    assert [one.path for one in other.edits] == [""]
    touched = {(touch.path, touch.kind) for touch in index.files.of_turn(index.sessions.find(SESSION).key, 1)}
    assert touched == {("app/[id]/page.py", "edited"), ("b.py", "edited")}


def test_paths_with_lines_addresses_and_several_files(tmp_path: Path) -> None:
    script = Script()
    script.user("Look")
    paths = ["src/a.py:20-40,60", "src/b.py:7", "https://example.com/c.py", "agent://Finder"]
    script.answer(*(call(f"t{number}", "read", path=path) for number, path in enumerate(paths)))
    script.answer(call("t9", "grep", pattern="x", path="src/d.py;src/e.py;docs/"))
    for number in (0, 1, 2, 3, 9):
        script.result(f"t{number}", "x", "read")
    write_lines(tmp_path / "sessions" / "-code-shop" / FILE, [slot(""), *script.entries])
    index = build(tmp_path / "data", tmp_path / "sessions", agent="omp")
    touches = index.files.of_turn(index.sessions.find(SESSION).key, 1)
    assert {(touch.path, touch.kind) for touch in touches} == {
        ("src/a.py", "read"),
        ("src/b.py", "read"),
        ("src/d.py", "read"),
        ("src/e.py", "read"),
    }


def test_another_title_in_the_first_line_costs_no_turn(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "-code-shop"
    entries = omp_session("Prices")
    entries.append(entries[-1] | {"id": "e9", "message": {"role": "user", "content": "And discounts?"}})
    path = write_lines(folder / FILE, entries)
    turns: list[int] = []
    for title in ("Prices", "Rounded prices", "Rounded prices"):
        entries[0] = slot(title)
        if title != "Prices":
            path.write_bytes(encoded(entries))
            os.utime(path, ns=(len(turns) * 10**12, len(turns) * 10**12))
        with Indexer(tmp_path / "data") as indexer:
            for _ in indexer.update([Location("omp", folder)]):
                pass
            turns.append(indexer.counts.turns_written)
    # Of the two turns only the last one, which may have grown, is stored again.
    assert turns == [2, 1, 1]
    assert Index.open(tmp_path / "data").sessions.find(SESSION).title == "Rounded prices"


def test_the_process_that_read_a_file_notices_another_title(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "-code-shop"
    path = write_lines(folder / FILE, omp_session("Prices"))
    with Indexer(tmp_path / "data") as indexer:
        for title in ("Prices", "Rounded prices"):
            entries = omp_session(title)
            if title != "Prices":
                entries.append(entries[-1] | {"id": "e9", "message": {"role": "user", "content": "Thanks"}})
            path.write_bytes(encoded(entries))
            for _ in indexer.update([Location("omp", folder)]):
                pass
    session = Index.open(tmp_path / "data").sessions.find(SESSION)
    assert (session.title, session.turns) == ("Rounded prices", 2)


def test_a_title_by_the_user_counts_more(tmp_path: Path) -> None:
    script = Script(title="In the header", titleSource="auto")
    script.user("Round the prices")
    script.add("title_change", title="By the user", source="user")
    script.add("title_change", title="By the agent", source="auto")
    write_lines(tmp_path / "sessions" / "-code-shop" / FILE, script.entries)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="omp")
    assert index.sessions.find(SESSION).title == "By the user"


def test_a_subagent_of_oh_my_pi(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "-code-shop"
    parent = Script()
    parent.user("Round the prices")
    task = {"name": "PriceFinder", "agent": "scout", "task": "Find the prices"}
    parent.answer(call("t1", "task", context="A shop", tasks=[task]))
    results = [{"id": "PriceFinder", "agent": "scout", "task": "Find the prices", "description": "Look for prices"}]
    parent.result("t1", "Found.", "task", details={"results": results})
    write_lines(folder / FILE, [slot(""), *parent.entries])
    child = Script("0195aaaa-0000-7000-8000-0000000000cc", prefix="c", parentSession=SESSION)
    child.add("session_init", systemPrompt="You are a scout.", task="Find the prices", tools=["read"])
    child.user("Find the prices")
    child.answer("src/prices.py")
    child.message("developer", content=[{"type": "text", "text": "Report now."}])
    file = write_lines(folder / FILE.removesuffix(".jsonl") / "PriceFinder.jsonl", [slot(""), *child.entries])
    assert OhMyPi().subagent_locations(folder / FILE) == [file.parent]
    index = build(tmp_path / "data", tmp_path / "sessions", agent="omp")
    (found,) = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert (found.session_id, found.parent_tool_id, found.title, found.forked_from) == (
        f"PriceFinder.{SESSION}",
        "t1",
        "Look for prices",
        None,
    )
    assert [(turn.kind, turn.user_text) for turn in index.sessions.turns(found.key)] == [("agent", "Find the prices")]
    assert said(index, found.session_id)[0][2] == ("note", "reminder", "Report now.")
    assert registry.resume_command(found) is None


def test_one_call_can_start_several_subagents(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "-code-shop"
    parent = Script()
    parent.user("Round the prices")
    names = ("PriceFinder", "TestFinder")
    parent.answer(call("t1", "task", tasks=[{"name": name, "task": f"Run {name}"} for name in names]))
    progress = [{"id": name, "agent": "scout", "task": f"Run {name}", "description": f"About {name}"} for name in names]
    parent.result("t1", "Started.", "task", details={"results": [], "progress": progress})
    write_lines(folder / FILE, [slot(""), *parent.entries])
    for name in names:
        child = Script(name, prefix=name)
        child.user(f"Run {name}")
        write_lines(folder / FILE.removesuffix(".jsonl") / f"{name}.jsonl", [slot(""), *child.entries])
    index = build(tmp_path / "data", tmp_path / "sessions", agent="omp")
    found = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert {(child.parent_tool_id, child.title) for child in found} == {("t1", f"About {name}") for name in names}


def test_subagents_in_folders_of_their_own(tmp_path: Path) -> None:
    parent = Script()
    parent.user("Round the prices")
    folder = parent.write(tmp_path / "sessions").with_suffix("")
    for number in (0, 1):
        child = Script(f"child-{number}", prefix=f"c{number}")
        child.user("Find the prices")
        write_lines(folder / "work" / f"run-{number}" / "session.jsonl", child.entries)
    index = build(tmp_path / "data", tmp_path / "sessions", agent="pi")
    found = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert {child.session_id for child in found} == {f"work/run-{number}/session.{SESSION}" for number in (0, 1)}
    assert {child.project for child in found} == {"shop"}


def test_growing_of_a_subagent_keeps_that_an_agent_wrote_the_prompts(tmp_path: Path) -> None:
    child = Script(prefix="c")
    child.add("session_init", systemPrompt="You are a scout.", task="Find the prices")
    child.user("Find the prices")
    child.answer("src/prices.py")
    child.user("Find more")
    content = encoded([slot("Prices"), *child.entries])
    path = tmp_path / "sessions" / "-code-shop" / FILE
    cuts = [len(encoded([slot("Prices"), *child.entries[:count]])) for count in (3, 4)]
    grown("omp", path.parent, {path: (content, cuts)}, tmp_path / "data", one_process=False)
    index = Index.open(tmp_path / "data")
    session = index.sessions.find(SESSION)
    assert [turn.kind for turn in index.sessions.turns(session.key)] == ["agent", "agent"]
    assert session.title == "Prices"


# Which files


def test_the_files_of_both_agents_are_told_apart_by_their_first_line(tmp_path: Path) -> None:
    pi = Script().write(tmp_path)
    omp = write_lines(tmp_path / "x" / FILE, omp_session())
    titled = write_lines(tmp_path / "y" / FILE, Script(title="Prices").entries)
    headless = write_lines(tmp_path / "z" / FILE, whole_session().entries[3:])
    claude = write_lines(tmp_path / "c" / "a.jsonl", [{"type": "user", "uuid": "1", "message": {"role": "user"}}])
    events = write_lines(tmp_path / "d" / "a.jsonl", [{"type": "session", "id": 3}, {"type": "message"}])
    agents = {
        path: reader.agent for path in (pi, omp, titled, headless, claude) if (reader := registry.reader_for(path))
    }
    assert agents == {pi: "pi", omp: "omp", titled: "omp", headless: "pi", claude: "claude-code"}
    assert not Pi().accepts(events)
    assert not OhMyPi().accepts(events)


def test_a_deleted_file_is_accepted_by_its_path() -> None:
    pi, omp = Path(f"/home/ana/.pi/agent/sessions/{FOLDER}/{FILE}"), Path(f"/home/ana/.omp/agent/sessions/-x/{FILE}")
    subagent = omp.with_suffix("") / "PriceFinder.jsonl"
    readers = {path: reader.agent for path in (pi, omp, subagent) if (reader := registry.reader_for(path))}
    assert readers == {pi: "pi", omp: "omp", subagent: "omp"}
    assert not Pi().accepts(Path("/home/ana/notes.txt"))


def test_the_default_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    pi, omp = Pi(), OhMyPi()
    own_pi, own_omp = Path("/home/ana/.pi/agent/sessions"), Path("/home/ana/.omp/agent/sessions")
    assert (pi.default_locations({}), omp.default_locations({})) == ([own_pi], [own_omp])
    moved = {"PI_CODING_AGENT_DIR": "/data/pi"}
    assert (pi.default_locations(moved), omp.default_locations(moved)) == ([Path("/data/pi/sessions")], [own_omp])
    moved = {"PI_CODING_AGENT_DIR": "/data/.omp/agent"}
    assert (pi.default_locations(moved), omp.default_locations(moved)) == (
        [own_pi],
        [Path("/data/.omp/agent/sessions")],
    )
    assert pi.default_locations({"PI_CODING_AGENT_SESSION_DIR": "/data/s"}) == [Path("/data/s")]
