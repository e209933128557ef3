"""When two commands are the same one."""

from __future__ import annotations

import json

import pytest

from memtui_core.compaction.facts.commands import command_key
from memtui_core.model import Block
from memtui_core.tools.call import ToolCall
from memtui_core.tools.shell.looks import hides_outcome


def key(command: str, **fields: str) -> str:
    return command_key(ToolCall(Block(0, 0, "tool_call", json.dumps({"command": command, **fields}), "Bash", "t")))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest", "pytest"),
        ("python -m pytest -q 2>&1 | tail -5", "pytest"),
        (".venv/bin/python3.12 -m pytest --tb=short -x", "pytest"),
        ("uv run pytest tests/test_cart.py -vv", "pytest tests/test_cart.py"),
        ("CI=1 timeout 60 npx tsc --noEmit | grep cart", "tsc --noEmit"),
        ("cd /srv/shop/web && npm test -- cart.test.ts", "cd web && npm test cart.test.ts"),
        ("export A=1; echo x; make lint > log; cat log", "make lint"),
        ("cargo +nightly test --no-run", "cargo test --no-run"),
        ("git add -A && git commit -m 'Round prices'", "git commit"),
        ("python tools/check.py --all", "python tools/check.py --all"),
        ("bash -c 'npm run build'", "npm run build"),
        ("ls -la && cat a.py | grep total", ""),
        ("python -c 'import shop'", ""),
        ("", ""),
    ],
)
def test_a_command_is_known_by_its_programs_and_what_they_are_run_on(command: str, expected: str) -> None:
    assert key(command) == expected


def test_other_tools_have_no_command() -> None:
    assert command_key(ToolCall(Block(0, 0, "tool_call", '{"file_path": "a.py"}', "Read", "t"))) == ""


def test_the_folder_that_the_call_names_counts() -> None:
    assert key("npm test", workdir="/srv/shop/web") == "cd web && npm test"


@pytest.mark.parametrize(
    ("command", "hides", "hides_nothing_printed"),
    [
        ("make", False, False),
        ("cd web && npm ci && npm test", False, False),
        ("cd web; npm test", False, False),
        ("tsc | head -50", True, False),
        ("tsc 2>&1 | grep cart", True, True),
        ("make || true", True, True),
        ("make &", True, True),
        ("make; echo done", True, True),
        ("make\ncat log", True, True),
        ("make && echo done", False, False),
    ],
)
def test_the_exit_code_is_that_of_the_last_program(command: str, hides: bool, hides_nothing_printed: bool) -> None:
    assert hides_outcome(command, has_output=True) == hides
    assert hides_outcome(command, has_output=False) == hides_nothing_printed
