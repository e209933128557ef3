"""memtui's entries in an agent's settings: put in, taken out, and everything else left as it was."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from memtui.agents.connecting import json_edit
from memtui.agents.connecting.change import SettingsChange, SettingsUnusable
from memtui.agents.connecting.entries import (
    hook_entries,
    hook_entry,
    is_own_hook,
    is_own_server,
    program,
    server_entry,
    server_words,
)
from memtui.agents.connecting.json_settings import with_hooks, with_server
from memtui.cli.agents.enable import disable, enable
from memtui_core.readers.agents.claude_code.connection import CONNECTION
from support.systems import unix_only

WORDS = ["/opt/my tools/memtui"]
assert CONNECTION.hooks is not None
assert CONNECTION.server is not None
HOOKS = CONNECTION.hooks
WANTED = hook_entries(HOOKS, WORDS)
SERVER = server_entry(CONNECTION.server, server_words(WORDS))
EVENTS = [
    *("UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "SubagentStart", "Stop", "PreCompact"),
    *("SessionStart", "SessionEnd"),
]
MATCHERS = {
    "PreToolUse": "Read|Edit|Write|NotebookEdit",
    "PostToolUseFailure": "Bash",
    "SessionStart": "startup|resume|clear|compact",
}
FOREIGN = """{
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ {"type": "command", "command": "memtui-guard hook"} ] }
        ],
        "Notification": [{"hooks": [{"type": "command", "command": "notify-send \\u00e4"}]}]
    },
    "permissions": {"allow": ["Read(*)"],   "deny": [ ]},
    "number": 1.50
}"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    # No other agent is found on the machine of the test.
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path / "home"


def run(command: click.Command, *arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def contents(home: Path) -> dict[str, bytes]:
    """The files, without those of a write that was not finished."""
    files = (path for path in home.rglob("*") if path.is_file() and path.suffix != ".part")
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in files}


def settings(home: Path) -> Path:
    (home / ".claude").mkdir(exist_ok=True)
    return home / ".claude" / "settings.json"


def test_everything_is_switched_on_for_the_person(home: Path) -> None:
    result = run(enable, "--yes")
    assert result.exit_code == 0, result.output
    (word,) = program()
    assert Path(word).is_absolute()
    assert json.loads(settings(home).read_text()) == {
        "hooks": {
            event: [
                {
                    **({"matcher": MATCHERS[event]} if event in MATCHERS else {}),
                    "hooks": [
                        {
                            "type": "command",
                            "command": f"{shlex.quote(word)} hook {event}",
                            "timeout": 15 if event == "UserPromptSubmit" else 10,
                        }
                    ],
                }
            ]
            for event in EVENTS
        }
    }
    assert json.loads((home / ".claude.json").read_text()) == {
        "mcpServers": {"memtui": {"command": word, "args": ["mcp"]}}
    }
    assert settings(home).read_text().endswith("\n}\n")


def test_the_settings_folder_of_the_agent_is_used(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    assert run(enable, "--yes").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "config").iterdir()) == [".claude.json", "settings.json"]
    assert list(home.iterdir()) == []


