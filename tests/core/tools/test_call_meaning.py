"""Calls whose input hides what they do: scripts that call tools, and patches in shell commands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.model import Block
from memtui_core.tools.call import ToolCall
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.edits import Edit
from memtui_core.tools.mentions import mentions_of
from memtui_core.tools.shell.scripts import script_calls
from memtui_core.tools.summary import summarize
from memtui_core.tools.vocabulary import vocabulary

ROOT = "/home/ana/code/shop"
PATCH = "*** Begin Patch\n*** Update File: src/price.py\n@@\n-old\n+new\n*** End Patch"
HEREDOC = f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"


def call(tool: str, **fields: Any) -> ToolCall:
    done = Block(1, 1, "tool_result", "done", tool, "t")
    return ToolCall(Block(0, 0, "tool_call", json.dumps(fields), tool, "t"), done)


def touched(made: ToolCall, known: set[str] | None = None) -> list[tuple[str, str]]:
    assert made.result is not None
    mentions = mentions_of([made.block, made.result], "", cwd=ROOT, root=ROOT, known=known or set())
    return [(mention.path, mention.kind) for mention in mentions]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('await tools.exec_command({cmd: "ls -l", workdir: "/x"})',
         [("exec_command", {"cmd": "ls -l", "workdir": "/x"})]),
        ("tools.exec_command({'cmd': 'echo \\'a\\' \\u0041\\x42', n: 5})",
         [("exec_command", {"cmd": "echo 'a' AB", "n": "5"})]),
        ("const c = `cat\na`; tools.exec_command({cmd: c})", [("exec_command", {"cmd": "cat\na"})]),
        ("const cmd = 'ls'; tools.exec_command({cmd, other: [1, {a: 2}], workdir: '/x'})",
         [("exec_command", {"cmd": "ls", "workdir": "/x"})]),
        ("tools.apply_patch('a\\n' + 'b')", [("apply_patch", {"input": "a\nb"})]),
        ("tools.apply_patch(['a', 'b'].join('\\n'))", [("apply_patch", {"input": "a\nb"})]),
        ("tools.apply_patch(String.raw`a\\n`)", [("apply_patch", {"input": "a\\n"})]),
        ("// tools.one('x')\n/* tools.two('x') */ tools.three('x')", [("three", {"input": "x"})]),
        ('text("tools.exec_command({cmd: 1})")', []),
        ("tools.exec_command({cmd: build(1), workdir: '/x'})", [("exec_command", {"workdir": "/x"})]),
        ("tools.exec_command(options)", [("exec_command", {})]),
        ("tools.exec_command({cmd: 'open", [("exec_command", {})]),
        ("['a'].map(f => tools.exec_command({cmd: `cat ${f}`}))", [("exec_command", {"cmd": "cat ${f}"})]),
    ],
)  # fmt: skip
def test_the_calls_in_a_script(script: str, expected: list[tuple[str, Any]]) -> None:
    assert [tuple(made) for made in script_calls(script)] == expected


@settings(deadline=None)
@given(st.text(alphabet="tols.(){}[]'\"`\\,:+/* \nabc$=u0", max_size=200))
def test_no_script_is_too_strange(script: str) -> None:
    made = call("exec", input="tools." + script)
    assert isinstance(made.paths, tuple)
    assert summarize("exec", made.fields) is not None


@pytest.mark.parametrize("text", ["tools.a({", "'\\", "`", "/*", "[", "tools.a(x+", "apply_patch "])
def test_long_scripts_are_split_in_one_pass(text: str) -> None:
    """Each takes minutes if a part of the text is read again for each character."""
    made = call("exec", input="tools.x\n" + text * 20_000)
    assert made.edits == ()
    shell = call("exec_command", cmd=text * 20_000 + " " * 50_000 + ";" + PATCH)
    assert [edit.path for edit in shell.edits] == ["src/price.py"]


@pytest.mark.parametrize(
    "script",
    [
        "const c0 = 'twice'; " + "".join(f"const c{n + 1} = c{n} + c{n}; " for n in range(40)) + "tools.a(c40)",
        "tools.a([" + "''," * 30_000 + "].join('" + "x" * 90_000 + "'))",
    ],
)
def test_a_script_cannot_make_texts_of_any_length(script: str) -> None:
    assert script_calls(script) == [("a", {})]


def test_a_script_that_runs_commands_is_a_shell() -> None:
    script = (
        f'await Promise.all([tools.exec_command({{cmd: "sed -n 1,9p src/a.py", workdir: "{ROOT}"}}),'
        f' tools.exec_command({{cmd: "make > out.txt", workdir: "{ROOT}"}})])'
    )
    made = call("exec", input=script)
    assert (made.family, made.command) == ("shell", "sed -n 1,9p src/a.py\nmake > out.txt")
    assert touched(made) == [("src/a.py", "read"), ("out.txt", "edited")]
    assert summarize("exec", made.fields) == "exec: sed -n 1,9p src/a.py"


def test_a_command_under_the_same_name_is_no_script() -> None:
    assert (call("exec", cmd="ls a.py").command, call("exec", command="ls a.py").command) == ("ls a.py", "ls a.py")


def test_a_script_that_applies_a_patch_is_an_edit() -> None:
    made = call("exec", input=f"const patch = {json.dumps(PATCH)};\ntext(await tools.apply_patch(patch));")
    assert (made.family, made.command, made.path) == ("edit", "", "src/price.py")
    assert made.edits == (Edit("src/price.py", "part", "old", "new"),)
    assert diff_of(made) == PATCH
    assert touched(made) == [("src/price.py", "edited")]


def test_a_script_that_does_both_is_a_shell_with_edits() -> None:
    script = f"await tools.apply_patch({json.dumps(PATCH)}); await tools.exec_command({{cmd: 'cat src/b.py'}})"
    made = call("exec", input=script)
    assert (made.family, made.command) == ("shell", "cat src/b.py")
    assert touched(made) == [("src/price.py", "edited"), ("src/b.py", "read")]


@pytest.mark.parametrize(
    ("tool", "fields"),
    [
        ("exec_command", {"cmd": HEREDOC}),
        ("exec_command", {"cmd": f"cd {ROOT} && {HEREDOC}"}),
        ("shell", {"command": ["bash", "-lc", HEREDOC]}),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("shell_command", {"command": f'apply_patch "{PATCH}"', "workdir": ROOT}),
    ],
)
def test_a_shell_that_only_applies_a_patch_is_an_edit(tool: str, fields: dict[str, Any]) -> None:
    made = call(tool, **fields)
    assert made.family == "edit"
    assert [(edit.kind, edit.old, edit.new) for edit in made.edits] == [("part", "old", "new")]
    assert touched(made) == [("src/price.py", "edited")]


def test_a_shell_that_also_applies_a_patch_stays_a_shell() -> None:
    made = call("exec_command", cmd=f"{HEREDOC}pytest tests/test_price.py > log.txt")
    assert made.family == "shell"
    assert made.edits == (Edit("src/price.py", "part", "old", "new"), Edit("log.txt", "unknown"))
    assert "pytest" in made.command


def test_an_editor_does_what_its_command_says() -> None:
    for tool in ("str_replace_editor", "str-replace-editor", "file_editor", "text_editor", "fs_write"):
        made = {command: call(tool, command=command, path="a.py").family for command in ("view", "create", "insert")}
        assert (tool, made) == (tool, {"view": "read", "create": "write", "insert": "edit"})


def test_paths_are_relative_to_the_folder_of_the_command() -> None:
    made = call("exec_command", cmd="cat a.py && make >b.txt", workdir=f"{ROOT}/sub dir")
    assert touched(made) == [("sub dir/a.py", "read"), ("sub dir/b.txt", "edited")]
    patched = call("exec_command", cmd=HEREDOC, workdir=f"{ROOT}/sub")
    assert touched(patched) == [("sub/src/price.py", "edited")]
    two = "tools.exec_command({cmd: 'cat a.py', workdir: '/home/ana/code/shop/x'});"
    assert touched(call("exec", input=two + two.replace("/x'", "/y'"))) == [("x/a.py", "read"), ("y/a.py", "read")]


def test_what_a_shell_shows_is_read_only_if_the_agent_has_no_tool_for_it() -> None:
    assert touched(call("exec_command", cmd="cat a.py")) == [("a.py", "read")]
    assert touched(call("Bash", command="cat a.py")) == [("a.py", "mentioned")]


def test_the_exit_code_of_a_process() -> None:
    text = "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n"
    made = ToolCall(call("exec_command", cmd="make").block, Block(1, 1, "tool_result", text, None, "t", True))
    assert made.exit_code == 3


def test_editors_read_edit_or_write_depending_on_their_command() -> None:
    words = vocabulary()
    commands = ("view", "create", "str_replace", "insert")
    families = {
        name: [words.call_family(name, {"command": command, "path": "a.py"}) for command in commands]
        for name in words.names.editors
    }
    names = (
        *("developer__text_editor", "file_editor", "fs_write", "planning_file_editor", "str-replace-editor"),
        *("str_replace_editor", "text_editor"),
    )
    assert families == {name: ["read", "write", "edit", "edit"] for name in names}
