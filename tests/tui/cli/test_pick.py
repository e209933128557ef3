"""`memtui pick` and `memtui open`: the app as a chooser for other programs, and at a turn that a link names."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.app import MemtuiApp
from memtui.browse.screen import BrowseScreen
from memtui.cli import cli
from memtui.settings.config import Config
from memtui.views.sessions.tree import SessionTree
from memtui.widgets.requests.target import AppStart, Target
from memtui_core.index.index import Index
from support.indexes import update
from support.screens import settled
from support.terminal import Terminal
from support.transcripts import OTHER_SESSION, SESSION, Script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of two turns, and one of another project that is newer."""
    folder = tmp_path_factory.mktemp("pick")
    script = Script(SESSION)
    script.user("Fix the upload")
    script.says("Done.")
    script.user("And the heron")
    script.write(folder / "src")
    other = Script(OTHER_SESSION, cwd="/home/ana/code/blog", prefix="o")
    other.count = 60
    other.user("Write a post")
    other.write(folder / "src")
    update(folder / "data", folder / "src")
    return folder / "data"


class Picking:
    """The command in a terminal, with its standard output in a file, as in `$(memtui pick)`."""

    def __init__(self, data: Path, folder: Path, *arguments: str) -> None:
        self._out = folder / "out"
        self._out.unlink(missing_ok=True)
        self._code = folder / "code"
        self._code.unlink(missing_ok=True)
        command = shlex.join([sys.executable, "-m", "memtui", "pick", *arguments, "--data-dir", str(data)])
        self.terminal = Terminal(
            ["sh", "-c", f"{command} > {self._out}; echo $? > {self._code}"],
            os.environ | {"TERM": "xterm-256color", "MEMTUI_CONFIG": str(folder / "none.toml")},
            (120, 30),
        )

    def answer(self, shown: str, *keys: str) -> tuple[str, str]:
        """Press keys when a text is shown; the exit code and what was printed."""
        try:
            self.terminal.until_shown(shown)
            for key in keys:
                self.terminal.type(key)
            self.terminal.until(lambda _: self._code.exists() and self._code.stat().st_size > 0)
            return self._code.read_text().strip(), self._out.read_text()
        finally:
            self.terminal.close()


def test_what_is_chosen_is_printed_and_nothing_else(data: Path, tmp_path: Path) -> None:
    """Starts the app for each case."""
    cases = {
        # From the project, to its session.
        ((), "Write a post", ("\x1b[H", "j", "\r")): ("0", f"{OTHER_SESSION}\n"),
        (("heron",), "And the", ("\r",)): ("0", f"{SESSION}\n"),
        (("--turn", "heron"), "And the", ("\r",)): ("0", f"{SESSION}:2\n"),
        ((), "Write a post", ("q",)): ("1", ""),
        ((), "Write a post", ("\x1b",)): ("1", ""),
        # From the line, then from the hits, then from the list.
        (("heron",), "And the", ("\x1b", "\x1b", "\x1b")): ("1", ""),
    }
    assert {case: Picking(data, tmp_path, *case[0]).answer(case[1], *case[2]) for case in cases} == cases


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_without_an_index_or_a_terminal_it_fails(data: Path, tmp_path: Path) -> None:
    missing = run("pick", "--data-dir", str(tmp_path / "none"))
    assert (missing.exit_code, missing.stdout, "memtui index" in missing.stderr) == (1, "", True)
    piped = run("pick", "--data-dir", str(data))
    assert (piped.exit_code, piped.stdout, "needs a terminal" in piped.stderr) == (1, "", True)
    assert run("pick", "--turns").exit_code == 2


@pytest.mark.parametrize(
    ("link", "code", "message"),
    [
        ("memtui://33333333", 1, "33333333"),
        ("memtui://", 2, "SESSION"),
        (f"memtui://{SESSION}:3", 2, f"{SESSION} has 2 turns."),
        ("1111:9", 2, "1111 has 2 turns."),
        ("memtui://1111:x", 2, "names no turns"),
        # A link that leads somewhere: then only the terminal is missing.
        ("memtui://1111:2", 1, "needs a terminal"),
        ("memtui://1111%3A2/", 1, "needs a terminal"),
        ("1111", 1, "needs a terminal"),
    ],
)
def test_a_link_that_leads_nowhere_says_so(data: Path, link: str, code: int, message: str) -> None:
    result = run("open", link, "--data-dir", str(data))
    assert (result.exit_code, result.stdout, message in result.stderr) == (code, "", True), result.stderr


def test_open_shows_the_turn_in_the_transcript_and_its_session_in_the_list(data: Path) -> None:
    key = Index.open(data).sessions.find(SESSION).key

    async def opened() -> tuple[object, ...]:
        app = MemtuiApp(data, config=Config(), run_indexer=False, start=AppStart(target=Target(key, 2)))
        async with app.run_test(size=(120, 30)) as pilot:
            await settled(pilot)
            screen = app.screen
            assert isinstance(screen, BrowseScreen)
            transcript = screen.reader.transcript
            state = transcript.session, transcript.number, app.focused and app.focused.id
            await pilot.press("escape")
            await settled(pilot)
            return *state, screen.query_one(SessionTree).session

    session = Index.open(data).sessions.get(key)
    assert asyncio.run(opened()) == (session, 2, "transcript", session)
