"""Plain calls of commands without click do what click does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.cli import cli
from memtui.cli.commands import cli as group
from memtui.cli.direct import APP, OPTIONS, run_directly, values_of

WORDS = [
    "upload",
    '"a b"',
    "x=1",
    "3",
    "-v",
    "--",
    "-",
    "",
    "--unknown",
    "--help",
    "-h",
    "日本",
    "--limit=",
    "=",
    "--js",
]
PARTS = [*WORDS, *(name for options in OPTIONS.values() for name in options), "--limit=7", "--limit=x", "--file=a.py"]
PARTS += ["--json=1", "--data-dir=/tmp/x", "0", "1001", "-5", "٣", "--session=", "--boundary=0"]


def read_by_click(arguments: list[str]) -> dict[str, Any] | None:
    """The parameters of a command; None if they are refused, or answered with help."""
    command = group if arguments[0] == APP else group.get_command(click.Context(group), arguments[0])
    assert command is not None
    try:
        return command.make_context(arguments[0], arguments[1:]).params
    except (click.ClickException, click.exceptions.Exit):
        return None


@pytest.mark.skipif(sys.platform == "win32", reason="click reads all arguments there")
@given(st.sampled_from(sorted(OPTIONS)), st.lists(st.sampled_from(PARTS), max_size=6))
@example("recall", ["--file", "a.py", "--limit", "3", "--everywhere", "--session", "s", "--boundary", "9", "--json"])
@example("search", ["a", "--limit", "3", "b", "--data-dir", "d", "--limit=4", "--json"])
@example("files", ["--sessions", "a"])
@example("show", ["--json", "a", "--data-dir=d"])
@example(APP, [])
@example(APP, ["--source", "/", "--or-demo", "--data-dir", "d", "--source=/tmp", "--data-dir=e"])
@example(APP, ["--source", "/nowhere"])
def test_arguments_are_read_as_by_click_or_left_to_it(command: str, rest: list[str]) -> None:
    values = values_of([command, *rest] if command else rest)
    if values is not None:
        assert values == read_by_click([command, *rest])


@pytest.mark.skipif(sys.platform == "win32", reason="click reads all arguments there")
def test_plain_arguments_are_not_left_to_click() -> None:
    assert values_of(["search", "retry", "upload", "--limit", "3", "--json"]) == {
        "query": ("retry", "upload"), "limit": 3, "as_json": True, "data_dir": None,
    }  # fmt: skip
    assert values_of(["show", "5dbc:1", "--data-dir=d", "--no-tools"]) == {
        "session": "5dbc:1", "as_json": False, "data_dir": Path("d"), "no_tools": True, "no_thinking": False,
    }  # fmt: skip
    assert values_of(["files"]) == {"pattern": "", "by_turn": False, "as_json": False, "data_dir": None}
    assert values_of(["recall", "--file", "a.py", "--everywhere"]) == {
        "query": (), "file": "a.py", "session": None, "boundary": None, "everywhere": True, "limit": 5,
        "as_json": False, "data_dir": None,
    }  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="click reads all arguments there")
def test_the_app_is_opened_without_click(tmp_path: Path) -> None:
    assert values_of([]) == {"data_dir": None, "sources": (), "or_demo": False}
    assert values_of(["--or-demo", "--source", str(tmp_path), "--data-dir", "d", "--source=/"]) == {
        "data_dir": Path("d"), "sources": (tmp_path, Path("/")), "or_demo": True,
    }  # fmt: skip
    code, out, error = run("--data-dir", str(tmp_path))
    assert (code, out) == (1, "")
    assert error == "memtui: The app needs a terminal. memtui --help lists the commands that work without one.\n"


def test_what_needs_thought_is_left_to_click(monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (
        ["stats"],
        ["", "search"],
        ["--source", "/nowhere"],
        ["--data-dir", "d", "search", "a"],
        ["demo"],
        ["search"],
        ["search", "-h"],
        ["show"],
        ["show", "a", "b"],
        ["recall"],
        ["--version"],
    ):
        assert values_of(arguments) is None
    assert values_of(["recall", "a", "--file", "b"]) is None
    monkeypatch.setenv("_MEMTUI_COMPLETE", "bash_source")
    assert values_of(["search", "a"]) is None


@pytest.mark.skipif(sys.platform == "win32", reason="click runs all commands there")
@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "upload"],
        ["search", "--json", "retry the upload"],
        ["search", "zebra in:nowhere"],
        ["files"],
        ["files", "upload", "--sessions", "--json"],
        ["files", "nothing-like-it"],
        ["show", "5dbcdf60"],
        ["show", "5dbcdf60:1", "--json"],
        ["show", "5dbcdf60", "--no-tools", "--no-thinking"],
        ["recall", "--everywhere", "how is the price rounded"],
        ["recall", "--everywhere", "--file", "upload.py", "--json"],
    ],
)
def test_it_prints_what_click_prints(
    arguments: list[str], sample_index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = [*arguments, "--data-dir", str(sample_index)]
    by_click = CliRunner().invoke(cli, whole)
    assert run_directly(whole)
    printed = capsys.readouterr()
    assert (by_click.exit_code, by_click.stdout, by_click.stderr) == (0, printed.out, printed.err)


def run(*arguments: str) -> tuple[int, str, str]:
    """A command in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "memtui", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_errors_are_those_of_click(sample_index: Path, tmp_path: Path) -> None:
    folder = ("--data-dir", str(sample_index))
    code, out, error = run("show", "5dbcdf60:99", *folder)
    assert (code, out) == (2, "")
    assert error.startswith("Usage: ")
    assert error.splitlines()[-1].startswith("Error: Invalid value for SESSION: 5dbcdf60 has ")
    assert run("show", "no-such-session", *folder)[:2] == (1, "")
    missing = f"memtui: Nothing is indexed in {tmp_path} yet. Run: memtui index\n"
    assert run("search", "x", "--data-dir", str(tmp_path)) == (1, "", missing)


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe that is closed is another error there")
def test_a_reader_that_stops_reading_is_no_error(sample_index: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "memtui", "show", "5dbcdf60", "--data-dir", str(sample_index)],
            stdout=write, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
