"""What commands write to a terminal: colours, lines as wide as it is, and none of both elsewhere."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from memtui.cli import cli
from memtui.cli.output import coloured
from memtui.widgets.lines.view import LineView
from support import several_commands
from support.indexes import update
from support.several_commands import ENDED
from support.terminal import CODES, Terminal
from support.transcripts import SESSION, Script

WORDS = " ".join(f"word{number}" for number in range(20))
COMMANDS = (
    ("show", f"{SESSION}:1"),
    ("search", '"retry"', "--limit", "1"),
    ("files",),
    ("files", "--sessions"),
    ("stats",),
    ("compactions", SESSION),
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a session with thinking, an edit and a compaction; read only."""
    folder = tmp_path_factory.mktemp("colours")
    script = Script()
    script.user("Please retry the upload")
    script.thinks("hmm")
    path = "/home/ana/code/shop/src/upload.py"
    script.calls("Edit", {"file_path": path, "old_string": "def a():\n    x = 1", "new_string": "def a():\n    x = 2"})
    script.result("changed the file")
    script.says(WORDS)
    script.compacts("It was about the upload.")
    script.user("Go on")
    script.write(folder / "src")
    update(folder / "data", folder / "src")
    return folder / "data"


def in_a_terminal(data: Path, *commands: tuple[str, ...], **environment: str) -> list[str]:
    """What each command writes to a terminal of 60 columns, in one process."""
    calls = [[*command, "--data-dir", str(data)] for command in commands]
    kept = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES", "NO_COLOR", "PAGER"}}
    own = kept | {"TERM": "xterm-256color", "PAGER": "cat"} | environment
    terminal = Terminal([sys.executable, several_commands.__file__, json.dumps(calls)], own, (60, 24))
    try:
        code, written = terminal.end()
    finally:
        terminal.close()
    assert code == 0
    text = written.decode().replace("\r\n", "\n")
    return re.split(rf"{ENDED}0\n", text)[:-1]


def in_a_pipe(data: Path, *command: str) -> str:
    result = CliRunner().invoke(cli, [*command, "--data-dir", str(data)])
    assert result.exit_code == 0
    return result.stdout


def without_codes(text: str) -> str:
    return CODES.sub(b"", text.encode()).decode()


@pytest.mark.spec("S5.3")
def test_a_terminal_gets_an_edit_as_a_coloured_diff_and_lines_of_its_width(data: Path) -> None:
    [shown] = in_a_terminal(data, ("show", f"{SESSION}:1", "--full"))
    lines = shown.splitlines()
    start = next(number for number, line in enumerate(lines) if "Edit" in line)
    assert lines[start - 2 : start + 5] == [
        "      \x1b[2;3mhmm\x1b[0m",
        "",
        "    \x1b[35m▾ \x1b[0m\x1b[35mEdit\x1b[0m  src/upload.py  \x1b[32m+1\x1b[0m\x1b[31m −1\x1b[0m",
        "        def a():",
        "      \x1b[31m− \x1b[0m\x1b[31m    x = 1\x1b[0m",
        "      \x1b[32m+ \x1b[0m\x1b[32m    x = 2\x1b[0m",
        "",
    ]
    widths = [len(without_codes(line)) for line in lines if "word" in line]
    assert (len(widths) > 1, max(widths) <= 60) == (True, True)
    assert " ".join(without_codes(line).strip() for line in lines if "word" in line) == WORDS


@pytest.mark.spec("S5.3")
def test_a_terminal_gets_a_session_in_lines_of_its_width(tmp_path: Path) -> None:
    script = Script()
    script.user("Why does the upload fail?")
    for name in ("upload", "store"):
        script.calls("Read", {"file_path": f"/home/ana/code/shop/src/{name}.py"}, name)
        script.result("     1\u2192x = 1", name)
    script.calls("Bash", {"command": "pytest -q tests/test_upload.py", "description": "Run the tests of it"}, "run")
    script.result("Exit code 1\nE   ValueError: no upload", "run", error=True)
    script.says("**It** fails, because `x` is a number of which nobody knows why it is there:\n\n- one\n- two")
    script.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    [shown] = in_a_terminal(tmp_path / "data", ("show", SESSION))
    at = "1 Nov 2026 09:00"
    assert without_codes(shown).rstrip().splitlines() == [
        "Why does the upload fail?",
        f"shop · Claude Code · branch main · {at}–09:01",
        "1 turn · 3 tools",
        "40 in · 20 out · under $0.01 · prices of 15 Feb 2026 · 1 min",
        "of work in 1 m 10 s",
        SESSION,
        "",
        f"── {SESSION}:1 ──────────────────",
        f"1 ● you  {at}",
        "    Why does the upload fail?",
        "",
        "  ○ claude  09:00 · 1 m 10 s · 3 tools · 20 tok · ✗ 1",
        "    ▸ Read 2 files  upload.py, store.py",
        "    ✗ Bash  Run the tests of it                exit 1 · 10 s",
        "      $ pytest -q tests/test_upload.py",
        "      E   ValueError: no upload",
        "",
        "    It fails, because x is a number of which nobody knows",
        "    why it is there:",
        "",
        "    • one",
        "    • two",
    ]
    assert "  \x1b[1;36m○ \x1b[0m\x1b[1;36mclaude\x1b[0m" in shown
    assert "\x1b[31m✗ \x1b[0m\x1b[31mBash\x1b[0m  Run the tests of it" in shown
    assert "    \x1b[1mIt\x1b[0m fails, because \x1b[35mx\x1b[0m is" in shown


