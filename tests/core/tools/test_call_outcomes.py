"""What a tool call is for, whether it only looks, how long it took, and why it failed."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memtui_core.model import Block
from memtui_core.tools.call import ToolCall
from memtui_core.tools.results.failures import telling_start
from memtui_core.tools.results.todos import Todo, todos_after
from memtui_core.tools.shell.looks import command_line, ends_in_search, only_looks

START = datetime(2026, 2, 13, 14, 2, tzinfo=UTC)


def called(
    name: str, result: str | None = "ok", *, failed: bool = False, after: float | None = None, **fields: Any
) -> ToolCall:
    end = START + timedelta(seconds=after) if after is not None else None
    block = Block(0, 0, "tool_call", json.dumps(fields), name, "t", at=START)
    return ToolCall(block, Block(1, 1, "tool_result", result, name, "t", failed, end) if result is not None else None)


@pytest.mark.parametrize(
    ("command", "looks"),
    [
        ("cat src/a.py | head -5", True),
        ("cd src && sed -n 1,20p a.py; echo ---; grep -rn retry . 2>/dev/null | wc -l", True),
        ("git -C x log --oneline -3 && git status --short && git remote -v", True),
        ("find . -name '*.py'", True),
        ("git push", False),
        ("git remote add origin x", False),
        ("git branch -d old", False),
        ("sed -i s/a/b/ a.py", False),
        ("cat a > b", False),
        ("ls && make", False),
        ("find . -exec rm {} ;", False),
        ("echo $(rm a)", False),
        ('echo "$(make)"', False),
        ("echo `rm a`", False),
        ("curl https://x.org", False),
        ("sleep 9; cat log", False),
        ("for f in *; do cat $f; done", False),
        ("unheard-of a.py", False),
        ("", False),
        ("# only a comment", False),
        ("cat " + "a" * 30_000, False),
    ],
)
def test_a_command_only_looks_if_each_of_its_programs_does(command: str, looks: bool) -> None:
    assert only_looks(command) == looks


def test_a_call_looks_by_its_tool_or_its_command() -> None:
    looks = [
        called("Read", file_path="a.py"),
        called("Grep", pattern="x"),
        called("LS", path="src"),
        called("Bash", command="ls"),
        called("exec_command", cmd="rg x"),
        called("str_replace_editor", command="view", path="a.py"),
    ]
    others = [
        called("Edit", file_path="a.py"),
        called("Bash", command="make"),
        called("Bash"),
        called("WebFetch", url="x"),
        called("str_replace_editor", command="create", path="a.py"),
        called("Task", prompt="Look"),
    ]
    assert [call.is_look for call in (*looks, *others)] == [True] * 6 + [False] * 6


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("pytest -q", "pytest -q"),
        ("\n  # check\nset -euo pipefail\ncd '/a b' && pytest -q\n", "pytest -q"),
        ("cd src\nmake\nmake test", "make …"),
        ("cat > a <<'E'\ntext\nE", "cat > a <<'E' …"),
        ("cd src", "cd src"),
        ("# only a comment", "# only a comment"),
        (" \n", ""),
    ],
)
def test_a_command_is_named_by_its_first_line_that_does_something(command: str, line: str) -> None:
    assert command_line(command) == line


def test_what_the_agent_says_a_command_is_for() -> None:
    assert [
        called("Bash", command="ls", description="List").purpose,
        called("exec_command", cmd="ls", justification="May I?").purpose,
        called("bash", command="ls", i="Looking").purpose,
        called("Bash", command="ls").purpose,
        called("Task", description="Find").purpose,
    ] == ["List", "May I?", "Looking", "", ""]


def test_how_long_a_call_took() -> None:
    head = "Chunk ID: 5a\nWall time: 3.5 seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\n"
    script = "Script completed\nWall time 4.0 seconds\nOutput:\nok"
    running = "Chunk ID: 5a\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
    calls = [
        # What the agent's program measured comes before the times.
        called("exec_command", f"{head}ok", after=9, cmd="make"),
        called("exec", script, after=9, input="await tools.exec_command({cmd: 'make'})"),
        called("exec_command", running, after=9, cmd="make"),
        called("Bash", "Wall time: 3 seconds", after=9, command="make"),
        called("Bash", "Wall time: 3 seconds", command="make"),
        called("Bash", None, command="make"),
        called("Bash", "The user doesn't want to proceed", failed=True, after=9, command="make"),
        called("Read", after=9, file_path="a.py"),
        called("AskUserQuestion", after=9, questions=[]),
        called("ExitPlanMode", after=9, plan="x"),
        called("WebFetch", after=9, url="x"),
    ]
    assert [call.seconds for call in calls] == [3.5, 4.0, 9.0, 9.0, None, None, None, None, None, None, 9.0]
    assert [call.output for call in calls[:5]] == ["ok", "ok", running, *["Wall time: 3 seconds"] * 2]


@pytest.mark.parametrize(
    ("command", "result", "nothing"),
    [
        ("grep -rn retry src", "Exit code 1", True),
        ("cd src && rg retry", "Exit code: 1\nWall time: 0.2 seconds\nOutput:\n", True),
        ("make && test -f a", "Exit code 1\n", True),
        ("grep -rn retry src", "Exit code 2", False),
        ("grep -rn retry src", "Exit code 1\ngrep: src: No such file", False),
        ("grep -rn retry src; make", "Exit code 1", False),
        ("make", "Exit code 1", False),
    ],
)
def test_a_search_without_a_match_found_nothing(command: str, result: str, nothing: bool) -> None:
    assert called("Bash", result, failed=True, command=command).found_nothing == nothing
    assert not called("Bash", result, command=command).found_nothing


def test_the_last_program_is_that_of_the_last_command() -> None:
    commands = ["make | grep x", "sudo grep x", "grep x; cd .", "", "("]
    assert [ends_in_search(command) for command in commands] == [True, True, False, False, False]


def test_the_lines_that_say_why_a_command_failed() -> None:
    noise = [f"line {n}" for n in range(20)]
    cases = {
        "nothing": noise,
        "error at the end": [*noise, "ValueError: no"],
        "clear error before": ["error: no", *noise, "[lint] ERROR task failed"],
        "only a summary at the end": [
            "error[E0433]: no",
            *noise,
            "error: could not compile `a` due to errors",
        ],
        "possible error before": ["a", "rg: src: No such file", *noise],
        "possible error also at the end": ["a not found", *noise, "b not found"],
        "short": ["error: no", "x"],
    }
    assert {name: telling_start(lines, 8) for name, lines in cases.items()} == {
        "nothing": 12,
        "error at the end": 13,
        "clear error before": 0,
        "only a summary at the end": 0,
        "possible error before": 1,
        "possible error also at the end": 14,
        "short": 0,
    }


def test_the_list_of_todos_after_some_calls() -> None:
    calls = [
        called("TodoWrite", todos=[{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]),
        called("TaskCreate", "Task #1 created successfully: c", subject="c"),
        called("TaskUpdate", taskId="1", status="in_progress"),
        called("TaskUpdate", taskId="7", status="completed"),
        called("TaskUpdate", "No.", failed=True, taskId="1", status="deleted"),
        called("TodoWrite", None, todos=[]),
    ]
    tasks = {"#1": Todo("c", "in_progress"), "#7": Todo("", "completed")}
    assert todos_after(calls) == {"a": Todo("a", "completed"), "b": Todo("b", "pending"), **tasks}
    plan = called("update_plan", plan=[{"step": "d", "status": "pending"}, "no entry"])
    assert todos_after([*calls, plan]) == {"d": Todo("d", "pending"), **tasks}