def test_a_project_has_settings_of_its_own(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    assert run(enable, "--project", "--yes", "--data-dir", str(tmp_path / "da ta")).exit_code == 0
    assert sorted(str(path.relative_to(home)) for path in home.rglob("*.json")) == [
        ".claude/settings.json",
        ".mcp.json",
    ]
    args = json.loads((home / ".mcp.json").read_text())["mcpServers"]["memtui"]["args"]
    assert args == ["mcp", "--data-dir", str(tmp_path / "da ta")]
    (group,) = json.loads(settings(home).read_text())["hooks"]["Stop"]
    assert shlex.split(group["hooks"][0]["command"]) == [*program(), "hook", "Stop", *args[1:]]
    assert run(disable, "--project", "--yes").exit_code == 0
    assert list(home.rglob("*.json")) == []


def test_the_change_is_shown_and_nothing_is_written_without_a_word(home: Path) -> None:
    path = settings(home)
    path.write_text('{\n  "model": "opus"\n}')
    for arguments, code in (([], 2), (["--dry-run"], 0)):
        result = run(enable, *arguments)
        assert result.exit_code == code
        diff = result.stdout.splitlines()
        assert diff[:6] == [
            f"--- {path}",
            f"+++ {path}",
            "@@ -1,3 +1,96 @@",
            " {",
            '-  "model": "opus"',
            '+  "model": "opus",',
        ]
        assert diff[6:8] == ['+  "hooks": {', '+    "UserPromptSubmit": [']
        assert "--- /dev/null" in diff
        assert path.read_text() == '{\n  "model": "opus"\n}'
        assert not (home / ".claude.json").exists()


@pytest.mark.parametrize(("typed", "code", "written"), [(b"y\n", 0, True), (b"n\n", 1, False), (b"\n", 1, False)])
def test_a_person_is_asked(home: Path, typed: bytes, code: int, written: bool) -> None:
    ours, theirs = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-c", "from memtui.cli.agents.enable import enable; enable()"]
    try:
        with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            os.write(ours, typed)
            out, error = child.communicate(timeout=60)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (child.returncode, b"Write this?" in error) == (code, True)
    assert out.startswith(b"--- /dev/null\n")
    assert settings(home).exists() is written


ENABLE = "from memtui.cli.agents.enable import enable; enable()"


def test_another_run_may_write_while_a_person_is_asked(home: Path, tmp_path: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("\n\n")
    settings(home).write_text("{ }")
    before = contents(home)
    ours, theirs = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-c", ENABLE, "codex"]
    try:
        with subprocess.Popen(command, stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
            assert child.stderr is not None
            asked = b""
            while b"Write this?" not in asked:
                asked += (read := os.read(child.stderr.fileno(), 4096))
                assert read, asked
            assert run(enable, "claude-code", "--yes").exit_code == 0
            os.write(ours, b"y\n")
            _, error = child.communicate(timeout=60)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (child.returncode, b"Written: " in error) == (0, True), error
    assert run(disable, "--yes").exit_code == 0
    assert contents(home) == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("connected")] == []


KILLED = """
import os, sys
left = int(sys.argv.pop(1))
def hook(event, arguments):
    global left
    if event == "os.rename":
        left -= 1
        if left < 0:
            os._exit(137)
sys.addaudithook(hook)
"""
"""A run that ends without a word before it puts a file in place, after so many others."""


@pytest.mark.parametrize("is_again", [False, True])
@pytest.mark.parametrize("written", range(5))
def test_what_a_killed_run_has_written_can_be_undone(home: Path, written: int, is_again: bool) -> None:
    (home / ".claude.json").write_text(' {"mcpServers": { }}')
    settings(home).write_text("{ }")
    before = contents(home)
    if is_again:
        assert run(enable, "claude-code", "--yes", "--data-dir", str(home)).exit_code == 0
    command = [sys.executable, "-c", KILLED + ENABLE, str(written), "claude-code", "--yes"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    # Two files of the agent, and what each replaces.
    assert done.returncode == (137 if written < 4 else 0), done.stderr
    assert run(disable, "--yes").exit_code == 0
    assert contents(home) == before


def test_twice_is_once(home: Path) -> None:
    run(enable, "--yes")
    before = {path: path.read_bytes() for path in home.rglob("*.json")}
    again = run(enable)
    assert (again.exit_code, again.stdout, again.stderr) == (0, "", "Nothing to change.\n")
    assert {path: path.read_bytes() for path in home.rglob("*.json")} == before
    run(disable, "--yes")
    assert run(disable).stderr == "Nothing to change.\n"


def test_disabling_what_was_never_enabled_makes_no_file(home: Path) -> None:
    assert run(disable, "--yes").stderr == "Nothing to change.\n"
    assert list(home.iterdir()) == []


def changed(text: str, wanted: dict[str, dict[str, Any]]) -> str:
    return with_hooks(text, wanted, HOOKS.events)


@pytest.mark.parametrize(
    "text",
    [
        FOREIGN,
        FOREIGN + "\n",
        FOREIGN.replace("    ", "\t"),
        FOREIGN.replace("\n", "\r\n"),
        '{"a": 1}',
        '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}\n',
        "{}",
        '{\n  "z": "\\u00e4 ä 😀",\n  "a": 1e3, "hooks": {"Stop": [7, {"hooks": "odd"}], "Other": "odd"}\n}\n\n',
        '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": []\n      }\n    ]\n  }\n}\n',
    ],
)
def test_off_again_the_file_is_what_it_was(text: str) -> None:
    on = changed(text, WANTED)
    value, before = json.loads(on), json.loads(text)
    held = before.get("hooks", {})
    events = {**held, **{event: [*held.get(event, []), WANTED[event]] for event in EVENTS}}
    assert value == {**before, "hooks": events}
    assert list(value) == list(dict.fromkeys([*before, "hooks"]))
    # Only added to: what was there is there in its order.
    signs = iter(on)
    assert all(sign in signs for sign in text)
    assert ("\r\n" in on) == ("\r\n" in text)
    assert changed(on, {}) == text


def test_the_form_of_the_file_is_kept() -> None:
    text = '{\n\t"hooks": {\n\t\t"Stop": []\n\t},\n\t"b": [ 1 ]\n}\n'
    assert changed(text, {"Stop": WANTED["Stop"]}) == (
        '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n\t\t\t\t\t\t"type": "command",\n'
        '\t\t\t\t\t\t"command": "\'/opt/my tools/memtui\' hook Stop",\n\t\t\t\t\t\t"timeout": 10\n\t\t\t\t\t}\n'
        '\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t"b": [ 1 ]\n}\n'
    )


def test_an_outdated_command_is_replaced_and_a_changed_entry_stays() -> None:
    own = json.loads(json.dumps(WANTED["Stop"]))
    own["hooks"][0]["timeout"] = 3
    old = hook_entry(HOOKS, "PreToolUse", "/old/memtui hook PreToolUse")
    old["hooks"].append({"type": "command", "command": "/old/memtui hook PreToolUse && notify"})
    text = json.dumps({"hooks": {"Stop": [own], "PreToolUse": [old]}}, indent=1)
    hooks = json.loads(changed(text, WANTED))["hooks"]
    assert hooks["Stop"] == [own]
    assert hooks["PreToolUse"] == [{**old, "hooks": old["hooks"][1:]}, WANTED["PreToolUse"]]


@pytest.mark.parametrize(
    ("command", "own"),
    [
        ("/usr/bin/memtui hook Stop", True),
        ("memtui hook Stop", True),
        ("'/a b/memtui' hook Stop --data-dir '/c d'", True),
        ("/usr/bin/python3 -m memtui hook Stop", True),
        ("memtui hook Stop && notify", False),
        ("memtui hook PreToolUse", False),
        ("memtui index", False),
        ("memtui", False),
        ("notmemtui hook Stop", False),
        ("echo memtui hook Stop", False),
        ("memtui hook 'Stop", False),
        ("", False),
        (None, False),
    ],
)
def test_only_memtuis_own_hooks_are_its_own(command: str | None, own: bool) -> None:
    assert is_own_hook({"type": "command", "command": command}, "Stop") is own
    assert not is_own_hook(command, "Stop")


def test_the_server_of_tools_is_put_in_replaced_and_taken_out() -> None:
    for before, on, off in [
        ({"a": 1}, {"a": 1, "mcpServers": {"memtui": SERVER}}, {"a": 1}),
        ({"mcpServers": {"x": {}}}, {"mcpServers": {"x": {}, "memtui": SERVER}}, {"mcpServers": {"x": {}}}),
        (
            {"mcpServers": {"memtui": {"command": "/old/memtui", "args": ["mcp"]}}},
            {"mcpServers": {"memtui": SERVER}},
            {},
        ),
        *[
            ({"mcpServers": {"memtui": server}}, {"mcpServers": {"memtui": server}}, off)
            for server, off in [
                ({"type": "stdio", **SERVER, "env": {"A": "b"}}, {}),
                (
                    {"command": "other", "args": ["mcp"]},
                    {"mcpServers": {"memtui": {"command": "other", "args": ["mcp"]}}},
                ),
                (None, {"mcpServers": {"memtui": None}}),
            ]
        ],
    ]:
        text = with_server(json.dumps(before), ["mcpServers"], SERVER)
        assert json.loads(text) == on
        assert with_server(text, ["mcpServers"], SERVER) == text
        assert json.loads(with_server(text, ["mcpServers"], None)) == off
    assert not is_own_server({"command": 1, "args": [2]})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{broken", "is not valid JSON and is left alone: Expecting property name"),
        ('{"a": 1, // why\n "b": 2}', "is not valid JSON and is left alone"),
        ("[]", "is not a JSON object and is left alone."),
        ('{"hooks": []}', ": hooks is not an object; the file is left alone."),
        ('{"hooks": {"Stop": {}}}', ": hooks.Stop is not a list; the file is left alone."),
    ],
)
def test_settings_that_are_none_are_left_alone(home: Path, text: str, reason: str) -> None:
    path = settings(home)
    path.write_text(text)
    for command in (enable, disable):
        result = run(command, "--yes")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith(f"memtui: {path}")
        assert reason in result.stderr
    assert [(entry.name, entry.is_dir()) for entry in home.iterdir()] == [(".claude", True)]
    assert path.read_text() == text


def test_a_bad_file_keeps_the_other_from_being_written(home: Path) -> None:
    (home / ".claude.json").write_bytes(b'{"mcpServers": "\xff"}')
    assert run(enable, "--yes").exit_code == 1
    assert not settings(home).exists()


@unix_only
def test_the_mode_stays_and_a_link_is_followed(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    target.chmod(0o640)
    settings(home).symlink_to(target)
    assert run(enable, "--yes").exit_code == 0
    assert settings(home).is_symlink()
    assert (target.stat().st_mode & 0o777, "hooks" in json.loads(target.read_text())) == (0o640, True)
    assert [path.name for path in settings(home).parent.iterdir()] == ["settings.json"]


@unix_only
def test_a_link_stays_and_a_file_that_was_made_through_it_goes(home: Path, tmp_path: Path) -> None:
    links = {home / ".claude.json": tmp_path / "dot" / "none.json", tmp_path / "connected.json": tmp_path / "log.json"}
    for link, target in links.items():
        link.symlink_to(target)
    assert run(enable, "claude-code", "--yes").exit_code == 0
    assert [target.is_file() for target in links.values()] == [True, True]
    assert run(disable, "claude-code", "--yes").exit_code == 0
    assert [(link.readlink(), target.exists()) for link, target in links.items()] == [
        (target, False) for target in links.values()
    ]


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    change = SettingsChange(path, b"{}", b'{"b": 2}')
    path.write_text('{"a": 1}')
    with pytest.raises(SettingsUnusable, match="has been changed in the meantime"):
        change.write()
    assert path.read_text() == '{"a": 1}'


def test_an_empty_file_is_an_empty_object(home: Path) -> None:
    settings(home).write_text(" \n")
    assert json.loads(changed(" \n", WANTED)) == {"hooks": {event: [WANTED[event]] for event in EVENTS}}
    assert run(disable, "--yes").stderr == "Nothing to change.\n"
    assert run(enable, "--yes").exit_code == 0
    assert list(json.loads(settings(home).read_text())["hooks"]) == EVENTS
    assert run(disable, "--yes").exit_code == 0
    assert settings(home).read_text() == " \n"


def test_the_command_works_from_any_folder(home: Path, tmp_path: Path) -> None:
    assert run(enable, "--yes").exit_code == 0
    (group,) = json.loads(settings(home).read_text())["hooks"]["Stop"]
    command = group["hooks"][0]["command"].removesuffix(" hook Stop")
    done = subprocess.run(f"{command} --version", shell=True, cwd="/", capture_output=True, text=True, check=True)
    assert done.stdout.startswith("memtui ")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=3), values, max_size=4),
    values,
    st.sampled_from([None, 1, 2, "\t"]),
    st.booleans(),
)
def test_what_is_added_is_there_and_what_is_removed_is_not(
    value: dict[str, Any], new: Any, indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    value.pop("new key", None)
    added = json_edit.add(text, [], new, "new key")
    assert json.loads(added) == {**value, "new key": new}
    assert json_edit.remove(added, ["new key"]) == text
    assert json_edit.find(text, ["new key"]) is None
    for key in value:
        assert json.loads(json_edit.remove(text, [key])) == {other: value[other] for other in value if other != key}
        assert json.loads(text[slice(*json_edit.find(text, [key])[2:])]) == value[key]  # type: ignore[index]
    listed = json.dumps([value, new], indent=indent)
    assert json.loads(json_edit.add(listed, [], 7)) == [value, new, 7]
    assert [json.loads(json_edit.remove(listed, [place])) for place in (0, 1)] == [[new], [value]]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of programs."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


def install(programs: Path, name: str) -> None:
    program = programs / (f"{name}.bat" if sys.platform == "win32" else name)
    program.write_text("")
    program.chmod(0o755)


def files(home: Path) -> list[str]:
    return sorted(path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())


def test_without_a_name_all_agents_that_are_found_are_connected(home: Path, programs: Path) -> None:
    install(programs, "crush")
    (home / ".cursor").mkdir()
    result = run(enable, "--yes")
    assert result.exit_code == 0
    assert files(home) == [".config/crush/crush.json", ".cursor/mcp.json"]
    assert result.stderr.splitlines() == [
        f"Written: {home / '.config' / 'crush' / 'crush.json'}",
        "Restart running sessions of Crush for the changes to take effect.",
        f"Written: {home / '.cursor' / 'mcp.json'}",
        "Restart running sessions of Cursor for the changes to take effect.",
    ]
    assert run(disable, "--yes").exit_code == 0
    assert files(home) == []


def test_agents_are_named_by_id_or_name_and_others_refused(home: Path, programs: Path) -> None:
    assert run(enable, "cursor", "Crush", "--yes").exit_code == 0
    assert files(home) == [".config/crush/crush.json", ".cursor/mcp.json"]
    assert run(disable, "crush", "--yes").exit_code == 0
    assert files(home) == [".cursor/mcp.json"]
    for name in ("aider", "nobody"):
        result = run(enable, name, "--yes")
        assert result.exit_code == 2
        assert f"memtui cannot connect to '{name}', but to: claude-code, codex, opencode, kilo, " in result.stderr
    result = run(enable, "cluade-code", "--yes")
    assert result.exit_code == 2
    assert "memtui cannot connect to 'cluade-code'. Did you mean claude-code?\n" in result.stderr


def test_an_agent_with_unusable_settings_does_not_keep_others_from_being_connected(home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{broken")
    result = run(enable, "cursor", "crush", "--yes")
    assert result.exit_code == 1
    assert f"memtui: {home / '.cursor' / 'mcp.json'} is not valid JSON and is left alone" in result.stderr
    assert files(home) == [".config/crush/crush.json", ".cursor/mcp.json"]
    assert (home / ".cursor" / "mcp.json").read_text() == "{broken"


def test_where_the_plugin_is_installed_nothing_is_written(home: Path) -> None:
    assert run(enable, "claude-code", "--yes").exit_code == 0
    content = json.loads(settings(home).read_text())
    settings(home).write_text(json.dumps({**content, "enabledPlugins": {"memtui@memtui": True}}))
    before = settings(home).read_text()
    result = run(enable, "claude-code", "--yes")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "Claude Code has memtui's plugin: its settings stay as they are.\n"
        "They connect memtui a second time. Remove that: memtui disable claude-code\n"
    )
    assert settings(home).read_text() == before
    assert run(disable, "claude-code", "--yes").exit_code == 0
    assert run(enable, "claude-code").stderr == "Claude Code has memtui's plugin: its settings stay as they are.\n"
    assert json.loads(settings(home).read_text()) == {"enabledPlugins": {"memtui@memtui": True}}


def test_a_table_shows_what_is_connected(home: Path, programs: Path) -> None:
    install(programs, "pi")
    run(enable, "codex", "cursor", "--yes")
    result = run(enable, "--list")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "agent        found  tools  hooks  skill  plugin",
        "claude-code                       –",
        "codex        yes    yes    yes    yes",
        "opencode                                 –",
        "kilo                                     –",
        "crush                      –      –      –",
        "pi           yes",
        "copilot",
        "gemini",
        "qwen",
        "cursor       yes    yes    –      –      –",
    ]


def test_the_table_shows_no_control_characters(home: Path, programs: Path) -> None:
    (home / ".cursor").mkdir()
    server = {"command": "/\x1b[2J\n/memtui", "args": ["mcp"]}
    (home / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": {"memtui": server}}))
    lines = run(enable, "cursor", "--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["agent", "cursor"]
    assert "\x1b" not in lines[1]
    assert lines[1].split()[-5:] == ["is", "missing", "–", "–", "–"]


@unix_only
@pytest.mark.parametrize(
    ("answer", "is_taken"),
    [
        ("echo '2.1.101 (Claude Code)'", True),
        ("echo '2.1.197 (Claude Code)'", True),
        ("echo '2.1.100 (Claude Code)'", False),
        ("echo '1.0.128 (Claude Code)'", False),
        # A version that is not known is taken for a new one.
        ("echo 'a new one'; exit 1", True),
        ("kill -9 $$", True),
    ],
)
def test_an_old_program_gets_no_hook_for_which_it_would_refuse_all_settings(
    home: Path, programs: Path, answer: str, is_taken: bool
) -> None:
    install(programs, "claude")
    (programs / "claude").write_text(f"#!/bin/sh\n{answer}\n")
    # As a version of memtui wrote them that did not ask.
    before = with_hooks("", hook_entries(HOOKS, [*program()]), HOOKS.events)
    settings(home).write_text(before)
    result = run(enable, "claude-code", "--yes")
    assert result.exit_code == 0
    after = json.loads(settings(home).read_text())["hooks"]
    assert list(after) == [event for event in EVENTS if is_taken or event != "PostToolUseFailure"]
    version = answer.removeprefix("echo '").split()[0]
    said = (
        f"Claude Code {version} refuses settings with a hook on PostToolUseFailure, which is left out."
        " Update it to 2.1.101 or newer, then run memtui enable again."
    )
    assert (result.stderr.splitlines()[0] == said) is not is_taken
    assert settings(home).read_text() == before or not is_taken
    shown = run(enable, "--list").stdout.splitlines()[1].split()
    assert shown[:3] == ["claude-code", "yes", "yes"]
    assert " ".join(shown[3:]) == ("yes –" if is_taken else "7 of 8 –")


def test_it_is_said_what_is_left_to_do(home: Path) -> None:
    result = run(enable, "codex", "--yes")
    assert result.stderr.splitlines()[-1] == (
        "Codex runs new hooks only after you have trusted them: /hooks in a session."
    )
