"""Replacements as blocks, and several commands in one call."""

from __future__ import annotations

from typing import Any

import pytest

from memtui_core.model import Block
from memtui_core.tools.call import ToolCall
from memtui_core.tools.search_replace import replacements
from memtui_core.tools.vocabulary import vocabulary


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("------- SEARCH\na\nb\n=======\nc\n+++++++ REPLACE", [("a\nb", "c")]),
        ("<<<<<<< SEARCH\n:start_line:7\n-------\na\n=======\n>>>>>>> REPLACE\n", [("a", "")]),
        ("--- SEARCH\n=======\nnew\n+++ REPLACE\n\n--- SEARCH\na\n=======\nb\n+++ REPLACE", [("", "new"), ("a", "b")]),
        ("------- SEARCH\na\n------- SEARCH\n=======\nb\n+++++++ REPLACE", [("a\n------- SEARCH", "b")]),
        ("------- SEARCH\na\n=======\nb", []),
        ("=======\nb\n+++++++ REPLACE", []),
        ("", []),
    ],
)
def test_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert list(replacements(text)) == expected


@pytest.mark.parametrize(
    ("fields", "command"),
    [
        ({"commands": '["make", "make test"]'}, "make\nmake test"),
        ({"commands": ["make", {"command": "ls"}, 7]}, "make\nls"),
        ({"commands": "make"}, "make"),
        ({"commands": "[ -f a ] && make"}, "[ -f a ] && make"),
        ({"commands": 7}, ""),
        ({"command": ["bash", "-lc", "make"], "commands": ["x"]}, "make"),
        ({"CommandLine": "make"}, "make"),
    ],
)
def test_commands(fields: dict[str, Any], command: str) -> None:
    assert vocabulary().command_of(fields) == command


@pytest.mark.parametrize(
    ("tool", "result", "code"),
    [
        ("run_shell_command", "x" * 900 + "\nExit Code: 3\nSignal: 0", 3),
        ("run_commands", "1 failed\nCommand exited with code 2", 2),
        ("run_command", "The command exited with code 1.\n" + "x" * 900, 1),
        ("run_shell_command", "Exit Code: 5\n" + "x" * 900 + "\nExit Code: 6", 5),
        ("run_shell_command", "x" * 900 + "\nExit Code: 3\n" + "y" * 900, None),
        ("read_file", "x" * 900 + "\nExit Code: 3", None),
        ("run_shell_command", "an Exit Code: none", None),
    ],
)
def test_exit_codes_after_the_output(tool: str, result: str, code: int | None) -> None:
    call = ToolCall(Block(0, 0, "tool_call", "{}", tool, "1"), Block(1, 0, "tool_result", result, tool, "1"))
    assert call.exit_code == code


@pytest.mark.parametrize("text", ["The user denied this operation.", "[Operation Cancelled] Reason: User cancelled"])
def test_a_refused_call_did_not_run(text: str) -> None:
    block = Block(0, 0, "tool_call", "{}", "execute_command", "1")
    results = [Block(1, 0, "tool_result", text, None, "1", is_error) for is_error in (True, False)]
    assert [ToolCall(block, result).rejected for result in results] == [True, False]
