"""Tool calls paired with their results, and of each file and command the last state."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.memory.handoff.calls import HandoffCall, deduplicate, handoff_calls
from memtui_core.memory.handoff.todos import open_todos
from memtui_core.model import Block
from memtui_core.tools.results.todos import Todo

REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed,"
    " the user said:\nask me first"
)


class Calls:
    """Calls one after another, each with its result."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.count = 0

    def __call__(self, tool: str, result: str | None = "done", *, error: bool = False, **fields: Any) -> None:
        self.count += 1
        name = f"t{self.count}"
        self.add("tool_call", orjson.dumps(fields).decode(), name, tool)
        if result is not None:
            self.add("tool_result", result, name, tool, error)

    def add(self, kind: Any, text: str, tool_id: str, tool: str | None = None, error: bool = False) -> None:
        seq = len(self.blocks)
        self.blocks.append(Block(seq, seq, kind, text, tool, tool_id, error))

    def paired(self) -> list[HandoffCall]:
        return handoff_calls([(1, self.blocks)])

    def kept(self) -> list[tuple[str, str | None]]:
        """The id and the result of each call that is kept."""
        return [(block.id, block.result.text if block.result else None) for block in deduplicate(self.paired())]


@pytest.fixture
def does() -> Calls:
    return Calls()


@pytest.mark.spec("S1.1")
def test_results_are_paired_by_id_in_the_order_of_the_calls(does: Calls) -> None:
    does.add("tool_call", '{"file_path":"/a"}', "t1", "Read")
    does.add("tool_call", '{"command":"ls"}', "t2", "Bash")
    does.add("tool_result", "two", "t2")
    does.add("tool_result", "one", "t1")
    does.add("tool_call", '{"pattern":"x"}', "t3", "Grep")
    one, two, three, four, five = does.blocks
    assert does.paired() == [
        HandoffCall(one, four, 1),
        HandoffCall(two, three, 1),
        HandoffCall(five, None, 1),
    ]
    assert [(block.name, block.dedup_key, block.line) for block in does.paired()] == [
        ("Read", "/a", 0),
        ("Bash", "ls", 1),
        ("Grep", "", 4),
    ]
    assert [block.fields for block in does.paired()] == [{"file_path": "/a"}, {"command": "ls"}, {"pattern": "x"}]


def test_a_result_in_a_later_turn_belongs_to_its_call_and_one_without_a_call_to_none() -> None:
    call = Block(0, 5, "tool_call", '{"command":"make"}', "Bash", "t1")
    result, orphan = Block(0, 9, "tool_result", "built", None, "t1"), Block(1, 9, "tool_result", "?", None, "t9")
    assert handoff_calls([(3, [call]), (4, [result, orphan])]) == [HandoffCall(call, result, 3)]


@pytest.mark.parametrize("text", ["", "null", "[1]", "{", '{"file_path":5}', '{"file_path":""}', '{"offset":3}'])
def test_calls_without_a_key_are_all_kept(text: str) -> None:
    blocks = [Block(n, n, "tool_call", text, "Read", f"t{n}") for n in range(2)]
    blocks += [Block(n + 2, n, "tool_result", str(n), None, f"t{n}") for n in range(2)]
    kept = deduplicate(handoff_calls([(1, blocks)]))
    assert [(block.id, block.dedup_key) for block in kept] == [("t0", ""), ("t1", "")]


def test_calls_without_an_id_are_told_apart_by_their_place() -> None:
    blocks = [Block(n, 7, "tool_call", f'{{"command":"{n}"}}', "Bash") for n in range(2)]
    assert [block.id for block in handoff_calls([(4, blocks)])] == ["4.0", "4.1"]


@pytest.mark.spec("S1.2")
def test_the_last_read_of_a_file_wins_at_its_own_place(does: Calls) -> None:
    does("Read", "v1", file_path="/a")
    does("Read", "x", file_path="/b")
    does("Read", "v2", file_path="/a")
    assert does.kept() == [("t2", "x"), ("t3", "v2")]


