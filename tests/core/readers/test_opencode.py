"""Sessions of OpenCode 1 and 2 in a database, as the index shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.memory.handoff.calls import handoff_calls
from memtui_core.memory.handoff.todos import open_todos
from memtui_core.model import Session
from memtui_core.readers.agents.opencode.reader import Kilo, OpenCode
from memtui_core.readers.locations import Location
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.call import ToolCall
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.pairing import paired_turns
from memtui_core.tools.results.todos import Todo
from support.databases import beside, program
from support.indexes import whole_turns
from support.opencode import FIRST, SECOND, START, Store, empty, tool
from support.pictures import picture

MODEL: dict[str, Any] = {"modelID": "glm-5.2", "providerID": "zen", "mode": "build", "agent": "build"}
DIFF = """Index: /x/prices.py
===
--- /x/prices.py
+++ /x/prices.py
@@ -3,2 +3,2 @@
 def price(cents):
-    return cents
+    return round(cents)
\\ No newline at end of file
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    path = empty(tmp_path / "home" / "opencode.db")
    with program(path) as running:
        yield Store(path, running)


def ingest(data: Path, *sources: Path) -> Counts:
    with Indexer(data) as indexer:
        for _ in indexer.update([Location(None, source) for source in sources]):
            pass
        return indexer.counts


def index_of(store: Store) -> Index:
    data = store.path.parent.parent / "data"
    ingest(data, store.path.parent)
    return Index.open(data)


