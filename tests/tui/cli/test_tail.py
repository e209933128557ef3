"""`memtui tail`, in a terminal and into a pipe, while a session grows that a real indexer reads."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.indexes import update
from support.terminal import CODES, Terminal
from support.transcripts import SESSION, Script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal and signals")
EVIL = "\x1b]0;owned\x07\x1b[2J"


class Session:
    """A session of an agent that writes its transcript, and the command that follows it."""

    def __init__(self, folder: Path) -> None:
        self.script = Script(cwd=str(folder))
        self.source, self.data, self.folder = folder / "source", folder / "data", folder
        self.script.user("Fix the upload")
        self.script.says("First answer.")
        self.script.user("And log it")
        self.script.says(f"Second {EVIL}answer.")
        self.write()
        update(self.data, self.source)

    def write(self) -> None:
        """Write what was added."""
        self.script.write(self.source)

    def command(self, *arguments: str) -> list[str]:
        """The command, which reads only this transcript."""
        options = ["--source", str(self.source), "--data-dir", str(self.data)]
        return [sys.executable, "-m", "memtui", "tail", *arguments, *options]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


@pytest.fixture
def terminal(session: Session, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    """The command in a terminal, started in the folder of the session, with the arguments of the test."""
    opened = Terminal(session.command(*request.param), os.environ | {"TERM": "xterm-256color"}, (80, 24))
    yield opened
    opened.close()


def text(terminal: Terminal) -> str:
    """All that was written, without the sequences that set colours."""
    return CODES.sub(b"", terminal.all).decode().replace("\r\n", "\n")


@pytest.mark.parametrize("terminal", [(SESSION[:8], "-n", "1")], indirect=True)
def test_it_prints_the_last_turns_and_what_is_written_then_and_ends_by_ctrl_c(
    session: Session, terminal: Terminal
) -> None:
    terminal.until_shown("answer.")
    assert "First answer." not in text(terminal)
    session.script.calls("Bash", {"command": "pytest -q"}, "t1")
    session.write()
    terminal.until_shown("pytest -q")
    session.script.result("17 passed", "t1")
    session.script.user("Thanks")
    session.script.says("Third answer.")
    session.write()
    terminal.until_shown("Third answer.")
    shown = text(terminal)
    # Nothing is printed twice, but for a call that was running, and a turn has one head.
    assert [" ".join(line.split()) for line in re.findall("▸ Bash  pytest -q.*", shown)] == [
        "▸ Bash pytest -q …",
        "▸ Bash pytest -q 10 s",
    ]
    for once in ("Second", f"── {SESSION}:2 ──", f"── {SESSION}:3 ──", "And log it", "Thanks"):
        assert shown.count(once) == 1, shown
    assert shown.index("pytest -q") < shown.index("Thanks") < shown.index("Third answer.")
    # Nothing of a transcript acts on the terminal.
    assert b"\x1b]0;" not in terminal.all
    assert b"\x1b[2J" not in terminal.all
    os.killpg(terminal.process.pid, signal.SIGINT)
    code, _ = terminal.end()
    assert (code, "Traceback" in text(terminal)) == (0, False)


@pytest.mark.parametrize("terminal", [(SESSION, "-n", "0")], indirect=True)
def test_without_turns_it_prints_only_what_is_written_then(session: Session, terminal: Terminal) -> None:
    terminal.rest()
    session.script.user("Go on")
    session.write()
    terminal.until_shown("Go on")
    assert "answer" not in text(terminal)


def test_it_ends_when_nobody_reads_what_it_prints(session: Session) -> None:
    with subprocess.Popen(
        session.command(SESSION), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while (line := process.stdout.readline()) and b"answer." not in line:
            pass
        process.stdout.close()
        assert (process.wait(60), process.stderr.read()) == (0, b"")


def test_without_a_name_it_follows_the_newest_session_of_the_project_of_the_folder(session: Session) -> None:
    newer = Script("2" + SESSION[1:], str(session.folder), "n")
    newer.count = 1000
    newer.user("The newest prompt")
    newer.write(session.source)
    with subprocess.Popen(
        session.command(), cwd=session.folder, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        while (line := process.stdout.readline()) and b"The newest prompt" not in line:
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_a_folder_without_sessions_is_said(session: Session, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    run = subprocess.run(session.command(), cwd=elsewhere, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (1, "")
    assert "memtui sessions lists them" in run.stderr