@pytest.mark.spec("S1.3")
def test_commands_are_the_same_only_when_they_are_exactly_the_same(does: Calls) -> None:
    for command in ("ls", "ls -la", "ls", "ls "):
        does("Bash", command, command=command)
    assert does.kept() == [("t2", "ls -la"), ("t3", "ls"), ("t4", "ls ")]


@pytest.mark.spec("S1.4")
@pytest.mark.parametrize(
    ("command", "kept"), [("git commit -m x", 2), ("rm a", 2), ("cargo test", 1), ("git status", 1)]
)
def test_every_run_of_a_command_with_side_effects_is_kept(does: Calls, command: str, kept: int) -> None:
    does("Bash", "first", command=command)
    does("Bash", "second", command=command)
    assert does.kept() == [("t1", "first"), ("t2", "second")][2 - kept :]


@pytest.mark.spec("S1.6")
def test_edits_and_writes_of_a_file_are_one_kind(does: Calls) -> None:
    does("Write", file_path="/a", content="x")
    does("Edit", file_path="/a", old_string="x", new_string="y")
    does("Edit", file_path="/b", old_string="x", new_string="y")
    does("NotebookEdit", notebook_path="/n", new_source="1")
    does("NotebookEdit", notebook_path="/n", new_source="2")
    does("MultiEdit", file_path="/b", edits=[])
    kept = deduplicate(does.paired())
    assert [(block.id, block.earlier) for block in kept] == [("t2", 1), ("t5", 1), ("t6", 1)]


@pytest.mark.spec("S1.7")
def test_a_read_and_a_change_of_a_file_are_both_kept(does: Calls) -> None:
    does("Read", file_path="/a")
    does("Edit", file_path="/a", old_string="x", new_string="y")
    does("Bash", command="/a")
    assert [name for name, _ in does.kept()] == ["t1", "t2", "t3"]


@pytest.mark.spec("S1.8")
def test_other_tools_are_all_kept(does: Calls) -> None:
    does("Grep", pattern="TODO")
    does("Grep", pattern="TODO")
    does("mcp__x__y", file_path="/a")
    does("mcp__x__y", file_path="/a")
    assert [name for name, _ in does.kept()] == ["t1", "t2", "t3", "t4"]


@pytest.mark.spec("S1.9")
def test_a_partial_read_wins_and_tells_of_the_full_one(does: Calls) -> None:
    does("Read", "all", file_path="/a")
    does("Read", "part", file_path="/a", offset=10, limit=5)
    does("Read", "other part", file_path="/a", offset=20)
    does("Read", "part of b", file_path="/b", offset=1)
    does("Read", "all of b", file_path="/b")
    does("Read", "part of c", file_path="/c", limit=1)
    does("Read", "failed", error=True, file_path="/d")
    does("Read", "part of d", file_path="/d", limit=1)
    kept = deduplicate(does.paired())
    assert [(block.id, block.full_read) for block in kept] == [("t3", "t1"), ("t5", ""), ("t6", ""), ("t8", "")]


@pytest.mark.spec("S1.10")
def test_a_call_without_a_result_replaces_nothing(does: Calls) -> None:
    does("Read", "v1", file_path="/a")
    does("Read", None, file_path="/a")
    does("Bash", None, command="sleep 100")
    does("Bash", None, command="sleep 100")
    assert does.kept() == [("t1", "v1"), ("t2", None), ("t4", None)]


@pytest.mark.spec("S1.11")
def test_a_failed_read_or_change_replaces_no_success(does: Calls) -> None:
    does("Read", "ok", file_path="/a")
    does("Read", "gone", error=True, file_path="/a")
    does("Write", "ok", file_path="/a", content="x")
    does("Write", "File has not been read yet", error=True, file_path="/a", content="y")
    does("Read", "error 1", error=True, file_path="/b")
    does("Read", "error 2", error=True, file_path="/b")
    does("Edit", "error", error=True, file_path="/c", old_string="x", new_string="y")
    does("Edit", "ok", file_path="/c", old_string="x", new_string="y")
    assert does.kept() == [("t1", "ok"), ("t3", "ok"), ("t6", "error 2"), ("t8", "ok")]
    assert [block.earlier for block in deduplicate(does.paired())] == [0, 0, 0, 0]