def test_other_commands_mark_titles_dates_and_matches(data: Path) -> None:
    search, files, touches, stats, compactions = in_a_terminal(data, *COMMANDS[1:])
    head, snippet = search.splitlines()[:2]
    assert re.fullmatch(
        rf"\x1b\[2m{SESSION}:\d  \x1b\[0m\x1b\[1m.+\x1b\[0m\x1b\[2m · \x1b\[0m\x1b\[2mshop · 2026-.+\x1b\[0m", head
    )
    assert snippet == "    Please \x1b[1;33mretry\x1b[0m the upload"
    table = files.splitlines()
    assert table[0].startswith("\x1b[1mpath")
    assert re.fullmatch(r"\S+ +1 +0 +1\x1b\[2m  2026-11-01 09:00\x1b\[0m", table[1])
    assert touches.startswith("\x1b[2m2026-11-01 ")
    assert stats.startswith("\x1b[1mall projects\x1b[0m\x1b[2m · ")
    assert compactions.startswith("\x1b[1mPlease retry the upload\x1b[0m\n\x1b[2m")


def test_without_colours_a_terminal_gets_the_text_of_the_pipe(data: Path) -> None:
    piped = [in_a_pipe(data, *command) for command in COMMANDS]
    assert [text for text in piped if "\x1b" in text] == []
    assert WORDS in piped[0]
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        shown = in_a_terminal(data, *COMMANDS, **environment)
        assert [text for text in shown if "\x1b" in text] == []
        assert [shown[1], *shown[3:]] == [piped[1], *piped[3:]]
        # A terminal of this width has no room for all columns of the table of files.
        assert shown[2].splitlines() == [
            "path           edited  read  sessions  last",
            "src/upload.py       1     0         1  2026-11-01 09:00",
        ]
        # In a terminal the line between two turns is as wide as that.
        assert shown[0].replace("─", "").split() == piped[0].replace("─", "").split()


def test_a_pipe_gets_all_agents_that_were_not_found_and_a_terminal_those_that_fit(data: Path) -> None:
    shown = in_a_terminal(data, ("doctor",))[0].splitlines()
    [line] = [line for line in shown if line.startswith("         not found: ")]
    whole = next(line for line in in_a_pipe(data, "doctor").splitlines() if line.startswith("         not found: "))
    assert (line, whole[-5:]) == (f"{whole[:59]}…", ", Zed")


@pytest.mark.parametrize(("less", "has_colours"), [("", True), ("-FRX", True), ("-FX", False)])
def test_less_gets_colours_unless_the_user_has_not_asked_it_to_show_them(
    data: Path, tmp_path: Path, less: str, has_colours: bool
) -> None:
    program = tmp_path / "less"
    program.write_text('#!/bin/sh\necho "LESS=$LESS"\nexec cat\n')
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    [shown] = in_a_terminal(data, ("show", SESSION), PAGER="", PATH=path, LESS=less)
    assert shown.splitlines()[0] == f"LESS={less or '-R'}"
    assert ("\x1b[1mPlease retry the upload\x1b[0m" in shown, "\x1b" in shown) == (has_colours, has_colours)


def test_json_is_the_same_in_a_terminal(data: Path) -> None:
    commands = [(*command, "--json") for command in COMMANDS]
    assert in_a_terminal(data, *commands) == [in_a_pipe(data, *command) for command in commands]


def test_every_style_of_lines_has_a_colour_in_the_shell() -> None:
    styles = set(re.findall(r"\.lines--([a-z-]+)", LineView.DEFAULT_CSS))
    moving = {"cursor", "passage", "tab", "active", "chosen", "current"}
    assert {style for style in styles - moving if coloured("x", style) == "x"} == set()
