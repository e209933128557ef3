"""Terminals in which the app cannot be shown: one sentence says why, and what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memtui.system.terminals import LEAST_SIZE, obstacle
from support.systems import unix_only
from support.terminal import CODES, Terminal

DUMB = (
    "The app needs a terminal that can move the cursor, and TERM is dumb. Start it in another terminal, or set TERM if"
    " yours can, such as TERM=xterm-256color. The commands work here, too: memtui --help"
)
LATIN = (
    "The app needs UTF-8, and this terminal is set to iso8859-1. Choose a locale with UTF-8, such as LC_ALL=C.UTF-8, or"
    " set PYTHONUTF8=1 if the terminal shows UTF-8 all the same."
)
SMALL = "The terminal has 30 columns and 24 rows, and the app needs 40 and 10. Make it larger, or its font smaller."


@unix_only
@pytest.mark.parametrize(
    ("environment", "encoding", "size", "said"),
    [
        ({"TERM": "xterm-256color"}, "utf-8", (80, 24), ""),
        ({}, "UTF8", (0, 0), ""),
        ({"TERM": "dumb"}, "utf-8", (80, 24), DUMB),
        ({"TERM": "xterm"}, "iso8859-1", (80, 24), LATIN),
        ({"TERM": "xterm"}, "utf-8", (30, 24), SMALL),
        ({"TERM": "xterm"}, "utf-8", (80, 9), SMALL.replace("30 columns and 24", "80 columns and 9")),
        ({"TERM": "xterm"}, "utf-8", LEAST_SIZE, ""),
    ],
)
def test_what_stands_in_the_way(
    environment: Mapping[str, str], encoding: str, size: tuple[int, int], said: str
) -> None:
    assert obstacle(environment, encoding, size) == said


@unix_only
@pytest.mark.parametrize(
    ("variables", "size", "said"),
    [
        ({"TERM": "dumb"}, (80, 24), DUMB),
        ({"TERM": "xterm", "PYTHONIOENCODING": "iso8859-1"}, (80, 24), LATIN),
        ({"TERM": "xterm"}, (30, 24), SMALL),
    ],
)
def test_the_app_is_not_started_where_it_cannot_be_shown(
    variables: Mapping[str, str], size: tuple[int, int], said: str, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    (tmp_path / "none").mkdir()
    arguments = ["--data-dir", str(folder), "--source", str(tmp_path / "none")]
    terminal = Terminal([sys.executable, "-m", "memtui", *arguments], os.environ | variables, size)
    try:
        code, written = terminal.end()
    finally:
        terminal.close()
    assert (code, written.decode()) == (1, f"memtui: {said}\r\n")
    assert not folder.exists()


@unix_only
@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LANG": "C", "LC_ALL": ""}])
def test_the_plain_locale_is_no_obstacle(locale: Mapping[str, str], sample_index: Path, tmp_path: Path) -> None:
    """It starts the app in a terminal; Python takes the plain locale for one with UTF-8."""
    environment = os.environ | {"TERM": "xterm-256color", "LANG": "C", **locale}
    environment = {name: value for name, value in environment.items() if name not in ("PYTHONUTF8", "LC_CTYPE")}
    data = tmp_path / "data"
    arguments = ["--data-dir", str(data), "--source", str(sample_index)]
    terminal = Terminal([sys.executable, "-m", "memtui", *arguments], environment, (80, 24))
    try:
        terminal.until(lambda written: "●".encode() in written or b"No sessions" in CODES.sub(b"", written))
        terminal.type("\x11")
        assert terminal.end()[0] == 0
    finally:
        terminal.close()
