"""The lines of tool calls: what each kind of call says in its heading, runs of looks, and calls that failed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rich.cells import cell_len

from memtui.render.options import RenderOptions, ToolsLevel
from memtui.render.rows import UNWRAPPED
from memtui.render.tools.calls import RenderedCall, rendered_calls
from memtui.render.tools.headings import heading
from memtui.render.tools.runs import run_fold
from memtui.render.turns.parts import parts
from memtui_core.model import Block, Session, Turn

ROOT = "/home/ana/shop"
START = datetime(2026, 2, 13, 14, 2, 11, tzinfo=UTC)
GREP = "src/a.py:3:retry\nsrc/a.py-4-\nsrc/b.py:9:retry"
READ = "    20→a\n    21→b\n    22→c"
TODOS = [{"content": "Find it", "status": "completed"}, {"content": "Fix it", "status": "in_progress"}]
ASKED = [
    {"question": "Which store?", "options": [{"label": "Postgres", "description": "on a server"}, {"label": "SQLite"}]},
    {"question": "Why?", "options": []},
]
ANSWERED = 'User has answered: "Which store?"="SQLite", "Why?"="It is there". You can now continue.'


def blocks_of(calls: Sequence[tuple[str, dict[str, Any], str | None]], failed: Sequence[int] = ()) -> list[Block]:
    """The blocks of calls: the name of the tool, its input and its result."""
    blocks = []
    for n, (name, fields, result) in enumerate(calls):
        blocks.append(Block(2 * n + 1, n, "tool_call", json.dumps(fields), name, str(n)))
        if result is not None:
            blocks.append(Block(2 * n + 2, n, "tool_result", result, name, str(n), n in failed))
    return blocks


def called(name: str, result: str | None = "ok", *, failed: bool = False, **fields: Any) -> RenderedCall:
    [call] = rendered_calls(blocks_of([(name, fields, result)], [0] if failed else []), ROOT).values()
    return call


def line(call: RenderedCall, width: int = 72, *, opened: bool = False) -> str:
    text = "".join(text for text, _ in heading(call, width, opened))
    assert cell_len(text) <= width
    return text


def drawn(
    blocks: Sequence[Block], tools: ToolsLevel = "summary", flipped: Sequence[int] = (), width: int = 72
) -> list[str]:
    """The lines below the head of the agent."""
    turn = Turn(1, 1, 1, 0, 9, "human", 0, "Go on.", (), START, START, blocks=tuple(blocks))
    made = parts(turn, blocks, RenderOptions("claude", 1, ROOT, tools), flipped, last=True)
    lines = [line.text.rstrip() for part in made for line in part.wrapped(part.rows(width), width)]
    return lines[next(number for number, text in enumerate(lines) if "○ claude" in text) + 1 :]


@pytest.mark.spec("S5.3")
def test_each_kind_of_call_says_what_it_was_for() -> None:
    lines = {
        "description": line(called("Bash", command="pytest -q tests", description="Run the tests")),
        "justification": line(called("exec_command", cmd="make", justification="May I run make?")),
        "command": line(called("Bash", command="pytest -q tests")),
        "change of the folder": line(called("Bash", command="cd /tmp/x && pytest -q")),
        "comment and options": line(called("Bash", command="# check\nset -eu\npytest -q\nruff check")),
        "here-document": line(called("Bash", command="cd src && python - <<'E'\nprint(1)\nE")),
        "read": line(called("Read", "     1→a\n     2→b", file_path=f"{ROOT}/src/a.py")),
        "read lines": line(called("Read", READ, file_path=f"{ROOT}/src/a.py", offset=20, limit=3)),
        "read a line": line(called("Read", "     9→a", file_path=f"{ROOT}/src/a.py", offset=9)),
        "edit": line(called("Edit", file_path=f"{ROOT}/src/a.py", old_string="a\nb", new_string="c\nb\nd")),
        "write": line(called("Write", file_path=f"{ROOT}/src/a.py", content="a\nb\n")),
        "edit without lines": line(called("Edit", file_path=f"{ROOT}/src/a.py")),
        "grep": line(called("Grep", GREP, pattern="retry", path=f"{ROOT}/src")),
        "grep for files": line(called("Grep", "Found 2 files\na.py\nb.py", pattern="retry")),
        "grep for counts": line(
            called("Grep", "a.py:2\nb.py:9\n\nFound 11 total occurrences across 2 files.", pattern="x")
        ),
        "grep without numbers": line(called("Grep", "retry()\nretry", pattern="retry")),
        "grep for nothing": line(called("Grep", "No matches found", pattern="retry")),
        "glob": line(called("Glob", "a.py\nb.py", pattern="**/*.py")),
        "list": line(called("LS", "- a.py", path=f"{ROOT}/src")),
        "fetch": line(called("WebFetch", url="https://x.org/a", prompt="How long?")),
        "web": line(called("WebSearch", query="retry after")),
        "task": line(called("Task", description="Find the retry", subagent_type="Explore", prompt="Look.")),
        "spawn": line(called("spawn_agent", agent_type="worker", message="Look at it.\nThen stop.")),
        "question": line(called("AskUserQuestion", ANSWERED, questions=ASKED)),
        "question without an answer": line(called("AskUserQuestion", None, questions=ASKED[:1])),
        "plan": line(called("ExitPlanMode", plan="# Retry\n\nOnce.")),
        "todos": line(called("TodoWrite", todos=TODOS)),
        "new todos": line(called("TodoWrite", todos=[{"content": f"{n}", "status": "pending"} for n in range(3)])),
        "plan of steps": line(called("update_plan", plan=[{"step": "Find", "status": "completed"}])),
        "new task": line(called("TaskCreate", "Task #4 created successfully: Fix it", subject="Fix it")),
        "task of before": line(called("TaskUpdate", "Updated task #4 status", taskId="4", status="completed")),
        "server": line(called("mcp__hub__open_issue", title="Up")),
        "any": line(called("BashOutput", bash_id="b1")),
        "nothing": line(called("TaskList")),
    }
    assert lines == {
        "description": "▸ Bash  Run the tests  pytest -q tests",
        "justification": "▸ exec_command  May I run make?  make",
        "command": "▸ Bash  pytest -q tests",
        "change of the folder": "▸ Bash  pytest -q",
        "comment and options": "▸ Bash  pytest -q …",
        "here-document": "▸ Bash  python - <<'E' …",
        "read": "▸ Read  src/a.py · 2 lines",
        "read lines": "▸ Read  src/a.py · lines 20–22",
        "read a line": "▸ Read  src/a.py · line 9",
        "edit": "▸ Edit  src/a.py  +2 −1",
        "write": "▸ Write  src/a.py  +2",
        "edit without lines": "▸ Edit  src/a.py",
        "grep": "▸ Grep  retry in src · 2 matches",
        "grep for files": "▸ Grep  retry · 2 files",
        "grep for counts": "▸ Grep  x · 11 occurrences",
        "grep without numbers": "▸ Grep  retry · 2 lines",
        "grep for nothing": "▸ Grep  retry · nothing",
        "glob": "▸ Glob  **/*.py · 2 files",
        "list": "▸ LS  src · 1 file",
        "fetch": "▸ WebFetch  https://x.org/a",
        "web": "▸ WebSearch  retry after",
        "task": "▸ Task  Find the retry · Explore",
        "spawn": "▸ spawn_agent  Look at it. … · worker",
        "question": "▸ AskUserQuestion  Which store? → SQLite and 1 more",
        "question without an answer": f"{'▸ AskUserQuestion  Which store?':<63}no result",
        "plan": "▸ ExitPlanMode  Retry",
        "todos": "▸ TodoWrite  ☑ Find it, ◐ Fix it · 1/2 done",
        "new todos": "▸ TodoWrite  3 to-dos · 0/3 done",
        "plan of steps": "▸ update_plan  ☑ Find · 1/1 done",
        "new task": "▸ TaskCreate  ☐ #4 Fix it",
        "task of before": "▸ TaskUpdate  ☑ #4",
        "server": "▸ hub: open_issue  Up",
        "any": "▸ BashOutput  bash_id: b1",
        "nothing": "▸ TaskList",
    }


def test_the_outcome_stands_at_the_right() -> None:
    measured = "Exit code: 1\nWall time: 75.4 seconds\nOutput:\nno rule"
    lines = [
        line(called("Bash", "Exit code 2\nno rule", failed=True, command="make")),
        line(called("exec_command", measured, failed=True, cmd="make")),
        line(called("Edit", "String to replace not found.", failed=True, file_path="a.py")),
        line(called("Bash", "The user doesn't want to proceed", failed=True, command="make")),
        line(called("Bash", None, command="make")),
    ]
    assert lines == [
        f"{'✗ Bash  make':<66}exit 2",
        f"{'✗ exec_command  make':<55}exit 1 · 1 m 15 s",
        f"{'✗ Edit  a.py':<67}error",
        f"{'✗ Bash  make':<64}rejected",
        f"{'▸ Bash  make':<63}no result",
    ]
    # At the end of a wide line nobody would find it, and in a line that is not wrapped it follows the rest.
    assert line(called("Bash", None, command="make"), 300) == f"{'▸ Bash  make':<101}no result"
    assert line(called("Bash", None, command="make " * 100), UNWRAPPED) == f"▸ Bash  {'make ' * 100} no result"


@pytest.mark.parametrize(
    ("name", "seconds", "expected"),
    [
        ("Bash", 12.9, f"{'▸ Bash  make':<68}12 s"),
        ("Bash", 0.9, "▸ Bash  make"),
        ("WebFetch", 61, f"{'▸ WebFetch  x.org':<65}1 m 1 s"),
        ("Edit", 30, "▸ Edit  a.py"),
        ("AskUserQuestion", 9, "▸ AskUserQuestion  Which store? and 1 more"),
    ],
)
def test_a_duration_is_told_if_a_call_takes_long_by_itself(name: str, seconds: float, expected: str) -> None:
    fields = {"command": "make", "url": "x.org", "file_path": "a.py", "questions": ASKED}
    blocks = [
        Block(0, 0, "tool_call", json.dumps(fields), name, "t", at=START),
        Block(1, 1, "tool_result", "ok", name, "t", at=START + timedelta(seconds=seconds)),
    ]
    [call] = rendered_calls(blocks).values()
    assert line(call) == expected


def test_a_command_gives_way_to_its_description_and_to_the_facts() -> None:
    call = called("Bash", None, command="pytest -q " + "tests/a/b.py " * 9, description="Run the tests")
    assert line(call) == "▸ Bash  Run the tests  pytest -q tests/a/b.py tests/a/b.py t…  no result"
    assert line(call, 40) == "▸ Bash  Run the tests          no result"
    # Below an unfolded call stands the whole command.
    assert line(call, opened=True) == f"{'▾ Bash  Run the tests':<63}no result"
    assert line(called("Bash", command="x" * 90, description="y" * 90), 30) == f"▸ Bash  {'y' * 21}…"


def test_a_path_is_cut_in_its_middle_and_keeps_its_lines() -> None:
    call = called("Read", READ, file_path=f"{ROOT}/src/views/sessions/rows/heading.py", limit=3)
    assert line(call, 44) == "▸ Read  src/…/rows/heading.py · lines 20–22"
    assert line(call, 30) == "▸ Read  src/…/rows/heading.py"


def test_todos_say_what_changed_since_the_call_before() -> None:
    later = [{**TODOS[0]}, {**TODOS[1], "status": "completed"}, {"content": "Test it", "status": "in_progress"}]
    calls = rendered_calls(
        blocks_of(
            [
                ("TodoWrite", {"todos": TODOS}, "ok"),
                ("TodoWrite", {"todos": later}, "ok"),
                ("TodoWrite", {"todos": later}, "ok"),
                ("TaskCreate", {"subject": "Fix it"}, "Task #1 created successfully: Fix it"),
                ("TaskUpdate", {"taskId": "1", "status": "in_progress"}, "Updated task #1 status"),
            ]
        )
    )
    assert [line(call) for call in list(calls.values())[1:]] == [
        "▸ TodoWrite  ☑ Fix it, ◐ Test it · 2/3 done",
        "▸ TodoWrite  2/3 done",
        "▸ TaskCreate  ☐ #1 Fix it",
        "▸ TaskUpdate  ◐ #1 Fix it",
    ]


def test_the_session_of_a_subagent_is_named_where_there_is_room() -> None:
    session = Session(
        7, "agent-1", "claude-code", 1, "0", "shop", ROOT, ROOT, None, None, (), "Find", None, None, 3, 0, 0, 0
    )
    blocks = blocks_of([("Task", {"description": "Find the retry", "subagent_type": "Explore"}, "Two.")])
    [call] = rendered_calls(blocks, ROOT, {"0": session}).values()
    assert line(call) == "▸ Task  Find the retry · Explore · S opens its session · 3 turns"
    assert line(call, 60) == "▸ Task  Find the retry · Explore · S opens it · 3 turns"


LOOKS = blocks_of(
    [
        ("Read", {"file_path": f"{ROOT}/src/a.py"}, "a"),
        ("Grep", {"pattern": "retry", "path": "src"}, "a.py:1:retry"),
        ("Read", {"file_path": f"{ROOT}/src/b.py"}, "b"),
        ("Bash", {"command": "git status --short"}, ""),
        ("Bash", {"command": "ls src", "description": "List the sources"}, "a.py"),
        ("Bash", {"command": "make"}, "ok"),
        ("Read", {"file_path": f"{ROOT}/src/a.py"}, "a"),
        ("Read", {"file_path": f"{ROOT}/src/a.py"}, "a"),
        ("Edit", {"file_path": f"{ROOT}/src/a.py", "old_string": "a", "new_string": "b"}, "ok"),
        ("Read", {"file_path": f"{ROOT}/src/a.py"}, "a"),
    ]
)


def test_calls_that_only_look_are_folded_to_one_line() -> None:
    first = "▸ Read 2 files, searched once, Bash ×2"
    assert drawn(LOOKS, width=98) == [
        f"    {first}  a.py, retry, b.py, git status --short, List the sourc…",
        "    ▸ Bash  make",
        "    ▸ Read 2 times  a.py",
        "    ▸ Edit  src/a.py  +1 −1",
        "    ▸ Read  src/a.py · 1 line",
    ]


def test_a_run_is_unfolded_to_its_calls_each_of_which_can_be_unfolded() -> None:
    rest = ["    ▸ Bash  make", "    ▸ Read 2 times  a.py"]
    listed = [
        "    ▾ Read 2 files, searched once, Bash ×2  a.py, retry, b.py, …",
        "      ▸ Read  src/a.py · 1 line",
        "      ▸ Grep  retry in src · 1 match",
        "      ▸ Read  src/b.py · 1 line",
        "      ▸ Bash  git status --short",
        "      ▸ Bash  List the sources  ls src",
    ]
    assert drawn(LOOKS, flipped=[run_fold(1)], width=66)[:8] == [*listed, *rest]
    assert drawn(LOOKS, flipped=[run_fold(1), 3], width=66)[:10] == [
        *listed[:2],
        "",
        "      ▾ Grep  retry in src · 1 match",
        "        a.py:1:retry",
        "",
        *listed[3:],
        rest[0],
    ]
    # What is unfolded in a folded run stays so for later.
    assert drawn(LOOKS, flipped=[3], width=66) == drawn(LOOKS, width=66)


def test_files_of_the_same_name_are_told_apart_in_a_run() -> None:
    blocks = blocks_of([("Read", {"file_path": f"{ROOT}/{name}"}, "a") for name in ("a/x.py", "b/x.py", "y.py")])
    assert drawn(blocks) == ["    ▸ Read 3 files  a/x.py, b/x.py, y.py"]


def test_the_names_in_a_run_give_way_to_what_was_done() -> None:
    names = ("one_long_name.py", "another_long_name.py")
    blocks = blocks_of([("Read", {"file_path": name}, "a") for name in names])
    assert {width: drawn(blocks, width=width) for width in (60, 52, 40, 30)} == {
        60: ["    ▸ Read 2 files  one_long_name.py, another_long_name.py"],
        52: ["    ▸ Read 2 files  one_long_name.py, another_long_…"],
        40: ["    ▸ Read 2 files  one_long_name.py, …"],
        30: ["    ▸ Read 2 files"],
    }


def test_a_run_names_everything_in_a_line_that_is_not_wrapped() -> None:
    names = [f"a_file_with_a_long_name_{number}.py" for number in range(9)]
    blocks = blocks_of([("Read", {"file_path": name}, "a") for name in names])
    assert drawn(blocks, width=100 * UNWRAPPED) == [f"    ▸ Read 9 files  {', '.join(names)}"]


def test_what_is_said_or_fails_or_is_not_over_ends_a_run() -> None:
    look = ("Read", {"file_path": "a.py"}, "a")
    blocks = blocks_of([look, look, ("Read", {"file_path": "b.py"}, "No."), look, look, (*look[:2], None)], [2])
    blocks.insert(2, Block(2, 0, "text", "\n\n"))
    assert drawn(blocks) == [
        "    ▸ Read 2 times  a.py",
        f"    {'✗ Read  b.py':<63}error",
        "      No.",
        "    ▸ Read 2 times  a.py",
        f"    {'▸ Read  a.py':<59}no result",
    ]
    said = [*LOOKS[:4], Block(5, 0, "text", "Found it."), *LOOKS[4:6]]
    assert drawn(said) == [
        "    ▸ Read 1 file, searched once  a.py, retry",
        "",
        "    Found it.",
        "    ▸ Read  src/b.py · 1 line",
    ]


LONG = "\n".join(["Exit code 1", *(f"line {n}" for n in range(40)), "ValueError: no upload", *["at x.py"] * 3])


def failed(result: str, command: str = "pytest -q", name: str = "Bash") -> list[Block]:
    return blocks_of([(name, {"command": command}, result)], [0])


@pytest.mark.parametrize("level", ["summary", "short"])
def test_a_failed_call_says_why_at_every_level_that_folds(level: ToolsLevel) -> None:
    assert drawn(failed(LONG), level)[-10:] == [
        f"    {'✗ Bash  pytest -q':<62}exit 1",
        "      … 36 lines",
        *(f"      line {n}" for n in range(36, 40)),
        "      ValueError: no upload",
        *["      at x.py"] * 3,
    ]
    assert len(drawn(failed(LONG), level, flipped=[1])) == 45
    command = "python -m pytest tests/one/test_a.py tests/two/test_b.py tests/three/test_c.py -q"
    assert drawn(failed("Exit code 1\nE   no", f"cd /x && {command}"), level)[-4:] == [
        "    ✗ Bash  python -m pytest tests/one/test_a.py tests/two/test…  exit 1",
        "      $ cd /x && python -m pytest tests/one/test_a.py",
        "        tests/two/test_b.py tests/three/test_c.py -q",
        "      E   no",
    ]


def test_the_lines_of_an_error_are_those_that_say_what_went_wrong() -> None:
    text = "\n".join(["Exit code 101", "error[E0433]: no such module", *["  | code"] * 20, "See the log."])
    assert drawn(failed(text))[1:] == [
        "      error[E0433]: no such module",
        *["        | code"] * 7,
        "      … 14 lines",
    ]


def test_a_search_that_found_nothing_is_no_error_to_unfold() -> None:
    line = f"    {'✗ Bash  grep -rn retry src':<62}exit 1"
    assert drawn(failed("Exit code 1", "grep -rn retry src")) == [line]
    assert drawn(failed("Exit code 1\ngrep: src: No such file", "grep -rn retry src")) == [
        line,
        "      grep: src: No such file",
    ]


def test_a_rejected_call_shows_what_the_user_said() -> None:
    said = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nUse tabs"
    assert drawn(failed(said)) == [f"    {'✗ Bash  pytest -q':<60}rejected", "      Use tabs"]
    assert drawn(failed("The user doesn't want to proceed")) == [f"    {'✗ Bash  pytest -q':<60}rejected"]


def test_an_unfolded_command_is_repeated_only_where_the_heading_cuts_it() -> None:
    for fields, expected in (
        ({"command": "ls src"}, ["    ▾ Bash  ls src", "      a.py"]),
        ({"command": "ls src", "description": "List"}, ["    ▾ Bash  List  ls src", "      a.py"]),
        ({"command": "cd /x && ls src"}, ["    ▾ Bash  ls src", "      $ cd /x && ls src", "      a.py"]),
        (
            {"command": "ls src " * 6, "description": "List"},
            ["    ▾ Bash  List", "      $ ls src ls src ls src ls src ls", "        src ls src", "      a.py"],
        ),
    ):
        assert drawn(blocks_of([("Bash", fields, "a.py")]), "full", width=40)[-len(expected) :] == expected


def test_questions_show_their_options_and_the_answers() -> None:
    assert drawn(blocks_of([("AskUserQuestion", {"questions": ASKED}, ANSWERED)]), "short")[1:] == [
        "      ? Which store?",
        "        ○ Postgres  on a server",
        "        ● SQLite",
        "      ? Why?",
        "        → It is there",
    ]


def test_what_an_agents_program_writes_before_an_output_is_left_out() -> None:
    head = "Chunk ID: 5a\nWall time: 0.2 seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\n"
    assert drawn(blocks_of([("exec_command", {"cmd": "make"}, f"{head}ok")]), "full") == [
        "    ▾ exec_command  make",
        "      ok",
    ]
    runs = "Chunk ID: 5a\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
    assert drawn(blocks_of([("exec_command", {"cmd": "make"}, runs)]), "full")[3] == (
        "      Process running with session ID 7"
    )
