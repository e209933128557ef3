"""`memtui config`: prints, checks, and opens the settings in a real editor."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from memtui.browse.actions.settings_file import default_settings, prepare, settings_schema
from memtui.cli import cli
from memtui.settings.documents import SCHEMA_LINE, SCHEMA_NAME, schema_text
from support.systems import unix_only
from support.terminal import CODES, Terminal

EDITOR = """#!/bin/sh
# Writes the next of some texts; the arguments are kept.
echo "$@" >> "$TEXTS/calls"
number=$(wc -l < "$TEXTS/calls" | tr -d ' ')
for file; do :; done
cat "$TEXTS/$number" > "$file"
"""


def run(*arguments: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(cli, ["config", *arguments])
    return found.exit_code, found.stdout, found.stderr


def test_it_prints_the_path_the_defaults_and_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert run("--path") == (0, f"{path}\n", "")
    assert run("--default") == (0, default_settings(), "")
    assert run("--schema") == (0, schema_text(settings_schema()), "")
    assert not path.exists()


def test_it_checks_the_file_and_ends_with_1_if_something_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert run("--check") == (0, "", f"There is no file {path}: the defaults count.\n")
    path.write_text("theme = 'nord'\n", "utf-8")
    assert run("--check") == (0, "", f"{path} has no mistakes.\n")
    path.write_text("\ufefftheme = 'nord'\n[keymap]\nsearch = 'strg+f'\nhelp = 3\n", "utf-8")
    wrong = f'{path}:4: keymap.help must be text, such as "ctrl+f,slash", and is 3.\n'
    assert run("--check") == (1, wrong, "")
    path.write_bytes(b"theme = '\xff'\n")
    code, out, said = run("--check")
    assert (code, out, said.startswith(f"memtui: {path}: 'utf-8' codec can't decode")) == (1, "", True)


def test_it_tells_the_settings_in_effect_and_where_each_comes_from(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("vectors = 'exact'\n[handoff]\n\nmax_result_chars = 5\n", "utf-8")
    code, out, _ = run("--json")
    told = {one.pop("name"): one for one in json.loads(out)}
    own = {name: one for name, one in told.items() if one["origin"] != "default"}
    assert (code, own) == (
        0,
        {
            "vectors": {"value": "exact", "default": "auto", "origin": str(path), "line": 1},
            "handoff.max_result_chars": {"value": 5, "default": 2000, "origin": str(path), "line": 4},
        },
    )
    assert told["archive"] == {"value": True, "default": True, "origin": "default", "line": None}
    path.write_text("vectors = 'hnws'\n", "utf-8")
    code, out, said = run("--json")
    assert (code, out, said.startswith(f"memtui: {path}:1: vectors must be ")) == (1, "", True)
    assert run("--check", "--json")[0] == 2


def test_without_a_terminal_it_says_where_the_file_is(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    needs = "memtui: An editor needs a terminal. "
    none = f"There is no file {path} yet: the defaults count. memtui config --default prints one to begin with.\n"
    assert run() == (1, "", needs + none)
    assert not path.exists()
    path.write_text("", "utf-8")
    there = f"The settings are in {path}; memtui config --check checks them.\n"
    assert run() == (1, "", needs + there)


def test_the_file_is_created_for_its_owner_only_and_never_again(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "config.toml"
    assert prepare(path)
    assert path.read_text("utf-8") == default_settings()
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    schema = path.with_name(SCHEMA_NAME)
    assert schema.read_text("utf-8") == schema_text(settings_schema())
    # The schema follows the version of memtui, where the file names it.
    schema.write_text("{}", "utf-8")
    path.write_text(f"{SCHEMA_LINE}\ntheme = 'nord'\n", "utf-8")
    assert not prepare(path)
    assert path.read_text("utf-8") == f"{SCHEMA_LINE}\ntheme = 'nord'\n"
    assert schema.read_text("utf-8") == schema_text(settings_schema())
    schema.unlink()
    path.write_text("theme = 'nord'\n", "utf-8")
    assert not prepare(path)
    assert not schema.exists()


def edited(tmp_path: Path, texts: Sequence[str], *answers: str) -> tuple[int, str, list[str]]:
    """Run the command with an editor that writes these texts; its exit code, what it said, and the editor's calls."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for number, text in enumerate(texts, 1):
        (folder / str(number)).write_text(text, "utf-8")
    editor = folder / "vim"
    editor.write_text(EDITOR, "utf-8")
    editor.chmod(0o755)
    environment = os.environ | {"TERM": "xterm-256color", "VISUAL": str(editor), "TEXTS": str(folder)}
    terminal = Terminal([sys.executable, "-m", "memtui", "config"], environment, (200, 24))
    try:
        for answer in answers:
            terminal.until_shown("Edit it again? [Y/n]:")
            terminal.type(answer)
        code, written = terminal.end()
    finally:
        terminal.close()
    calls = folder / "calls"
    told = CODES.sub(b"", written).decode().replace("\r\n", "\n")
    return code, told, calls.read_text("utf-8").splitlines() if calls.exists() else []


@unix_only
def test_it_opens_the_editor_at_the_mistake_until_there_is_none(tmp_path: Path) -> None:
    """It starts memtui and three editors in a terminal."""
    path = tmp_path / "config.toml"
    wrong = "theme = 'nord'\nvectors = 'hnws'\n"
    code, told, calls = edited(tmp_path, [wrong, "x = \n", "theme = 'nord'\n"], "\r", "y\r")
    assert (code, calls) == (0, [str(path), f"+2 {path}", f"+1 {path}"])
    assert [line for line in told.splitlines() if "Edit it again?" not in line and line] == [
        f"Created {path}.",
        f'{path}:2: vectors must be "auto", "hnsw" or "exact", and is "hnws". Did you mean hnsw?',
        f"{path}:1: Invalid value (at line 1, column 5)",
        f"{path} has no mistakes. A running app uses it from its next start.",
    ]
    assert path.read_text("utf-8") == "theme = 'nord'\n"


@unix_only
def test_a_file_may_be_left_with_its_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("archive = true\n", "utf-8")
    code, told, calls = edited(tmp_path, ["thme = 'nord'\n"], "n\r")
    assert (code, calls, "Created" in told) == (1, [str(path)], False)
    assert path.read_text("utf-8") == "thme = 'nord'\n"


@unix_only
def test_a_link_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").symlink_to(tmp_path / "elsewhere.toml")
    code, told, calls = edited(tmp_path, ["theme = 'nord'\n"])
    assert (code, calls) == (1, [])
    assert f"{tmp_path}/config.toml is a link to {tmp_path}/elsewhere.toml, which does not exist." in told


@unix_only
@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"VISUAL": "/nonexistent/vim"}, "memtui: The editor /nonexistent/vim cannot be started: No such file or"),
        ({"VISUAL": "false"}, "memtui: The editor false ended with 1; nothing was checked."),
        ({"VISUAL": "", "EDITOR": "", "PATH": "/nonexistent"}, "memtui: No editor was found. Set $EDITOR"),
    ],
)
def test_an_editor_that_is_missing_or_fails_is_named(tmp_path: Path, variables: dict[str, str], said: str) -> None:
    terminal = Terminal([sys.executable, "-m", "memtui", "config"], os.environ | variables, (200, 24))
    try:
        code, written = terminal.end()
    finally:
        terminal.close()
    assert said in CODES.sub(b"", written).decode()
    assert code == 1
