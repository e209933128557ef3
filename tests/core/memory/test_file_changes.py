"""What is said of a file that changed after the turn of which an agent is reminded."""

from __future__ import annotations

import json
import os
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memtui.agents.hooks.run import hook_output
from memtui_core.index.index import Index
from memtui_core.memory.recall.file_changes import CHANGED, GONE, WRITTEN, file_changes
from memtui_core.memory.recall.recalled_turn import RecalledTurn
from memtui_core.queries.current_project import CurrentProject
from support.indexes import update
from support.transcripts import SESSION, START, Script


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project on the disk whose file was edited in the first and in the third turn."""
    root = tmp_path / "shop"
    root.mkdir()
    script = Script(cwd=str(root))
    for number in range(1, 4):
        script.user(f"Prompt {number}")
        script.calls("Read" if number == 2 else "Edit", {"file_path": f"{root}/a.py", "old_string": "a",
                     "new_string": "b"}, f"t{number}")  # fmt: skip
        script.result("done", f"t{number}")
        script.count += 100
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return root


def written(project: Path, at: datetime) -> None:
    (project / "a.py").write_text("b")
    os.utime(project / "a.py", (at.timestamp(),) * 2)


def changes(project: Path, folder: str = "") -> list[str]:
    """What became of the file of each turn."""
    index = Index.open(project.parent / "data")
    turns = [RecalledTurn(SESSION, number, 1, None, "t", "x", files=("a.py",)) for number in (1, 2, 3)]
    found = file_changes(index.snapshot, CurrentProject(folder or str(project), str(project)), turns)
    assert set(found) <= {turn.reference for turn in turns}
    return [found.get(turn.reference, "") for turn in turns]


def test_a_file_that_a_later_turn_edited_has_changed(project: Path) -> None:
    written(project, START + timedelta(seconds=2080))
    assert changes(project) == [CHANGED, CHANGED, ""]


def test_of_a_file_that_something_else_wrote_only_that_is_said(project: Path) -> None:
    written(project, START + timedelta(days=9))
    assert changes(project) == [CHANGED, CHANGED, WRITTEN]


def test_a_file_that_was_not_written_is_as_it_was_whatever_other_checkouts_have(project: Path) -> None:
    written(project, START + timedelta(seconds=15))
    assert changes(project) == ["", "", ""]


def test_a_file_that_is_not_there_is_gone(project: Path) -> None:
    assert changes(project) == [GONE] * 3


def test_nothing_is_said_of_what_is_not_on_this_disk(project: Path) -> None:
    assert changes(project, "/nowhere/shop") == ["", "", ""]
    project.rmdir()
    assert changes(project) == ["", "", ""]


def test_a_hook_says_so_beside_the_file(project: Path) -> None:
    written(project, START + timedelta(seconds=2080))
    call = {"session_id": "99", "cwd": str(project)}
    for event, fields in (
        ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": f"{project}/a.py"}}),
        ("UserPromptSubmit", {"session_id": "98", "prompt": "what became of a.py there?"}),
    ):
        said = hook_output(event, json.dumps({**call, **fields}).encode(), project.parent / "data")
        text = json.loads(said)["hookSpecificOutput"]["additionalContext"]
        assert sorted(re.findall(r":(\d) · .*[· ]a\.py(.*)\]$", text, re.MULTILINE)) == [
            ("1", " (file changed since)"),
            ("2", " (file changed since)"),
            ("3", ""),
        ], event