def texts(index: Index, session: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The turns with their kinds, and their blocks."""
    return [(turn.kind, blocks) for turn, blocks in whole_turns(index, session)]


def calls(index: Index, session: str) -> list[ToolCall]:
    found = index.sessions.find(session)
    return paired_turns(index.sessions.blocks(found.key, 1, found.turns).items())


def unknown(index: Index) -> list[tuple[int, str]]:
    return index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line")


def facts(session: Session) -> tuple[Any, ...]:
    return session.title, session.cwd, session.version, session.models, session.input_tokens, session.output_tokens


def test_a_session_with_everything(store: Store) -> None:
    store.session("ses_1")
    image = {"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64," + "A" * 4000}
    store.say("ses_1", "user", "Please round the prices", {"type": "text", "text": "A hint", "synthetic": True}, image)
    edit = {"filePath": "/home/ana/code/shop-api/prices.py", "oldString": "cents", "newString": "round(cents)"}
    tokens = {"total": 175, "input": 100, "output": 20, "reasoning": 5, "cache": {"read": 40, "write": 10}}
    store.say(
        "ses_1",
        "assistant",
        {"type": "step-start", "snapshot": "abc"},
        {"type": "reasoning", "text": "Where are they?"},
        "I look at the prices.",
        tool("bash", "call_1", {"command": "pytest -q", "workdir": "/x"}, "1 failed", metadata={"exit": 1}),
        tool("edit", "call_2", edit, "Edit applied", metadata={"diff": DIFF}),
        tool("read", "call_3", {"filePath": "gone.py"}, status="error", error="File not found"),
        tool("invalid", "call_4", {"tool": "raed", "error": "unknown tool"}, "The arguments are invalid"),
        tool("bash", "call_5", {"command": "sleep 9"}, status="running"),
        {"type": "step-finish", "reason": "stop", "tokens": tokens, "cost": 0.1},
        {"type": "patch", "hash": "def", "files": ["/x/prices.py"]},
        tokens=tokens,
        path={"cwd": "/home/ana/code/shop-api", "root": "/"},
        **MODEL,
    )
    store.say("ses_1", "assistant", "Rounded.", tokens={**tokens, "total": 170}, **MODEL)
    store.say("ses_1", "user", "Thanks")
    store.say("ses_1", "assistant", error={"name": "APIError", "data": {"message": "Overloaded"}}, **MODEL)
    store.say("ses_1", "assistant", error={"name": "MessageAbortedError", "data": {"message": "Aborted"}}, **MODEL)
    index = index_of(store)
    session = index.sessions.find("ses_1")
    assert facts(session) == ("Round the prices", "/home/ana/code/shop-api", "1.18.5", ("glm-5.2",), 200, 45)
    assert (session.agent, session.project, session.parent) == ("opencode", "shop-api", None)
    assert session.started_at is not None
    assert session.started_at.timestamp() * 1000 == START + 1000
    assert resume_command(session) == ["opencode", "--session", "ses_1"]
    first, second = texts(index, "ses_1")
    kept = [(kind, text) for kind, text in first[1] if kind not in {"tool_call", "tool_result"}]
    assert (first[0], kept) == (
        "human",
        [
            ("user", "Please round the prices"),
            ("note", "A hint"),
            ("image", "[image/png 3 kB]"),
            ("thinking", "Where are they?"),
            ("text", "I look at the prices."),
            ("text", "Rounded."),
        ],
    )
    notes = [("user", "Thanks"), ("note", "APIError: Overloaded"), ("note", "MessageAbortedError: Aborted")]
    assert second == ("human", notes)
    result = [
        (c.id, c.name, c.family, c.is_error, c.exit_code, c.result and c.result.text) for c in calls(index, "ses_1")
    ]
    assert result == [
        ("call_1", "bash", "shell", True, 1, "1 failed"),
        ("call_2", "edit", "edit", False, None, "Edit applied"),
        ("call_3", "read", "read", True, None, "File not found"),
        ("call_4", "invalid", "other", True, None, "The arguments are invalid"),
        ("call_5", "bash", "shell", False, None, None),
    ]
    edited = calls(index, "ses_1")[1]
    assert diff_of(edited) == "@@ -3,2 +3,2 @@\n def price(cents):\n-    return cents\n+    return round(cents)"
    assert edited.path == "/home/ana/code/shop-api/prices.py"
    assert [turn.errors for turn in index.sessions.turns(session.key)] == [3, 0]


def test_titles_that_the_agent_did_not_choose_yet_are_no_titles(store: Store) -> None:
    titles = {"New session - 2026-09-21T14:13:20.000Z": "Hello", "Child session - 2026-09-21T14:13:20.000Z": "Hello"}
    titles |= {"Find it (@explore subagent)": "Find it", "Newly made": "Newly made", "  ": "Hello"}
    for number, title in enumerate(titles):
        store.session(f"ses_{number}", title=title)
        store.say(f"ses_{number}", "user", "Hello")
    index = index_of(store)
    assert [index.sessions.find(f"ses_{number}").title for number in range(5)] == list(titles.values())


def test_a_session_without_a_message_is_empty(store: Store) -> None:
    store.session("ses_1")
    index = index_of(store)
    assert [(source.state, source.agent) for source in index.statistics.sources()] == [("empty", "opencode")]
    assert index.sessions.all() == []


def test_subagents_belong_to_the_call_that_started_them(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Where is the price?")
    task = {"description": "Find the price", "prompt": "Find it", "subagent_type": "explore"}
    store.say("ses_1", "assistant", tool("task", "call_1", task, "found", metadata={"sessionId": "ses_2"}), **MODEL)
    store.session("ses_2", title="Find the price (@explore subagent)", parent="ses_1")
    store.say("ses_2", "user", "Find it")
    store.say("ses_2", "assistant", "In prices.py.", **MODEL)
    store.session("ses_3", title="Deeper (@explore subagent)", parent="ses_2")
    store.say("ses_3", "user", "Look deeper")
    index = index_of(store)
    parent, child, grandchild = (index.sessions.find(f"ses_{number}") for number in (1, 2, 3))
    assert (child.parent, child.parent_tool_id, child.title) == (parent.key, "call_1", "Find the price")
    assert (grandchild.parent, grandchild.parent_tool_id) == (parent.key, None)
    assert texts(index, "ses_2") == [("agent", [("user", "Find it"), ("text", "In prices.py.")])]
    assert resume_command(child) is None
    assert calls(index, "ses_1")[0].family == "task"


def test_a_circle_of_parents_ends(store: Store) -> None:
    store.session("ses_1", parent="ses_2")
    store.session("ses_2", parent="ses_1")
    store.say("ses_1", "user", "Round")
    store.say("ses_2", "user", "And round")
    assert {session.session_id for session in index_of(store).sessions.all()} <= {"ses_1", "ses_2"}


def test_a_compaction_starts_a_segment_with_its_summary(store: Store) -> None:
    tokens = {"input": 900, "output": 100, "reasoning": 0, "cache": {"read": 3000, "write": 0}}
    store.session("ses_1")
    store.say("ses_1", "user", "Please round the prices")
    store.say("ses_1", "assistant", "Rounded.", tokens=tokens, **MODEL)
    store.say("ses_1", "user", {"type": "compaction", "auto": True})
    compacting = {**MODEL, "mode": "compaction", "agent": "compaction", "summary": True}
    small = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    store.say("ses_1", "assistant", {"type": "reasoning", "text": "Hm"}, "## Goal\nRound", tokens=small, **compacting)
    store.say("ses_1", "user", {"type": "text", "text": "Continue if you have next steps", "synthetic": True})
    store.say("ses_1", "assistant", "Nothing left.", **MODEL)
    store.say("ses_1", "user", {"type": "compaction", "auto": False})
    store.say("ses_1", "assistant", "## Goal\nRounded", **compacting)
    index = index_of(store)
    session = index.sessions.find("ses_1")
    assert texts(index, "ses_1") == [
        ("human", [("user", "Please round the prices"), ("text", "Rounded.")]),
        (
            "compaction",
            [
                ("user", "## Goal\nRound"),
                ("note", "Continue if you have next steps"),
                ("text", "Nothing left."),
            ],
        ),
        ("compaction", [("user", "## Goal\nRounded")]),
    ]
    assert [turn.segment for turn in index.sessions.turns(session.key)] == [0, 1, 2]
    compactions = index.compactions.of_session(session.key)
    assert [(one.trigger, one.tokens_before) for one in compactions] == [("auto", 4000), ("manual", 15)]
    assert (session.input_tokens, session.output_tokens) == (910, 105)


def test_a_prompt_that_is_repeated_after_a_compaction_counts_once(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Read the whole book")
    store.say("ses_1", "user", {"type": "compaction", "auto": True, "overflow": True})
    store.say("ses_1", "assistant", "It is long.", summary=True, **MODEL)
    store.say("ses_1", "user", "Read the whole book")
    store.say("ses_1", "assistant", "Read.", **MODEL)
    store.say("ses_1", "user", "Read the whole book")
    assert texts(index_of(store), "ses_1") == [
        ("human", [("user", "Read the whole book")]),
        ("compaction", [("user", "It is long."), ("text", "Read.")]),
        ("human", [("user", "Read the whole book")]),
    ]


def test_another_prompt_after_a_compaction_is_a_prompt(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Read the whole book")
    store.say("ses_1", "user", {"type": "compaction", "auto": True, "overflow": True})
    store.say("ses_1", "assistant", "It is long.", summary=True, **MODEL)
    store.say("ses_1", "user", "Read one page")
    assert [kind for kind, _ in texts(index_of(store), "ses_1")] == ["human", "compaction", "human"]


def test_a_patch_of_several_files_is_shown_as_the_agent_wrote_it(store: Store) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** Delete File: b.py\n*** End Patch"
    store.session("ses_1")
    store.say("ses_1", "user", "Change both")
    store.say("ses_1", "assistant", tool("apply_patch", "c1", {"patchText": patch}, "Done", metadata={"diff": DIFF}))
    (call,) = calls(index_of(store), "ses_1")
    assert (call.family, call.paths, diff_of(call)) == ("edit", ("a.py", "b.py"), patch)


def test_open_todos_are_handed_over(store: Store) -> None:
    todos = [{"content": "Round half up", "status": "in_progress"}, {"content": "Find it", "status": "completed"}]
    store.session("ses_1")
    store.say("ses_1", "user", "Please round the prices")
    store.say("ses_1", "assistant", tool("todowrite", "c1", {"todos": todos}, "1 todo"), "I begin.", **MODEL)
    index = index_of(store)
    found = index.sessions.find("ses_1")
    turns = index.sessions.blocks(found.key, 1, found.turns).items()
    assert open_todos(handoff_calls(turns)) == [Todo("Round half up", "in_progress")]


def test_the_messages_of_a_fork_count_once(store: Store) -> None:
    store.session("ses_1")
    prompt = store.clock + 1000
    store.say("ses_1", "user", "Please round the prices")
    store.say("ses_1", "assistant", "Rounded.", **MODEL)
    store.say("ses_1", "user", "Also the discounts")
    store.session("ses_2", title="Round the prices (fork #1)")
    store.say("ses_2", "user", "Please round the prices", at=prompt)
    store.say("ses_2", "assistant", "Rounded.", at=prompt + 1000, **MODEL)
    store.say("ses_2", "user", "Now the other way", at=prompt + 60_000)
    index = index_of(store)
    assert [kind for kind, _ in texts(index, "ses_1")] == ["human", "human"]
    assert texts(index, "ses_2") == [("human", [("user", "Now the other way")])]
    assert index.sessions.find("ses_2").forked_from == "ses_1"


def test_a_fork_is_no_subagent_of_its_origin(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Please round the prices")
    store.session("ses_2", title="Round the prices (fork #2)", parent="ses_1")
    store.say("ses_2", "user", "Now the other way")
    index = index_of(store)
    session = index.sessions.find("ses_2")
    assert (session.parent, session.forked_from, session.title) == (None, "ses_1", "Round the prices (fork #2)")
    assert texts(index, "ses_2") == [("human", [("user", "Now the other way")])]


def test_messages_are_in_the_order_of_their_times_and_parts_in_that_of_their_ids(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "assistant", "Second", "and third", at=START + 9000, **MODEL)
    store.say("ses_1", "user", "First", at=START)
    store.program.execute("UPDATE part SET id = 'prt_9999' WHERE data LIKE '%Second%'")
    assert texts(index_of(store), "ses_1") == [
        ("human", [("user", "First"), ("text", "and third"), ("text", "Second")])
    ]


def test_the_same_words_at_another_time_count_twice(store: Store) -> None:
    for session in ("ses_1", "ses_2"):
        store.session(session)
        store.say(session, "user", "Go on")
    index = index_of(store)
    assert texts(index, "ses_1") == texts(index, "ses_2") == [("human", [("user", "Go on")])]


def test_version_2(store: Store) -> None:
    store.second("ses_1")
    model = {"id": "claude-sonnet", "providerID": "anthropic"}
    tokens = {"input": 10, "output": 4, "reasoning": 3, "cache": {"read": 80, "write": 3}}
    store.add("ses_1", "agent-switched", agent="build")
    store.add("ses_1", "user", text="Why does it loop?", files=[{"uri": "file:///x/a.png", "mime": "image/png"}])
    completed = {"status": "completed", "input": {"command": "ls"}, "content": [{"type": "text", "text": "a.py"}]}
    failed = {"status": "error", "input": {"filePath": "b.py"}, "content": [], "error": {"message": "no file"}}
    store.add(
        "ses_1",
        "assistant",
        model=model,
        tokens=tokens,
        content=[
            {"type": "reasoning", "id": "r1", "text": "A test is missing"},
            {"type": "text", "id": "t1", "text": "I look."},
            {"type": "tool", "id": "call_1", "name": "bash", "state": {**completed, "structured": {"exit": 0}}},
            {"type": "tool", "id": "call_2", "name": "read", "state": failed},
            {"type": "tool", "id": "call_3", "name": "bash", "state": {"status": "pending", "input": '{"comm'}},
            {"type": "hologram", "id": "h1"},
        ],
    )
    store.add("ses_1", "model-switched", model=model)
    store.add("ses_1", "shell", command="pytest -q", output="1 failed", exit=1)
    store.add("ses_1", "synthetic", text="A reminder")
    store.add("ses_1", "compaction", reason="manual", summary="The test was missing", recent="")
    store.add("ses_1", "assistant", model=model, content=[], error={"type": "unknown", "message": "Overloaded"})
    store.add("ses_1", "teleport", where="elsewhere")
    index = index_of(store)
    session = index.sessions.find("ses_1")
    assert facts(session)[2:] == ("2.0.12", ("claude-sonnet",), 10, 7)
    first, second = texts(index, "ses_1")
    assert (first[0], [block for block in first[1] if block[0] != "tool_call"]) == (
        "human",
        [
            ("user", "Why does it loop?"),
            ("image", "[image/png]"),
            ("thinking", "A test is missing"),
            ("text", "I look."),
            ("tool_result", "a.py"),
            ("tool_result", "no file"),
            ("note", "$ pytest -q\n1 failed"),
            ("note", "A reminder"),
        ],
    )
    assert second == ("compaction", [("user", "The test was missing"), ("note", "Overloaded")])
    assert [(one.trigger, one.tokens_before) for one in index.compactions.of_session(session.key)] == [("manual", 100)]
    assert [(c.id, c.is_error, c.exit_code) for c in calls(index, "ses_1")] == [
        ("call_1", False, 0),
        ("call_2", True, None),
        ("call_3", False, None),
    ]
    (source,) = index.statistics.sources()
    assert unknown(index) == [(2, "hologram"), (8, "teleport")]
    assert source.state == "ok"


def test_stale_tables_of_version_1_do_not_count(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Stale")
    store.second("ses_1")
    store.add("ses_1", "user", text="Current")
    store.session("ses_2")
    store.say("ses_2", "user", "Only here")
    index = index_of(store)
    assert texts(index, "ses_1") == [("human", [("user", "Current")])]
    assert texts(index, "ses_2") == [("human", [("user", "Only here")])]


def test_the_copy_of_messages_that_late_version_1_kept_does_not_count(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Round the prices", "And the discounts")
    store.add("ses_1", "user", text="Round the prices")
    assert texts(index_of(store), "ses_1") == [("human", [("user", "Round the prices\n\nAnd the discounts")])]


def test_a_session_that_version_2_did_not_copy_yet_is_read_from_version_1(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Round the prices")
    store.second("ses_1")
    assert texts(index_of(store), "ses_1") == [("human", [("user", "Round the prices")])]


def test_a_fork_of_version_2_names_its_origin(store: Store) -> None:
    store.second("ses_1")
    store.add("ses_1", "user", text="Round the prices")
    store.second("ses_2", fork_session_id="ses_1")
    store.add("ses_2", "user", text="The other way")
    index = index_of(store)
    assert (index.sessions.find("ses_2").forked_from, index.sessions.find("ses_2").parent) == ("ses_1", None)


def test_only_a_changed_session_is_read_again(store: Store, tmp_path: Path) -> None:
    data = tmp_path / "data"
    changed = {"message": 2, "part": 2, "row": 2, "title": 1}
    for session in ("ses_first", *(f"ses_{what}" for what in changed), "ses_last"):
        store.session(session)
        store.say(session, "user", f"Prompt of {session}")
        store.say(session, "assistant", f"Answer of {session}", **MODEL)
        store.say(session, "user", "One more")
        store.say(session, "assistant", "Yes", **MODEL)
    assert ingest(data, store.path).files_read == 6
    assert ingest(data, store.path).files_read == 0
    later = store.clock + 5000
    for what, turns in changed.items():
        if what == "message":
            store.say("ses_message", "user", "And another")
        elif what == "row":
            store.program.execute("DELETE FROM part WHERE data LIKE '%Answer of ses_row%'")
        elif what == "part":
            sql = "UPDATE part SET data = replace(data, 'Answer', 'Reply'), time_updated = ? WHERE data LIKE ?"
            store.program.execute(sql, [later, "%ses_part%"])
        else:
            store.program.execute("UPDATE session SET title = 'New', time_updated = ? WHERE id = 'ses_title'", [later])
        counts = ingest(data, store.path)
        assert (what, counts.files_read, counts.turns_written) == (what, 1, turns)
        assert ingest(data, store.path).files_read == 0
    fresh = tmp_path / "fresh"
    ingest(fresh, store.path)
    assert picture(data) == picture(fresh)


def test_reading_step_by_step_is_the_same_as_reading_at_once(store: Store, tmp_path: Path) -> None:
    """Of nine sessions the first stops after one message, and so on; each of ten indexers takes its time."""
    steps: list[tuple[Any, ...]] = [
        ("user", "Please round"),
        ("assistant", {"type": "reasoning", "text": "Hm"}, tool("bash", "call_1", {"command": "ls"}, "a.py")),
        ("assistant", "Rounded."),
        ("user", {"type": "compaction", "auto": True, "overflow": True}),
        ("assistant", "Summary"),
        ("user", "Please round"),
        ("assistant", "Again."),
        ("user", "Now the discounts"),
        ("assistant", "Done."),
    ]
    sessions = [f"ses_{number}" for number in range(len(steps))]
    for session in sessions:
        store.session(session)
    for number, (role, *parts) in enumerate(steps):
        info: dict[str, Any] = {"tokens": {"input": 10 + number, "output": 1}} if role == "assistant" else {}
        summary: dict[str, Any] = {"summary": True} if parts == ["Summary"] else {}
        for session in sessions[number:]:
            store.say(session, role, *parts, **info, **summary)
        ingest(tmp_path / "data", store.path)
    ingest(tmp_path / "fresh", store.path)
    held = picture(tmp_path / "data")
    assert held == picture(tmp_path / "fresh")
    assert {source for _, source, *_ in held["turns"]} == {f"{store.path}#{session}" for session in sessions}


def test_nothing_beside_the_database_changes(store: Store, tmp_path: Path) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "In the log")
    before = beside(store.path)
    assert set(before) == {"opencode.db", "opencode.db-shm", "opencode.db-wal"}
    index = index_of(store)
    assert beside(store.path) == before
    assert texts(index, "ses_1") == [("human", [("user", "In the log")])]
    store.program.execute("BEGIN EXCLUSIVE")
    store.say("ses_1", "user", "Not yet")
    assert len(texts(index_of(store), "ses_1")) == 1
    store.program.execute("COMMIT")
    assert len(texts(index_of(store), "ses_1")) == 2


def test_a_deleted_session_and_a_deleted_database_stay_readable(store: Store) -> None:
    for session in ("ses_1", "ses_2"):
        store.session(session)
        store.say(session, "user", "Hello")
    index_of(store)
    for table, column in (("session", "id"), ("message", "session_id"), ("part", "session_id")):
        store.program.execute(f"DELETE FROM {table} WHERE {column} = 'ses_1'")
    index = index_of(store)
    assert [index.sessions.find(name).gone for name in ("ses_1", "ses_2")] == [True, False]
    store.program.close()
    store.path.unlink()
    index = index_of(store)
    assert [index.sessions.find(name).gone for name in ("ses_1", "ses_2")] == [True, True]
    assert texts(index, "ses_2") == [("human", [("user", "Hello")])]


def test_a_damaged_database_is_an_error_and_keeps_its_sessions(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Hello")
    index_of(store)
    store.program.close()
    store.path.write_bytes(b"half a copy " * 500)
    index = index_of(store)
    assert {source.state: source.error for source in index.statistics.sources()} == {
        "ok": None,
        "error": f"{store.path}: file is not a database",
    }
    assert not index.sessions.find("ses_1").gone


UNREAD = ("note", "without a type\nNot lost")
"""The part of a message that cannot be read."""


def test_damaged_rows_cost_the_row(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Hello", "there")
    store.say("ses_1", "assistant", "Good", "morning", {"type": "hologram"}, **MODEL)
    store.say("ses_1", "user", "Not lost")
    store.say("ses_1", "assistant", "Kept", **MODEL)
    store.program.execute("UPDATE part SET data = '{' WHERE data LIKE '%there%'")
    store.program.execute("UPDATE part SET data = x'00ff' WHERE data LIKE '%morning%'")
    store.program.execute(
        "UPDATE message SET data = '[]' WHERE id IN (SELECT message_id FROM part WHERE data LIKE '%Not lost%')"
    )
    index = index_of(store)
    assert texts(index, "ses_1") == [("human", [("user", "Hello"), ("text", "Good"), UNREAD, ("text", "Kept")])]
    (source,) = index.statistics.sources()
    assert source.state == "partial"
    assert source.skipped == (
        (0, "a part is not JSON"),
        (1, "a part is not JSON"),
        (2, "a message is not a JSON object"),
    )
    assert unknown(index) == [(1, "hologram"), (2, "without a type")]


def test_an_unknown_part_of_a_summary_is_kept(store: Store) -> None:
    store.session("ses_1")
    store.say("ses_1", "user", "Hello")
    store.say("ses_1", "assistant", "Prices were cut", {"type": "hologram", "text": "seen from afar"}, summary=True)
    index = index_of(store)
    assert texts(index, "ses_1")[1] == (
        "compaction",
        [("user", "Prices were cut"), ("note", "hologram\nseen from afar")],
    )
    assert unknown(index) == [(1, "hologram")]


def test_other_tables_and_columns(tmp_path: Path) -> None:
    """Fewer columns as in the first releases, more as in later ones, texts as times, and unknown tables."""
    old = """
    CREATE TABLE session (id text PRIMARY KEY, directory text, time_created any, time_updated any);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created any, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, data text);
    INSERT INTO session VALUES ('ses_1', '/home/ana/code/site', '2026-07-17T09:00:00Z', '2026-07-17T09:00:02Z');
    INSERT INTO message VALUES ('m1', 'ses_1', '2026-07-17T09:00:01Z', '{"role":"user"}');
    INSERT INTO part VALUES ('p1', 'm1', '{"type":"text","text":"Hello"}');
    """
    empty(tmp_path / "a" / "opencode.db", old)
    empty(tmp_path / "b" / "opencode-beta.db", "CREATE TABLE session (x); CREATE TABLE message (y);")
    more = "ALTER TABLE session ADD COLUMN mood text; CREATE TABLE mood (id text);"
    insert = "INSERT INTO session (id, directory, title) VALUES ('ses_2', NULL, 7), ('', 'x', 'y'), ('a#b', 'x', 'y');"
    message = """INSERT INTO message (id, session_id, data) VALUES ('m1', 'ses_2', '{"role":"user"}');
    INSERT INTO part (id, message_id, session_id, data) VALUES ('p1', 'm1', 'ses_2', '{"type":"text","text":"Hi"}');"""
    empty(tmp_path / "c" / "opencode-dev.db", FIRST + SECOND + more + insert + message)
    data = tmp_path / "data"
    ingest(data, tmp_path / "a", tmp_path / "b", tmp_path / "c")
    index = Index.open(data)
    assert sorted((source.path.rpartition("/")[2], source.state) for source in index.statistics.sources()) == [
        ("opencode-dev.db#ses_2", "ok"),
        ("opencode.db#ses_1", "ok"),
    ]
    assert texts(index, "ses_1") == [("human", [("user", "Hello")])]
    assert texts(index, "ses_2") == [("human", [("user", "Hi")])]
    started = index.sessions.find("ses_1").started_at
    assert started is not None
    assert started.isoformat() == "2026-07-17T09:00:01+00:00"


def test_files_and_commands(tmp_path: Path) -> None:
    opencode, kilo = OpenCode(), Kilo()
    environ = {"XDG_DATA_HOME": str(tmp_path)}
    (tmp_path / "opencode" / "project" / "shop" / "storage" / "session" / "info").mkdir(parents=True)
    (tmp_path / "opencode" / "opencode-beta.db").touch()
    names = [path.relative_to(tmp_path).as_posix() for path in opencode.default_locations(environ)]
    assert names == [
        "opencode/opencode-beta.db",
        "opencode/opencode.db",
        "opencode/project/shop/storage/session/info",
        "opencode/storage/session",
    ]
    assert [path.name for path in kilo.default_locations(environ)] == ["kilo.db"]
    chosen = {**environ, "OPENCODE_DB": "/elsewhere/opencode.db"}
    assert Path("/elsewhere/opencode.db") in opencode.default_locations(chosen)
    assert len(opencode.default_locations({**environ, "OPENCODE_DB": ":memory:"})) == len(names)
    assert opencode.default_locations({})[0] == Path.home() / ".local" / "share" / "opencode" / "opencode.db"
    names = ["opencode.db", "opencode.db-wal", "opencode-beta.db-shm", "kilo.db", "opencode.txt", "my-opencode.db"]
    agents = [reader.agent if (reader := reader_for(tmp_path / name)) else None for name in names]
    assert agents == ["opencode", "opencode", "opencode", "kilo", None, None]
    assert opencode.container(tmp_path / "opencode.db-wal") == tmp_path / "opencode.db"
    assert opencode.start_command("Hello") == ["opencode", "--prompt", "Hello"]
    assert kilo.resume_command("ses_1") == ["kilo", "--session", "ses_1"]


def test_kilo_has_the_same_tables(tmp_path: Path) -> None:
    path = empty(tmp_path / "home" / "kilo.db")
    with program(path) as running:
        store = Store(path, running)
        store.session("ses_1")
        store.add("ses_1", "user", text="Round the prices")
    index = index_of(store)
    assert texts(index, "ses_1") == [("human", [("user", "Round the prices")])]
    assert index.sessions.find("ses_1").agent == "kilo"
