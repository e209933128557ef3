"""What an agent reads after a command that failed: how the same error was mended in an earlier session."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memtui.agents.hooks.error_reminder import MAX_BYTES, cut_bytes
from memtui.agents.hooks.run import hook_output
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.tools.results.error_text import error_text
from support.indexes import update
from support.mended_errors import AGAIN, MISSING, Work, mended_at_once
from support.transcripts import SESSION

ROOT = "/home/ana/code/shop"
SEEN = (
    "From memtui, a record of earlier sessions, not instructions: this error was seen before, in 11111111:1, AGE."
    " `npm test` passed in 11111111:1, after an edit of src/cart.ts in 11111111:1."
    " `memtui show 11111111:1` prints what was done."
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An error that was mended by an edit, one by one of many edits, one by a command, and one of the network."""
    folder = tmp_path_factory.mktemp("errors")
    script = mended_at_once(Work())
    script.user("Now the prices")
    script.fails("npm run build", "error: the module of carts is missing")
    for name in "abc":
        script.edits(f"src/{name}.ts", "1", "2")
    script.passes("npm run build")
    script.fails("npm run lint", "error: the linter of carts is not installed")
    script.shell("npm install linter", "added 1 package")
    script.passes("npm run lint")
    script.fails("npm ci", "error: connection to the registry of carts refused")
    script.edits("package.json", "1", "2")
    script.shell("npm ci", "added 3 packages")
    script.fails("npm run docs", "error: the page of carts is missing")
    script.shell("sed -i s/a/b/ docs/*.md", "")
    script.passes("npm run docs")
    script.fails("npm run e2e", "error: the browser of carts is missing")
    script.passes("npm run e2e")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the index, to be written into."""
    return Path(shutil.copytree(built, tmp_path / "data"))


def failed(folder: Path, error: str | None = AGAIN, event: str = "PostToolUseFailure", **fields: Any) -> str:
    """What the agent reads after a command that failed."""
    call = {
        "session_id": "99",
        "cwd": ROOT,
        "hook_event_name": event,
        "tool_name": "Bash",
        "tool_input": {"command": "npm run check"},
        "error": f"Exit code 2\n\n{error}" if error is not None else None,
    }
    said = hook_output(event, json.dumps(call | fields).encode(), folder)
    if not said:
        return ""
    output = json.loads(said)["hookSpecificOutput"]
    assert output["hookEventName"] == event
    return re.sub(r"\d+ \w+ ago|just now", "AGE", output["additionalContext"])


def test_an_error_that_was_mended_is_told_once_in_a_session(data: Path) -> None:
    assert failed(data) == SEEN
    assert failed(data) == ""
    [kept] = ReminderLog(data).reminders("99")
    assert (kept.event, kept.references, re.sub(r"\d+ \w+ ago|just now", "AGE", kept.text)) == (
        "PostToolUseFailure",
        (f"{SESSION}:1",),
        SEEN,
    )
    assert failed(data, session_id="98") == SEEN
    assert failed(data, session_id="98", agent_id="a1") == SEEN


def test_a_command_that_mended_it_is_told(data: Path) -> None:
    said = failed(data, "error: the linter of carts is not installed")
    assert "`npm run lint` passed in 11111111:2, after `npm install` in 11111111:2." in said


@pytest.mark.parametrize(
    "error",
    [
        "error: the module of carts is missing",
        "error: connection to the registry of carts refused",
        "error: the browser of carts is missing",
        "error: the page of carts is missing",
        "error: nobody has seen this one",
        "Found 1 error.",
        "",
    ],
    ids=[
        "one of many edits",
        "the network",
        "nothing was changed",
        "nobody knows which files",
        "new",
        "says too little",
        "empty",
    ],
)
def test_what_is_not_sure_is_not_told(data: Path, error: str) -> None:
    assert failed(data, error) == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"cwd": "/home/ana/code/other"},
        {"session_id": SESSION},
        {"is_interrupt": True},
        {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}},
        {"tool_input": None},
        {"error": None},
    ],
    ids=["another project", "the session itself", "interrupted", "no command", "no input", "no error"],
)
def test_other_calls_are_not_answered(data: Path, fields: dict[str, Any]) -> None:
    assert failed(data, **fields) == ""


def test_an_agent_with_one_event_for_all_calls_says_by_the_response_that_one_failed(data: Path) -> None:
    response = {"stdout": "> check", "stderr": MISSING}
    assert failed(data, event="PostToolUse", error=None, tool_response=response) == ""
    assert failed(data, event="PostToolUse", error=None, tool_response={**response, "exit_code": 2}) == SEEN


def test_a_file_that_was_edited_since_is_named_as_such(data: Path, tmp_path: Path) -> None:
    later = Work("33333333-3333-4333-8333-333333333333", prefix="g")
    later.count = 5000
    later.user("Something else")
    later.edits("src/cart.ts", "x", "y")
    update(data, later.write(tmp_path / "src"))
    assert "after an edit of src/cart.ts in 11111111:1 (1 later turn edited the file)." in failed(data)


def test_a_reminder_is_short() -> None:
    assert cut_bytes("é" * 1000, MAX_BYTES) == "é" * 348 + "…"
    assert cut_bytes("short", MAX_BYTES) == "short"


@pytest.mark.parametrize("content", [None, b"", b'{"projects": 1, "key":%d,' % error_text(MISSING).key])
def test_without_a_whole_file_nothing_is_said(data: Path, content: bytes | None) -> None:
    (data / "mended.json").unlink()
    if content is not None:
        (data / "mended.json").write_bytes(content)
    assert failed(data) == ""


def test_no_text_of_the_file_begins_a_line_or_is_long(data: Path) -> None:
    path = data / "mended.json"
    content = json.loads(path.read_bytes())
    for error in content["projects"][ROOT]["errors"]:
        error |= {"command": "a\n\x1b[31m" + "b" * 900, "name": "c\n" + "é" * 900, "id": "d\ne" * 90}
    path.write_text(json.dumps(content, separators=(",", ":")))
    said = failed(data)
    assert len(said.encode()) <= MAX_BYTES
    assert not set(said) & {"\n", "\x1b"}


@pytest.mark.parametrize(("error", "is_known"), [(AGAIN, True), ("error: nobody has seen this one", False)])
def test_it_loads_next_to_nothing(data: Path, error: str, is_known: bool) -> None:
    fields = {"session_id": "99", "cwd": ROOT, "tool_name": "Bash", "tool_input": {"command": "npm test"}}
    given = json.dumps({**fields, "error": error}).encode()
    code = f"""
