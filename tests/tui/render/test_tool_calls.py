"""Every part of memtui reads a tool call alike: which files it changed, and which it only read or named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from memtui.agents.hooks.hook_call import TOOL, parse
from memtui.render.tools.calls import rendered_calls
from memtui_core.compaction.facts.segment import segment_facts
from memtui_core.export.tool_calls import tool_call_part
from memtui_core.memory.handoff.calls import handoff_calls
from memtui_core.memory.handoff.items import handoff_items
from memtui_core.model import Block, Turn
from memtui_core.queries.file_history import content_from_calls
from memtui_core.text.paths import normalize
from memtui_core.tools.call import ToolCall
from memtui_core.tools.edits import Edit
from memtui_core.tools.mentions import mentions_of
from memtui_core.tools.pairing import paired
from memtui_core.tools.summary import summarize
from memtui_core.tools.vocabulary import vocabulary

ROOT = "/home/ana/shop"
FILES = ("src/a.py", "src/b.py", "src/old.py", "n.ipynb")
TEXT = "one\ntwo\n"
PATCH = """*** Begin Patch
*** Add File: src/b.py
+new
*** Update File: src/a.py
@@ def f():
 one
-two
+2
*** Delete File: src/old.py
*** End Patch"""


@dataclass(frozen=True)
class Case:
    tool: str
    fields: dict[str, Any]
    edits: tuple[Edit, ...] = ()
    opens: str = ""
    """The file that a hook tells of."""
    line: str = field(default="", kw_only=True)
    """What an export and a hand-off call it."""

    def __str__(self) -> str:
        return f"{self.tool} {self.fields}"[:60]


def unknown(*paths: str) -> tuple[Edit, ...]:
    return tuple(Edit(path, "unknown") for path in paths)


REPLACED = (Edit("src/a.py", "replace", "two", "2"),)
PATCHED = (
    Edit("src/b.py", "write", "", "new\n"),
    Edit("src/a.py", "part", "one\ntwo", "one\n2"),
    *unknown("src/old.py"),
)
SHELLS = {"Bash", "shell", "exec_command", "exec"}
TWO = [{"old_string": "one", "new_string": "1", "replace_all": True}, {"old_string": "two", "new_string": "2"}]
CASES = [
    Case("Edit", {"file_path": "src/a.py", "old_string": "two", "new_string": "2"}, REPLACED, "src/a.py",
         line="Edit src/a.py"),
    Case("edit", {"filePath": "src/a.py", "oldString": "two", "newString": "2"}, REPLACED, "src/a.py",
         line="edit src/a.py"),
    Case("str_replace", {"path": "src/a.py", "old_str": "two", "new_str": "2"}, REPLACED, "src/a.py",
         line="str_replace src/a.py"),
    Case("MultiEdit", {"file_path": "src/a.py", "edits": TWO},
         (Edit("src/a.py", "replace", "one", "1", True), Edit("src/a.py", "replace", "two", "2")), "src/a.py",
         line="MultiEdit src/a.py"),
    Case("NotebookEdit", {"notebook_path": "n.ipynb", "cell_id": "3", "new_source": "x = 1"},
         (Edit("n.ipynb", "part", "", "x = 1"),), "n.ipynb", line="NotebookEdit n.ipynb"),
    Case("Write", {"file_path": "src/b.py", "content": "x"}, (Edit("src/b.py", "write", "", "x"),), "src/b.py",
         line="Write src/b.py"),
    Case("write_file", {"path": "src/b.py", "content": "x"}, (Edit("src/b.py", "write", "", "x"),), "src/b.py",
         line="write_file src/b.py"),
    Case("apply_patch", {"patchText": PATCH}, PATCHED, "src/b.py", line="apply_patch src/b.py, src/a.py, src/old.py"),
    Case("apply_patch", {"input": PATCH}, PATCHED, "src/b.py", line="apply_patch src/b.py, src/a.py, src/old.py"),
    Case("mcp__lsp__rename_symbol", {"relative_path": "src/a.py", "name": "f"}, unknown("src/a.py"),
         line="mcp__lsp__rename_symbol src/a.py"),
    Case("Bash", {"command": "make > src/a.py 2>> src/b.py"}, unknown("src/a.py", "src/b.py"),
         line="Bash: make > src/a.py 2>> src/b.py"),
    Case("Bash", {"command": "cd src && make 2>&1 | sudo tee -a a.py"}, unknown("src/a.py"),
         line="Bash: cd src && make 2>&1 | sudo tee -a a.py"),
    Case("exec_command", {"cmd": "sed -i s/one/1/ src/a.py"}, unknown("src/a.py"),
         line="exec_command: sed -i s/one/1/ src/a.py"),
    Case("shell", {"command": ["bash", "-lc", "perl -pi -e s/a/b/ src/a.py"]}, unknown("src/a.py"),
         line="shell: perl -pi -e s/a/b/ src/a.py"),
    Case("Bash", {"command": f"apply_patch <<'E'\n{PATCH}\nE"}, PATCHED, line="Bash src/b.py, src/a.py, src/old.py"),
    Case("shell", {"command": ["apply_patch", PATCH]}, PATCHED, line="shell src/b.py, src/a.py, src/old.py"),
    Case("exec_command", {"cmd": f"cd src && make && apply_patch <<'E'\n{PATCH}\nE"}, PATCHED, "src/b.py",
         line="exec_command: cd src && make && apply_patch <<'E'"),
    Case("exec", {"input": f"await tools.apply_patch({json.dumps(PATCH)});"}, PATCHED,
         line="exec src/b.py, src/a.py, src/old.py"),
    Case("exec", {"input": "text((await tools.exec_command({cmd: 'make > src/a.py'})).output)"}, unknown("src/a.py"),
         line="exec: make > src/a.py"),
    Case("Bash", {"command": "bash -c 'echo x >src/a.py'"}, unknown("src/a.py"),
         line="Bash: bash -c 'echo x >src/a.py'"),
    Case("Read", {"file_path": "src/a.py"}, opens="src/a.py", line="Read src/a.py"),
    Case("read_file", {"absolute_path": "src/a.py"}, opens="src/a.py", line="read_file src/a.py"),
    Case("Bash", {"command": "cat src/a.py 2>/dev/null | grep '> src/b.py'"},
         line="Bash: cat src/a.py 2>/dev/null | grep '> src/b.py'"),
    Case("Bash", {"command": "sed -n 1,5p src/a.py && echo 'tee src/b.py'"},
         line="Bash: sed -n 1,5p src/a.py && echo 'tee src/b.py'"),
    Case("Grep", {"pattern": "x", "path": "src/a.py"}, line="Grep x in src/a.py"),
    Case("mcp__lsp__hover", {"relative_path": "src/a.py"}, line="mcp__lsp__hover"),
    Case("mcp__tracker__delete_comment", {"id": "7"}, line="mcp__tracker__delete_comment"),
    Case("Task", {"description": "Edit src/a.py", "prompt": "x > src/b.py"}, line="Task: Edit src/a.py"),
]  # fmt: skip


def blocks_of(case: Case, *, error: bool = False) -> list[Block]:
    return [
        Block(0, 0, "tool_call", json.dumps(case.fields), case.tool, "t1"),
        Block(1, 1, "tool_result", "done", case.tool, "t1", error),
    ]


def after_a_read(path: str, blocks: Iterable[Block]) -> list[Block]:
    """A read of a whole file, and what came after it."""
    lines = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(TEXT.split("\n"), 1))
    return [
        Block(0, 0, "tool_call", json.dumps({"file_path": f"{ROOT}/{path}"}), "Read", "r"),
        Block(1, 0, "tool_result", lines, "Read", "r"),
        *blocks,
    ]


def relative(path: str) -> str | None:
    return normalize(path, ROOT, ROOT)


def in_mentions(blocks: list[Block]) -> set[str]:
    return {one.path for one in mentions_of(blocks, "", cwd=ROOT, root=ROOT) if one.kind == "edited"}


def in_a_review(blocks: list[Block]) -> set[str]:
    turn = Turn(1, 1, 1, 0, 9, "human", 0, "", (), None, None, blocks=tuple(blocks))
    return {fact.text for fact in segment_facts([turn], relative) if fact.kind == "edited"}


def in_a_handoff(blocks: list[Block]) -> set[str]:
    """The files of which an earlier read is out of date."""
    whole = {path: handoff_items(handoff_calls([(1, after_a_read(path, blocks))]), ROOT, 100) for path in FILES}
    return {path for path, made in whole.items() if "(before edit)" in made[0].heading}


def in_the_file_history(blocks: list[Block]) -> set[str]:
    """The files of which an earlier read does not tell the content any more."""

    def text(path: str) -> str | None:
        return content_from_calls([(1, after_a_read(path, blocks))], lambda written: relative(written) == path).text

    return {path for path in FILES if text(path) != TEXT}


def on_the_screen(blocks: list[Block]) -> set[str]:
    [call] = rendered_calls(blocks, ROOT).values()
    return set(call.paths) if call.is_edit else set()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_all_agree_on_the_files_that_a_call_changed(case: Case) -> None:
    blocks = blocks_of(case)
    [call] = paired(blocks)
    assert call.edits == case.edits
    changed = {edit.path for edit in case.edits}
    consumers: list[Callable[[list[Block]], set[str]]] = [
        in_mentions, in_a_review, in_a_handoff, in_the_file_history, on_the_screen,
    ]  # fmt: skip
    assert {one.__name__: one(blocks) for one in consumers} == {one.__name__: changed for one in consumers}
    line = summarize(case.tool, case.fields) or ""
    assert vocabulary().may_edit(line.split(" ")[0].rstrip(":")) or not changed


@pytest.mark.parametrize("case", CASES, ids=str)
def test_all_agree_on_what_a_call_is_called(case: Case) -> None:
    blocks = blocks_of(case)
    [call] = rendered_calls(blocks, ROOT).values()
    assert tool_call_part(call.tool, ROOT).line == case.line
    assert parse(TOOL, json.dumps({"tool_name": case.tool, "tool_input": case.fields}).encode()).file == case.opens
    if case.opens:
        assert call.path == case.opens
    [item] = handoff_items(handoff_calls([(1, blocks)]), ROOT, 100)
    group = {"shell": "Commands Executed", "read": "Files Read", "edit": "Files Changed", "write": "Files Changed"}
    assert item.title == group.get(call.tool.family, "Other Results")


@pytest.mark.parametrize("case", [case for case in CASES if case.tool not in SHELLS], ids=str)
def test_all_agree_that_a_call_that_failed_changed_nothing(case: Case) -> None:
    blocks = blocks_of(case, error=True)
    assert [one(blocks) for one in (in_mentions, in_a_review, in_a_handoff, in_the_file_history)] == [set()] * 4


@pytest.mark.parametrize(
    ("fields", "result", "expected"),
    [
        ({"command": "make", "run_in_background": True}, None, (None, False, True)),
        ({"command": "make"}, ("Exit code 2\nno rule", True), (2, True, False)),
        ({"command": "make"}, ('{"output":"","metadata":{"exit_code": 1}}', False), (1, False, False)),
        ({"command": "make"}, ("The user doesn't want to proceed", True), (None, True, True)),
        ({"command": "make"}, ("x" * 500 + "exit status 3", False), (None, False, False)),
    ],
)
def test_what_came_of_a_call(
    fields: dict[str, Any], result: tuple[str, bool] | None, expected: tuple[int | None, bool, bool]
) -> None:
    block = Block(0, 0, "tool_call", json.dumps(fields), "Bash", "t")
    call = ToolCall(block, Block(1, 1, "tool_result", result[0], "Bash", "t", result[1]) if result else None)
    assert (call.exit_code, call.is_error, call.interrupted) == expected
