"""A terminal that goes away while the app is in it: each test starts the app, which starts its indexer."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.systems import unix_only
from support.terminal import Terminal
from support.transcripts import Script

pytestmark = unix_only


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """The app in a terminal, with its indexer; the editor writes to `saved` what it reads from the FIFO `typed`."""
    (tmp_path / "notes.txt").touch()
    script = Script(cwd=str(tmp_path))
    script.user("Find the walrus in the upload")
    script.calls("Write", {"file_path": str(tmp_path / "notes.txt"), "content": "walrus"})
    script.result("done")
    source = script.write(tmp_path / "src").parent
    os.mkfifo(tmp_path / "typed")
    editor = tmp_path / "vim"
    editor.write_text(f"#!/bin/sh\necho editing\ncat {tmp_path}/typed > {tmp_path}/saved\n")
    editor.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "VISUAL"} | {
        "EDITOR": str(editor),
        "TERM": "xterm-256color",
        "COLUMNS": "128",
        "LINES": "24",
    }
    arguments = ["--data-dir", str(tmp_path / "data"), "--source", str(source)]
    shown = Terminal([sys.executable, "-m", "memtui", *arguments], environment)
    yield shown
    shown.close()


def log(tmp_path: Path) -> list[str]:
    """The log without times and processes."""
    return [line.partition("] ")[2] for line in (tmp_path / "data" / "memtui.log").read_text("utf-8").splitlines()]


def test_the_app_ends_with_its_indexer_when_the_terminal_is_gone(terminal: Terminal, tmp_path: Path) -> None:
    """The app and its indexer are two processes that load all that they need."""
    terminal.until_shown("Find the walrus")
    terminal.hang_up()
    assert terminal.exit_code() == 1
    # The indexer is in the process group of the app.
    with pytest.raises(ProcessLookupError):
        os.killpg(terminal.process.pid, 0)
    assert log(tmp_path) == ["The terminal is gone."]


def test_the_app_ends_while_it_waits_for_a_terminal_that_is_gone(terminal: Terminal, tmp_path: Path) -> None:
    """The app draws until its terminal takes no more."""
    terminal.until_shown("Find the walrus")
    terminal.stall("?" * 60)
    terminal.hang_up()
    assert terminal.exit_code() == 1
    assert log(tmp_path) == ["The terminal is gone."]


def test_a_program_in_a_terminal_that_is_gone_ends_by_itself_and_the_app_after_it(
    terminal: Terminal, tmp_path: Path
) -> None:
    """The app, its indexer and an editor are processes of their own."""
    terminal.until_shown("Find the walrus")
    terminal.type("2")
    terminal.until_shown("notes.txt")
    terminal.type("o")
    terminal.until_shown("editing")
    terminal.hang_up()
    (tmp_path / "typed").write_text("of the walrus")
    assert terminal.exit_code() == 1
    assert (tmp_path / "saved").read_text() == "of the walrus"
    assert log(tmp_path) == ["The terminal is gone."]


@pytest.mark.parametrize(("name", "logged"), [("SIGHUP", "The terminal is gone."), ("SIGTERM", "Asked to end.")])
def test_a_signal_ends_the_app_with_its_indexer(terminal: Terminal, tmp_path: Path, name: str, logged: str) -> None:
    """The app and its indexer are two processes that load all that they need."""
    terminal.until_shown("Find the walrus")
    terminal.process.send_signal(signal.Signals[name])
    assert terminal.exit_code() == 1
    with pytest.raises(ProcessLookupError):
        os.killpg(terminal.process.pid, 0)
    assert log(tmp_path) == [logged]


def test_the_folder_of_a_demo_is_removed_when_its_terminal_is_closed(tmp_path: Path) -> None:
    """The samples are indexed."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    app = Terminal([sys.executable, "-m", "memtui", "demo"], environment, (100, 30))
    app.until_shown("Fix flaky uploads")
    assert [path.name.startswith("memtui-demo-") for path in tmp_path.iterdir()] == [True]
    app.process.send_signal(signal.Signals["SIGHUP"])
    assert app.exit_code() == 1
    app.close()
    assert [*tmp_path.iterdir()] == []