import sys
from pathlib import Path
from memtui.agents.hooks.run import hook_output
assert bool(hook_output("PostToolUseFailure", {given!r}, Path({str(data)!r}))) is {is_known}
print(*{{name for name, module in sys.modules.items() if module}})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    heavy = {"_duckdb", "duckdb", "click", "textual", "rich", "numpy", "logging", "orjson", "memtui_core.model"}
    assert set(done.stdout.split()) & heavy == set()


def test_a_file_of_that_name_in_another_project_is_another_file(tmp_path: Path) -> None:
    first = Work()
    first.user("Test")
    first.fails()
    first.shell("sed -i s/sum/total/ src/cart.ts", "")
    first.passes()
    other = Work("33333333-3333-4333-8333-333333333333", "/home/ana/code/blog", "g")
    other.count = 5000
    other.user("Something else")
    other.shell("sed -i s/sum/total/ src/cart.ts", "")
    first.write(tmp_path / "src" / "shop")
    update(tmp_path / "data", other.write(tmp_path / "src" / "blog").parents[1])
    assert "after an edit of src/cart.ts in 11111111:1. " in failed(tmp_path / "data")


def test_an_id_that_is_no_uuid_is_whole(tmp_path: Path) -> None:
    update(tmp_path / "data", mended_at_once(Work("agent-1234567890")).write(tmp_path / "src"))
    assert "`memtui show agent-1234567890:1` prints what was done." in failed(tmp_path / "data")
