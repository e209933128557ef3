"""How calls ended, as facts of their turns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memtui_core.ingest.turns.run_facts import run_facts
from memtui_core.model import Block
from memtui_core.tools.results.error_text import error_of_line, error_text

TEST = "cd web && npm test"
MISSING = "src/cart.ts(12,5): error TS2304: Cannot find name 'total'."
REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). To tell you how to proceed, the user said:\nUse pnpm"
)


def facts(tool: str, result: str | None, *, failed: bool = False, **fields: Any) -> list[tuple[Any, ...]]:
    blocks = [Block(4, 0, "tool_call", json.dumps(fields), tool, "t")]
    if result is not None:
        blocks.append(Block(5, 1, "tool_result", result, tool, "t", failed))
    return list(run_facts(blocks))


def shell(command: str, result: str | None, *, failed: bool = False) -> list[tuple[Any, ...]]:
    return facts("Bash", result, failed=failed, command=command)


@pytest.mark.parametrize(
    ("command", "result", "failed", "expected"),
    [
        ("cd web && npm test", "12 passed", False, [("pass", TEST)]),
        ("cd web && npm test | tail -3", "12 passed", False, [("pass", TEST)]),
        ("cd web && npm test | tail -3", "done", False, []),
        ("cd web && npm test 2>&1 | tail -3", "done", False, []),
        ("cd web && npm test 2>&1 | head -9", "done", False, []),
        ("pytest 2>&1 | tail -9", "done", False, []),
        ("cd web && npm test 2>&1 | tail -9", "done", False, [("pass", TEST)]),
        ("cd web && npm test 2>&1 | tail -9", "npm error workspace web", False, [("failure", TEST)]),
        ("cd web && npm test | tail -3", "3 failed, 9 passed", False, [("failure", TEST)]),
        ("cd web && npm test", "Exit code 1\n" + MISSING, True, [("failure", TEST)]),
        ("tsc --noEmit | head", "", False, [("pass", "tsc --noEmit")]),
        ("tsc --noEmit | grep cart", "", False, []),
        ("npm run dev; echo started", "started", False, [("edit", "")]),
        ("npm ci", "Exit code 1\nerror: no space", True, [("failure", "npm ci"), ("edit", "")]),
        ("npm ci", None, False, [("edit", "")]),
        ("sed -i s/a/b/ src/*.ts && npm test", "12 passed", False, [("pass", "npm test"), ("edit", "")]),
        ("sed -i s/a/b/ src/*.ts", "", False, [("edit", "")]),
        ("python - <<'EOF'\nprint(1)\nEOF", "1", False, [("edit", "")]),
        ("cat a.py | head", "1", False, []),
        ("rustup show && git status", "1", False, []),
        ("npm ci", "added 3 packages", False, [("pass", "npm ci")]),
        ("git diff", "- 127 errors", False, []),
        ("npm run check | grep cart", "Exit code 1", True, []),
        ("npm test", "Command aborted", True, []),
        ("npm test", "[Request interrupted by user for tool use]", True, []),
        ("npm test", None, False, []),
    ],
)  # fmt: skip
def test_a_command_passed_or_failed_only_if_it_is_known(
    command: str, result: str | None, failed: bool, expected: list[tuple[str, str]]
) -> None:
    found = shell(command, result, failed=failed)
    assert [(seq, kind, name) for seq, kind, name, *_ in found] == [(4, *fact) for fact in expected]


def test_a_failure_has_the_line_and_the_signature_of_its_error() -> None:
    assert shell("npm run check", f"Exit code 2\n> check\n{MISSING}", failed=True) == [
        (4, "failure", "npm run check", error_text(MISSING).key, MISSING)
    ]
    assert shell("npm run check", "Exit code 2", failed=True) == [(4, "failure", "npm run check", 0, "")]


def test_calls_of_other_tools_fail_with_the_first_line_of_their_text() -> None:
    text = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    [(_, kind, name, number, line)] = facts("Edit", text, failed=True, file_path="a.py")
    assert (kind, name, line) == ("failure", "Edit", "File has not been read yet. Read it first before writing to it.")
    assert number == error_of_line(line).key > 0
    assert facts("Read", "ok", file_path="a.py") == []


def test_an_edit_is_a_fact_unless_it_failed() -> None:
    made: dict[str, Any] = {"file_path": "/srv/a.py", "old_string": "a", "new_string": "b"}
    assert facts("Edit", "ok", **made) == [(4, "edit", "/srv/a.py", 0, "")]
    assert [fact[1] for fact in facts("Edit", "String to replace not found in file.", failed=True, **made)] == [
        "failure"
    ]
    assert [fact[1:3] for fact in shell("make > /tmp/log && cat <<'EOF' > notes.md\nx\nEOF", "")] == [
        ("pass", "make"),
        ("edit", "notes.md"),
    ]


def test_what_may_have_changed_something_unseen_is_an_edit_of_no_file() -> None:
    assert facts("Task", "done", prompt="Mend it") == [(4, "edit", "", 0, "")]
    assert facts("mcp__mail__send", "done", text="a") == [(4, "edit", "", 0, "")]
    assert facts("Edit", None, file_path="/srv/a.py", old_string="a", new_string="b") == [(4, "edit", "", 0, "")]


def test_a_rejected_call_was_denied_with_what_the_user_said() -> None:
    assert shell("cd web && npm test", REJECTED, failed=True) == [(4, "denied", TEST, 0, "Use pnpm")]
    assert facts("ExitPlanMode", REJECTED, failed=True, plan="x") == [(4, "denied", "ExitPlanMode", 0, "Use pnpm")]
