from __future__ import annotations

import os
import threading
from itertools import permutations
from pathlib import Path
from typing import Any

import orjson
import pytest

from memtui_core.errors import IndexerBusy
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.turns.rows import put_turn
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.model import PrLink
from memtui_core.readers.locations import Location
from support.indexes import build, update, whole_turns
from support.systems import unix_only
from support.transcripts import OTHER_SESSION, SESSION, START, Script

FORK = "22222222-2222-4222-8222-222222222222"


def simple(session_id: str = SESSION, prefix: str = "e") -> Script:
    script = Script(session_id, prefix=prefix)
    script.user("Please retry the upload")
    script.calls("Edit", {"file_path": "/home/ana/code/shop/src/upload.py", "old_string": "a", "new_string": "b"})
    script.result("ok")
    script.says("Done.")
    return script


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    path = simple().write(tmp_path / "src")
    index = build(tmp_path / "data", path)
    session = index.sessions.find(SESSION)
    assert (session.title, session.project, session.root, session.turns, session.tool_calls) == (
        "Please retry the upload",
        "shop",
        "/home/ana/code/shop",
        1,
        1,
    )
    ((turn, blocks),) = whole_turns(index, SESSION)
    assert (turn.number, turn.line, turn.end_line, turn.kind, turn.provisional) == (1, 0, 3, "human", True)
    assert blocks == [
        ("user", "Please retry the upload"),
        ("tool_call", '{"file_path":"/home/ana/code/shop/src/upload.py","old_string":"a","new_string":"b"}'),
        ("tool_result", "ok"),
        ("text", "Done."),
    ]


def test_a_second_run_over_unchanged_sources_writes_nothing(tmp_path: Path) -> None:
    path = simple().write(tmp_path / "src")
    first = update(tmp_path / "data", path.parent)
    assert first == Counts(files_read=1, turns_written=1, blocks_written=4, documents_written=1, snapshots=1)
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "data" / "snapshots").iterdir()}
    assert update(tmp_path / "data", path.parent) == Counts()
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "data" / "snapshots").iterdir()} == before


@pytest.mark.spec("S4.11", "S2.13")
def test_a_growing_file_replaces_only_its_last_turn(tmp_path: Path) -> None:
    script = simple()
    script.user("And log it")
    script.says("Logging.")
    path = script.write(tmp_path / "src")
    update(tmp_path / "data", path)
    script.calls("Edit", {"file_path": "/home/ana/code/shop/src/log.py", "old_string": "a", "new_string": "b"}, "t2")
    script.user("Thanks")
    script.write(tmp_path / "src")
    counts = update(tmp_path / "data", path)
    assert (counts.files_read, counts.turns_written) == (1, 2)
    index = build(tmp_path / "data", path)
    assert [(t.number, t.line, t.user_text, t.provisional) for t, _ in whole_turns(index, SESSION)] == [
        (1, 0, "Please retry the upload", False),
        (2, 4, "And log it", False),
        (3, 7, "Thanks", True),
    ]
    assert [(f.path, f.edited) for f in index.files.find().rows] == [("src/log.py", 1), ("src/upload.py", 1)]