@pytest.mark.spec("S1.11")
def test_the_last_run_of_a_command_wins_failed_or_not(does: Calls) -> None:
    does("Bash", "ok", command="cargo test")
    does("Bash", "Exit code 101", error=True, command="cargo test")
    assert does.kept() == [("t2", "Exit code 101")]


@pytest.mark.spec("S1.11")
def test_a_refused_call_was_not_done(does: Calls) -> None:
    does("Bash", "ok", command="cargo test")
    does("Bash", REJECTED, error=True, command="cargo test")
    does("Read", REJECTED, file_path="/a")
    kept = deduplicate(does.paired())
    assert [(block.id, block.rejected, block.interrupted) for block in kept] == [
        ("t1", False, False),
        ("t2", True, True),
        ("t3", False, False),
    ]


@pytest.mark.spec("S1.22")
def test_a_call_that_is_there_twice_counts_once(does: Calls) -> None:
    does("Grep", "found", pattern="x")
    twice = handoff_calls([(1, does.blocks), (2, does.blocks)])
    assert twice == does.paired()


def test_open_todos_are_those_of_the_last_list_and_the_tasks_not_done(does: Calls) -> None:
    does("TodoWrite", todos=[{"content": "old", "status": "pending"}])
    does("TodoWrite", todos=[{"content": "a", "status": "completed"}, {"content": "b\n c", "status": "in_progress"}, 3])
    does("TodoWrite", None, todos=[])
    does("TodoWrite", "no", error=True, todos=[])
    does("TaskCreate", "Task #1 created successfully: x", subject="x")
    does("TaskCreate", "Task #2 created successfully: y", subject="y")
    does("TaskUpdate", taskId="1", status="completed")
    does("TaskUpdate", taskId="2", subject="y, but better")
    does("TaskUpdate", taskId="7", status="in_progress")
    assert open_todos(does.paired()) == [Todo("b c", "in_progress"), Todo("y, but better", "pending")]


@st.composite
def sessions(draw: st.DrawFn) -> list[HandoffCall]:
    """Some calls of a few tools on a few files, most with results."""
    does = Calls()
    for _ in range(draw(st.integers(0, 12))):
        tool = draw(st.sampled_from(["Read", "Edit", "Write", "Bash", "Grep"]))
        fields: dict[str, Any] = {"file_path": draw(st.sampled_from(["/a", "/b"]))}
        if tool == "Bash":
            fields = {"command": draw(st.sampled_from(["ls", "rm a"]))}
        elif tool == "Read" and draw(st.booleans()):
            fields["offset"] = 1
        result = draw(st.sampled_from(["done", "done", REJECTED, None]))
        does(tool, result, error=result == REJECTED or draw(st.booleans()), **fields)
    return does.paired()


@pytest.mark.spec("S1.21")
@given(sessions())
def test_twice_is_the_same_as_once(blocks: list[HandoffCall]) -> None:
    kept = deduplicate(blocks)
    again = deduplicate(kept)
    notes = [[(block.full_read, block.earlier) for block in some] for some in (kept, again)]
    assert (again, notes[1]) == (kept, notes[0])
    assert deduplicate(blocks) == kept


@given(sessions())
def test_the_order_is_kept_and_every_kept_call_was_there(blocks: list[HandoffCall]) -> None:
    places = {block.id: place for place, block in enumerate(blocks)}
    found = [places[block.id] for block in deduplicate(blocks)]
    assert found == sorted(set(found))


@given(sessions())
def test_no_success_is_lost_to_a_failure(blocks: list[HandoffCall]) -> None:
    kept = deduplicate(blocks)
    for group in ("read", "change"):
        good = {block.dedup_key for block in blocks if block.group == group and not block.is_error and block.result}
        assert good == {
            block.dedup_key for block in kept if block.group == group and not block.is_error and block.result
        }