def test_a_half_line_waits_until_it_is_whole(tmp_path: Path) -> None:
    script = simple()
    script.user("half of this")
    folder = tmp_path / "src"
    path = script.write(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    index = build(tmp_path / "data", path)
    assert [s.state for s in index.statistics.sources()] == ["waiting"]
    assert len(whole_turns(index, SESSION)) == 1
    path.write_bytes(whole)
    index = build(tmp_path / "data", path)
    assert [s.state for s in index.statistics.sources()] == ["ok"]
    assert [t.user_text for t, _ in whole_turns(index, SESSION)] == ["Please retry the upload", "half of this"]


def test_a_rewritten_file_is_read_again_from_the_start(tmp_path: Path) -> None:
    """One file becomes shorter, the other one longer."""
    folder = tmp_path / "src"
    for session, prefix in ((SESSION, "e"), (FORK, "f")):
        simple(session, prefix).write(folder)
    update(tmp_path / "data", folder)
    shorter, longer = Script(), Script(FORK, prefix="f")
    for script in (shorter, longer):
        script.user("Something else")
    longer.says("x" * 2000)
    for script in (shorter, longer):
        script.write(folder)
    index = build(tmp_path / "data", folder)
    said = {session: [t.user_text for t, _ in whole_turns(index, session)] for session in (SESSION, FORK)}
    assert said == {SESSION: ["Something else"], FORK: ["Something else"]}
    assert index.files.find().rows == []


def test_bad_lines_cost_themselves_and_are_named(tmp_path: Path) -> None:
    script = simple()
    script.lines.insert(1, b"{oops")
    script.lines.insert(2, b"[1]")
    path = script.write(tmp_path / "src")
    index = build(tmp_path / "data", path)
    (source,) = index.statistics.sources()
    assert (source.state, source.lines, source.skipped) == ("partial", 6, ((1, "not JSON"), (2, "not a JSON object")))
    assert len(whole_turns(index, SESSION)[0][1]) == 4
    assert index.statistics.of_index().skipped_lines == 2


def test_every_file_is_accounted_for(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    simple().write(folder)
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "other.jsonl").write_bytes(b'{"payload": 1}\n')
    (folder / "junk.jsonl").write_bytes(b"\xff\xfe\nnot json\n")
    (folder / "notes.md").write_text("hello")
    index = build(tmp_path / "data", folder)
    assert {Path(s.path).name: (s.state, s.error) for s in index.statistics.sources()} == {
        f"{SESSION}.jsonl": ("ok", None),
        "empty.jsonl": ("empty", "the file is empty"),
        "other.jsonl": ("ignored", "no entry of a format that memtui reads"),
        "junk.jsonl": ("error", "no line could be read"),
        "notes.md": ("ignored", "not a transcript: .md"),
    }


def test_a_file_that_cannot_be_opened_is_recorded_and_read_later(tmp_path: Path) -> None:
    path = simple().write(tmp_path / "src")
    whole = path.read_bytes()
    with Indexer(tmp_path / "data") as indexer:
        for progress in indexer.update([Location("claude-code", path)]):
            if progress.sources == 0:
                path.unlink()
        rows = indexer.work.connection.execute("SELECT state, error FROM sources").fetchall()
    assert rows == [("error", f"{path}: No such file or directory")]
    path.write_bytes(whole)
    assert [s.state for s in build(tmp_path / "data", path).statistics.sources()] == ["ok"]


def test_a_session_stays_when_its_file_is_gone(tmp_path: Path) -> None:
    path = simple().write(tmp_path / "src")
    update(tmp_path / "data", path.parent)
    path.unlink()
    index = build(tmp_path / "data", path.parent)
    assert [s.state for s in index.statistics.sources()] == ["gone"]
    assert index.sessions.find(SESSION).gone
    assert len(whole_turns(index, SESSION)) == 1
    simple().write(tmp_path / "src")
    index = build(tmp_path / "data", path.parent)
    assert [s.state for s in index.statistics.sources()] == ["ok"]
    assert not index.sessions.find(SESSION).gone


@pytest.mark.spec("S1.22")
@pytest.mark.parametrize("parent_first", [True, False])
def test_a_fork_does_not_repeat_its_parent(parent_first: bool, tmp_path: Path) -> None:
    parent = simple()
    parent.user("one more for the parent")
    fork = simple(FORK)
    fork.count = 20
    fork.user("a question for the fork")
    folder = tmp_path / "src"
    for number, script in enumerate((parent, fork) if parent_first else (fork, parent)):
        path = script.write(folder)
        os.utime(path, ns=(10**18 - number, 10**18 - number))
    index = build(tmp_path / "data", folder)
    assert [t.user_text for t, _ in whole_turns(index, SESSION)] == [
        "Please retry the upload",
        "one more for the parent",
    ]
    assert [t.user_text for t, _ in whole_turns(index, FORK)] == ["a question for the fork"]
    assert index.sessions.find(FORK).forked_from == SESSION


@pytest.mark.spec("S1.22")
def test_of_cumulative_copies_the_longest_counts(tmp_path: Path) -> None:
    """Three states of one growing file and a copy of the last one: the order of reading makes no difference."""
    folder, data = tmp_path / "src", tmp_path / "data"
    orders = list(permutations(["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"]))
    sessions = [f"{number:02}" + SESSION[2:] for number in range(len(orders))]
    for each, (session, order) in enumerate(zip(sessions, orders, strict=True)):
        script, own = simple(session, prefix=f"{each}-"), folder / session
        for _ in range(20):
            script.says("and so on")
        script.write(own, "a.jsonl")
        script.user("later")
        script.write(own, "b.jsonl")
        script.user("at last")
        script.write(own, "c.jsonl")
        script.write(own, "d.jsonl")
        for number, name in enumerate(order):
            os.utime(own / name, ns=(10**18 - number, 10**18 - number))
    index = build(data, folder)
    turns = index.snapshot.rows(
        "SELECT s.session_id, t.number, t.user_text FROM turns t JOIN sessions s ON s.key = t.session ORDER BY ALL"
    )
    texts = [(1, "Please retry the upload"), (2, "later"), (3, "at last")]
    assert turns == [(session, *turn) for session in sessions for turn in texts]
    states = {"a.jsonl": "copy", "b.jsonl": "copy", "c.jsonl": "ok", "d.jsonl": "copy"}
    found = {Path(s.path).relative_to(folder).as_posix(): (s.state, s.session_ids) for s in index.statistics.sources()}
    assert found == {f"{session}/{name}": (state, (session,)) for session in sessions for name, state in states.items()}
    assert update(data, folder) == Counts()


@pytest.mark.parametrize("first", [0, 1])
def test_a_file_of_sidechains_only_may_share_entries(first: int, tmp_path: Path) -> None:
    """Such a file has no conversation of its own, and so no session."""
    sides = [Script(), Script(FORK)]
    for number, script in enumerate(sides):
        script.user("Look.", isSidechain=True)
        script.says("In upload.py.", isSidechain=True)
        path = script.write(tmp_path / "src")
        os.utime(path, ns=(10**18 + (number == first), 10**18 + (number == first)))
    index = build(tmp_path / "data", tmp_path / "src")
    assert index.statistics.of_index().turns == 1
    assert sorted(source.state for source in index.statistics.sources()) == ["copy", "ok"]


@pytest.mark.parametrize("known", [False, True])
def test_a_fault_of_ours_costs_one_file_and_is_said(
    known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, other = simple(), Script(FORK, prefix="f")
    path = script.write(tmp_path / "src")
    if known:
        update(tmp_path / "data", tmp_path / "src")
    script.user("a poisoned prompt")
    script.write(tmp_path / "src")
    other.user("a good prompt")
    other.write(tmp_path / "src")
    real = put_turn

    def faulty(batch: Any, draft: Any, *rest: Any) -> Any:
        if "poisoned" in draft.user_text:
            raise RuntimeError("no idea\nwhat this is")
        return real(batch, draft, *rest)

    monkeypatch.setattr("memtui_core.ingest.sources.source_ingest.put_turn", faulty)
    index = build(tmp_path / "data", tmp_path / "src")
    assert [t.user_text for t, _ in whole_turns(index, FORK)] == ["a good prompt"]
    assert {s.path: (s.state, s.error) for s in index.statistics.sources()}[str(path)] == (
        "error",
        "memtui failed on this file: RuntimeError: no idea",
    )
    assert [hit.session_id for hit in index.search("upload").hits] == ([SESSION] if known else [])


def test_files_that_share_in_a_ring_are_settled(tmp_path: Path) -> None:
    """Each of three shares an entry with each other one and holds one of its own: nobody may take for ever."""
    shared = [(prefix, f"{prefix}0") for prefix in "xyz"]
    for number, own in enumerate("abc"):
        script = Script(f"{own * 8}-1111-4111-8111-111111111111", prefix=own)
        for prefix, uuid in shared[number:] + shared[:number]:
            at = f"2026-11-01T0{number}:00:00Z"
            script.entry("user", message={"content": f"shared {prefix}"}, uuid=uuid, timestamp=at)
        for prefix, uuid in shared:
            at = "2026-11-02T00:00:00Z"
            script.entry("user", message={"content": f"same {prefix}"}, uuid=f"{uuid}-same", timestamp=at)
        script.user(f"own {own}")
        script.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    assert update(tmp_path / "data", tmp_path / "src") == Counts()


def test_a_subagent_is_a_child_of_the_call_that_started_it(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    parent = Script()
    parent.user("Where are retries?")
    parent.calls("Task", {"subagent_type": "Explore", "description": "Find retries", "prompt": "Look."}, "t7")
    parent.result("in upload.py", "t7", toolUseResult={"agentId": "a1", "status": "completed"})
    parent.write(folder)
    child = Script(prefix="c")
    child.user("Look.", isSidechain=True, agentId="a1")
    child.says("In upload.py.", isSidechain=True, agentId="a1")
    child.write(folder, f"{SESSION}/subagents/agent-a1.jsonl")
    index = build(tmp_path / "data", folder)
    session = index.sessions.find(SESSION)
    (found,) = index.sessions.subagents(session.key)
    assert (found.session_id, found.parent, found.parent_tool_id, found.title, found.turns) == (
        "agent-a1",
        session.key,
        "t7",
        "Find retries",
        1,
    )
    assert [s.session_id for s in index.sessions.all()] == [SESSION]
    assert session.children == 1


def test_an_orphan_subagent_stays_reachable(tmp_path: Path) -> None:
    child = Script(prefix="c")
    child.user("Look.", isSidechain=True, agentId="a1")
    child.write(tmp_path / "src", f"{SESSION}/subagents/agent-a1.jsonl")
    index = build(tmp_path / "data", tmp_path / "src")
    assert [(s.session_id, s.title, s.parent) for s in index.sessions.all()] == [("agent-a1", "Look.", None)]


def test_inline_sidechains_become_children(tmp_path: Path) -> None:
    script = Script()
    script.user("Do both")
    script.calls("Task", {"description": "First", "prompt": "one"}, "t1")
    script.calls("Task", {"description": "Second", "prompt": "two"}, "t2")
    script.user("one", isSidechain=True, uuid="aaaaaaaa-1", parentUuid=None)
    script.user("two", isSidechain=True, uuid="bbbbbbbb-1", parentUuid=None)
    script.says("one done", isSidechain=True, uuid="a2", parentUuid="aaaaaaaa-1")
    script.says("two done", isSidechain=True, uuid="b2", parentUuid="bbbbbbbb-1")
    script.result("both", "t1")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    children = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert [(c.session_id, c.title, c.parent_tool_id) for c in children] == [
        ("agent-aaaaaaaa", "First", "t1"),
        ("agent-bbbbbbbb", "Second", "t2"),
    ]
    assert [blocks for _, blocks in whole_turns(index, "agent-bbbbbbbb")] == [[("user", "two"), ("text", "two done")]]
    assert [kind for _, blocks in whole_turns(index, SESSION) for kind, _ in blocks] == [
        "user",
        "tool_call",
        "tool_call",
        "tool_result",
    ]


def test_sidechains_of_a_copy_with_the_same_calls_are_children_too(tmp_path: Path) -> None:
    for number, session in enumerate((SESSION, OTHER_SESSION)):
        script = Script(session, prefix=f"e{number}-")
        script.user("Do it")
        script.calls("Task", {"description": "First", "prompt": "one"}, "t1")
        script.user("one", isSidechain=True, uuid=f"{number}aaaaaaa-1", parentUuid=None)
        script.write(tmp_path / "src")
    index = build(tmp_path / "data", tmp_path / "src")
    children = [index.sessions.subagents(index.sessions.find(session).key) for session in (SESSION, OTHER_SESSION)]
    assert [[(c.session_id, c.title, c.parent_tool_id) for c in of_one] for of_one in children] == [
        [("agent-0aaaaaaa", "First", "t1")],
        [("agent-1aaaaaaa", "First", "t1")],
    ]


def test_the_compaction_helper_is_kept_out_of_sight(tmp_path: Path) -> None:
    child = Script(prefix="c")
    child.user("Summarise", isSidechain=True, agentId="acompact-1")
    simple().write(tmp_path / "src")
    child.write(tmp_path / "src", f"{SESSION}/subagents/agent-acompact-1.jsonl")
    index = build(tmp_path / "data", tmp_path / "src")
    assert index.sessions.find(SESSION).children == 0
    assert index.search("Summarise").hits == ()


@pytest.mark.spec("S2.10", "S2.15")
def test_compactions_split_a_session_into_segments(tmp_path: Path) -> None:
    script = simple()
    script.compacts("We retried the upload.")
    script.says("Going on.")
    script.user("next")
    path = script.write(tmp_path / "src")
    for size in (len(b"\n".join(script.lines[:5])) + 1, path.stat().st_size):
        grown = tmp_path / "grown" / path.name
        grown.parent.mkdir(exist_ok=True)
        grown.write_bytes(path.read_bytes()[:size])
        update(tmp_path / "data", grown)
    index = build(tmp_path / "data", grown)
    assert [(t.number, t.kind, t.role, t.segment, t.provisional) for t, _ in whole_turns(index, SESSION)] == [
        (1, "human", "turn", 0, False),
        (2, "compaction", "compaction_summary", 1, False),
        (3, "human", "turn", 1, True),
    ]
    (compaction,) = index.compactions.of_session(index.sessions.find(SESSION).key)
    assert (compaction.line, compaction.trigger, compaction.tokens_before, compaction.turn) == (4, "auto", 150_000, 2)


def read_it(script: Script, tool_id: str) -> None:
    """A call by which the turn is recalled."""
    script.calls("Read", {"file_path": "/home/ana/code/shop/src/a.py"}, tool_id)
    script.result("x", tool_id)


def recalled(index: Index) -> dict[int, str]:
    """The text that stands for each turn which read the file: for its vectors, and for those who recall it."""
    return {memory.turn: memory.text for memory in index.recall.for_file("src/a.py", 20)}


@pytest.mark.spec("S2.15")
def test_the_turn_before_a_boundary_is_complete_and_knows_nothing_of_what_follows(tmp_path: Path) -> None:
    script, folder, data = Script(), tmp_path / "src", tmp_path / "data"
    script.user("one")
    read_it(script, "t1")
    script.user("two")
    read_it(script, "t2")
    meta = {"trigger": "auto", "preTokens": 90}
    script.entry("system", subtype="compact_boundary", content="", compactMetadata=meta)
    index = build(data, script.write(folder))
    assert [(turn.number, turn.provisional) for turn, _ in whole_turns(index, SESSION)] == [(1, False), (2, False)]
    begun = "[User] {}\n\n[Tools] Read /home/ana/code/shop/src/a.py"
    before = {1: begun.format("one") + "\n\n[User] two", 2: begun.format("two")}
    assert recalled(index) == before
    # A boundary whose summary never comes splits all the same.
    script.user("three")
    read_it(script, "t3")
    index = build(data, script.write(folder))
    assert recalled(index) == before | {3: begun.format("three")}
    script.compacts("They counted.")
    read_it(script, "t4")
    script.user("five")
    read_it(script, "t5")
    index = build(data, script.write(folder))
    summary = "This session is being continued from a previous conversation that ran out of context. They counted."
    whole = before | {
        3: begun.format("three"),
        4: begun.format(summary) + "\n\n[User] five",
        5: begun.format("five"),
    }
    assert recalled(index) == whole
    assert recalled(build(tmp_path / "once", folder)) == whole
    assert [(turn.kind, turn.segment) for turn, _ in whole_turns(index, SESSION)] == [
        ("human", 0),
        ("human", 0),
        ("human", 1),
        ("compaction", 2),
        ("human", 2),
    ]


@pytest.mark.spec("S0.21")
def test_bookkeeping_is_in_the_data_and_not_in_the_text_for_meaning(tmp_path: Path) -> None:
    script = Script()
    script.user("plan it")
    for number, name in enumerate(("TaskCreate", "TodoWrite", "AskUserQuestion", "TaskUpdate", "TaskUpdate")):
        script.calls(name, {"subject": "x"}, f"b{number}")
        script.result("ok", f"b{number}")
    read_it(script, "t1")
    script.calls("Task", {"description": "Check CI"}, "t2")
    script.result("fine", "t2")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    (turn,) = index.sessions.turns(index.sessions.find(SESSION).key)
    read = "Read /home/ana/code/shop/src/a.py"
    assert turn.tool_summary == (
        "TaskCreate", "TodoWrite", "AskUserQuestion", "TaskUpdate", "TaskUpdate", read, "Task: Check CI",
    )  # fmt: skip
    assert index.sessions.find(SESSION).tool_calls == 7
    assert recalled(index) == {1: f"[User] plan it\n\n[Tools] {read} | Task: Check CI"}
    counted = {use.tool: use.calls for use in index.statistics.of_work().tools}
    assert counted == {"TaskUpdate": 2, "TaskCreate": 1, "TodoWrite": 1, "AskUserQuestion": 1, "Read": 1, "Task": 1}


@pytest.mark.spec("S2.7")
def test_the_links_of_a_session_are_ordered_by_number(tmp_path: Path) -> None:
    script = simple()
    for number, repository in ((21, "acme/api"), (14, "acme/shop"), (3, "acme/web")):
        pr_line(script, number, f"https://x/{number}", repository)
    other = simple(FORK, "b")
    pr_line(other, 7, "https://x/7")
    paths = [script.write(tmp_path / "src"), other.write(tmp_path / "src")]
    index = build(tmp_path / "data", *paths)
    assert [link.number for link in index.pull_requests.links(session=index.sessions.find(SESSION).key)] == [3, 14, 21]
    assert [link.number for link in index.pull_requests.links()] == [21, 7, 14, 3]
    assert [link.number for link in index.pull_requests.links(7, index.sessions.find(SESSION).key)] == []


def test_a_summary_without_a_boundary_line_makes_one(tmp_path: Path) -> None:
    script = simple()
    script.user("This session is being continued from a previous conversation that ran out of context. Before: x")
    path = script.write(tmp_path / "src")
    update(tmp_path / "data", path)
    script.says("going on")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    (compaction,) = index.compactions.of_session(index.sessions.find(SESSION).key)
    assert (compaction.line, compaction.trigger, compaction.turn) == (4, None, 2)


def test_a_boundary_without_a_summary_is_a_compaction_that_waits_for_it(tmp_path: Path) -> None:
    script = simple()
    meta = {"trigger": "manual", "preTokens": 90}
    script.entry("system", subtype="compact_boundary", content="", compactMetadata=meta)
    path = script.write(tmp_path / "src")
    index = build(tmp_path / "data", path)
    assert [(c.turn, c.trigger) for c in index.compactions.of_session(index.sessions.find(SESSION).key)] == [
        (None, "manual")
    ]
    script.user("This session is being continued from a previous conversation. x", isCompactSummary=True)
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert [(c.turn, c.trigger) for c in index.compactions.of_session(index.sessions.find(SESSION).key)] == [
        (2, "manual")
    ]


def pr_line(script: Script, number: int, url: str, repository: str = "acme/shop") -> None:
    script.raw(
        {
            "type": "pr-link",
            "sessionId": script.session_id,
            "prNumber": number,
            "prUrl": url,
            "prRepository": repository,
            "timestamp": "2026-11-01T09:00:00Z",
        }
    )


@pytest.mark.spec("S2.1", "S2.5", "S2.7")
def test_the_first_row_of_a_pull_request_holds(tmp_path: Path) -> None:
    script = simple()
    pr_line(script, 21, "https://x/21")
    pr_line(script, 14, "https://x/14")
    pr_line(script, 14, "https://x/other")
    path = script.write(tmp_path / "src")
    update(tmp_path / "data", path)
    pr_line(script, 14, "https://x/later")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    session = index.sessions.find(SESSION)
    links = [PrLink(SESSION, n, u, "acme/shop", START, line, session.title, "shop") for n, u, line in
             ((14, "https://x/14", 5), (21, "https://x/21", 4))]  # fmt: skip
    assert index.pull_requests.links(session=session.key) == links
    assert index.pull_requests.links(session=999) == []


@pytest.mark.spec("S2.6")
def test_a_file_with_only_a_pull_request_is_a_session_without_turns(tmp_path: Path) -> None:
    script = Script()
    pr_line(script, 14, "https://x/14")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert [(s.session_id, s.turns) for s in index.sessions.all()] == [(SESSION, 0)]
    assert [(link.session_id, link.number) for link in index.pull_requests.links()] == [(SESSION, 14)]


@pytest.mark.spec("S2.1")
def test_one_pull_request_in_two_sessions_is_two_rows(tmp_path: Path) -> None:
    for session_id, prefix in ((SESSION, "a"), (FORK, "b")):
        script = simple(session_id, prefix)
        pr_line(script, 14, "https://x/14")
        script.write(tmp_path / "src")
    index = build(tmp_path / "data", tmp_path / "src")
    assert [(link.number, link.session_id) for link in index.pull_requests.links(14)] == [(14, SESSION), (14, FORK)]
    assert index.pull_requests.links(15) == []


def test_the_most_trusted_title_holds_and_the_last_of_equals(tmp_path: Path) -> None:
    script = simple()
    for kind, key, text in (
        ("ai-title", "aiTitle", "First guess"),
        ("custom-title", "customTitle", "My name for it"),
        ("ai-title", "aiTitle", "Second guess"),
        ("custom-title", "customTitle", "My better name"),
    ):
        script.raw({"type": kind, key: text, "sessionId": SESSION})
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert index.sessions.find(SESSION).title == "My better name"
    assert [hit.turn for hit in index.search("better name").hits] == [1]


def test_a_summary_names_the_session_that_holds_its_leaf(tmp_path: Path) -> None:
    old = simple()
    new = simple(FORK, "n")
    new.raw({"type": "summary", "summary": "Retrying uploads", "leafUuid": "e3"})
    old.write(tmp_path / "src")
    new.write(tmp_path / "src")
    index = build(tmp_path / "data", tmp_path / "src")
    assert [index.sessions.find(key).title for key in (SESSION, FORK)] == [
        "Retrying uploads",
        "Please retry the upload",
    ]


def test_it_stops_on_request_and_keeps_what_it_read(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    simple(FORK, "b").write(folder)
    simple().write(folder)
    stop = threading.Event()
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update([Location("claude-code", folder)], stop.is_set):
            stop.set()
        assert indexer.counts.files_read == 0
        for progress in indexer.update([Location("claude-code", folder)]):
            last = progress
        assert (indexer.counts.files_read, last.finished, last.done) == (2, True, last.total)


def test_only_one_indexer_may_write(tmp_path: Path) -> None:
    with Indexer(tmp_path / "data"), pytest.raises(IndexerBusy, match="Another memtui is indexing"):
        Indexer(tmp_path / "data")


@pytest.mark.spec("S4.1", "S4.2")
def test_mentions_stand_at_the_line_of_the_persons_text(tmp_path: Path) -> None:
    script = Script()
    for _ in range(4):
        script.raw({"type": "mode", "mode": "default", "sessionId": SESSION})
    script.user("fix it")
    path = "/home/ana/code/shop/src/a.py"
    script.calls("Read", {"file_path": path}, "t1")
    script.result("1→x", "t1")
    script.calls("Edit", {"file_path": path, "old_string": "x", "new_string": "y"}, "t2")
    script.result("ok", "t2")
    script.calls("Edit", {"file_path": path, "old_string": "y", "new_string": "z"}, "t3")
    script.result("ok", "t3")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    touches = index.files.of_turn(index.sessions.find(SESSION).key, 1)
    assert [(t.path, t.tool, t.kind, t.line) for t in touches] == [
        ("src/a.py", "Edit", "edited", 4),
        ("src/a.py", "Read", "read", 4),
    ]


@unix_only
def test_no_line_of_the_transcript_is_written(tmp_path: Path) -> None:
    path = simple().write(tmp_path / "src")
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        build(tmp_path / "data", path.parent)
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
        assert [p.name for p in path.parent.iterdir()] == [path.name]
    finally:
        path.parent.chmod(0o755)


def test_progress_counts_the_bytes_to_read(tmp_path: Path) -> None:
    path = simple().write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        steps = list(indexer.update([Location("claude-code", path)]))
    size = path.stat().st_size
    assert [(s.done, s.total, s.sources, s.finished) for s in (steps[0], steps[-1])] == [
        (0, size, 0, False),
        (size, size, 1, True),
    ]
    written = orjson.loads((tmp_path / "data" / "progress.json").read_bytes())
    assert (written["done"], written["finished"]) == (size, True)
