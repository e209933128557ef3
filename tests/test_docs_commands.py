"""Every command that the documents show runs on the sample sessions, and prints what they say."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from memtui.cli import cli
from memtui_core import Index
from support.doc_pages import PAGES, ROOT, ShellBlock, blocks, is_shown, shell_blocks
from support.indexes import embed, review, update
from support.made_once import MadeOnce
from support.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are those of a POSIX shell")
APPS: Final = {"memtui": "shop-api", "memtui open": "Fix flaky uploads"}
"""Commands that open the app, and what it shows then."""
_PRINT: Final = (
    "annotations",
    "compactions",
    "decisions",
    "files",
    "project",
    "prs",
    "recall",
    "search",
    "show",
    "stats",
    "timeline",
)
"""Commands that print nothing only if there is nothing of what they were asked for."""
_OWN_PROCESS: Final = ("hook", "mcp")
"""Commands that end their process themselves."""
_CODE = re.compile(r"#.*\bends with (\d)\b")
_SESSION = re.compile(
    r"\b((?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?)\b(?::(\d+)(?:-(\d+))?)?"
)
"""The id of a session, or its beginning, and turns of it, as the documents write them."""


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def run_blocks(page: Path) -> list[ShellBlock]:
    return [block for block in shell_blocks(text_of(page)) if not block.reason]


def without_comment(line: str) -> str:
    return re.sub(r"\s#\s.*", "", line).strip()


def opened(line: str) -> str:
    """What the app shows that a line opens; empty if it opens none."""
    command = without_comment(line)
    return APPS.get("memtui open" if command.startswith("memtui open ") else command, "")


@pytest.fixture(scope="module")
def every_sample(made_once: MadeOnce) -> Path:
    """Data folder of an index of the sample sessions of all agents; read only."""

    def make(folder: Path) -> None:
        update(folder, ROOT / "sample_sessions", agent=None)
        embed(folder)
        review(folder)

    return made_once.folder("every_sample", make)


class Shell:
    """Runs the commands of a page in a folder of its own, on a copy of the index."""

    def __init__(self, folder: Path, index: Path) -> None:
        self.folder = folder / "work"
        self.data = folder / "data"
        self.folder.mkdir()
        shutil.copytree(index, self.data)
        program = folder / "bin" / "memtui"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memtui "$@"\n')
        program.chmod(0o700)
        self.environment = os.environ | {
            "MEMTUI_DATA_DIR": str(self.data),
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "TERM": "xterm-256color",
        }

    def run(self, line: str) -> tuple[int, str, str]:
        """The exit code, what was printed, and what was said on standard error."""
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        tokens = list(lexer)
        is_plain = tokens[0] == "memtui" and not any(set(token) <= set("|&;<>()") for token in tokens if token)
        arguments = shlex.split(line, comments=True)[1:]
        if is_plain and "$" not in line and not set(arguments[:1]).intersection(_OWN_PROCESS):
            return self.in_process(arguments)
        run = subprocess.run(
            ["sh", "-c", line],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
        )
        return run.returncode, run.stdout, run.stderr

    def in_process(self, arguments: list[str]) -> tuple[int, str, str]:
        result = CliRunner().invoke(cli, arguments, env=self.environment, prog_name="memtui")
        if "Cannot ask" in result.stderr:
            result = CliRunner().invoke(cli, [*arguments, "--yes"], env=self.environment, prog_name="memtui")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def shell(tmp_path: Path, every_sample: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    made = Shell(tmp_path, every_sample)
    monkeypatch.chdir(made.folder)
    return made


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_and_print_what_it_shows(page: Path, shell: Shell) -> None:
    failures = []
    for block in run_blocks(page):
        printed = ""
        for line in block.commands:
            if opened(line):
                continue
            code, output, said = shell.run(line)
            printed += output
            expected = int(named[1]) if (named := _CODE.search(line)) else 0
            if code != expected or (not output and line.split()[1] in _PRINT):
                failures.append(f"{page.name}:{block.line}: {line} ends with {code}: {output[-300:]} {said[-300:]}")
        lines = [line.rstrip() for line in printed.splitlines()]
        if block.output is not None and not is_shown(lines, block.output):
            failures.append(f"{page.name}:{block.line} shows what is not printed:\n{printed}")
    assert failures == []


def test_the_app_that_a_page_opens_starts_and_ends(shell: Shell) -> None:
    shown = {without_comment(line) for page in PAGES for block in run_blocks(page) for line in block.commands}
    apps = [line for line in sorted(shown) if opened(line)]
    assert {" ".join(line.split()[:2]) for line in apps} == set(APPS)
    for line in apps:
        app = Terminal(["sh", "-c", line], shell.environment, (140, 40))
        try:
            app.until_shown(opened(line))
            app.type("q")
            assert app.end()[0] == 0, line
        finally:
            app.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_block_of_commands_is_run_or_says_why_not(page: Path) -> None:
    neither = [
        f"{page.name}:{block.line}: {line}"
        for block in run_blocks(page)
        for line in block.commands
        if re.search(r"\bmemtui\b", line) is None
    ]
    unmarked = [
        f"{page.name}:{block.line}: {line}"
        for block in blocks(text_of(page))
        if block.language == ""
        for line in block.lines
        if line.startswith("memtui ")
    ]
    assert (neither, unmarked) == ([], [])


def test_sessions_that_the_pages_name_are_those_of_the_samples(every_sample: Path) -> None:
    index = Index.open(every_sample)
    sessions = index.sessions.all()
    sessions = [*sessions, *(each for session in sessions for each in index.sessions.subagents(session.key))]
    named = {
        (page.name, *match.groups())
        for page in PAGES
        for block in shell_blocks(text_of(page))
        for line in block.commands
        for match in _SESSION.finditer(line)
    }
    assert {("shell.md", "db9cde85", "5", None), ("handoff.md", "db9cde85", "5", "13")} <= named
    wrong = {
        (page, name, first, last)
        for page, name, first, last in named
        if not any(
            session.session_id.startswith(name) and int(last or first or 0) <= session.turns for session in sessions
        )
    }
    assert wrong == set()


@pytest.mark.parametrize(
    ("shown", "is_right"),
    [
        (["a", "b", "c"], True),
        (["a", "b"], False),
        (["b", "c"], False),
        (["a", "…"], True),
        (["b", "…"], False),
        (["…", "c"], True),
        (["…", "b"], False),
        (["…", "b", "…"], True),
        (["a", "…", "c"], True),
        (["a", "c", "…"], False),
        (["c", "…", "a"], False),
        (["a", "…", "a"], False),
        (["…"], True),
    ],
)
def test_an_output_may_be_shown_with_gaps(shown: list[str], is_right: bool) -> None:
    assert is_shown(["a", "b", "c"], shown) is is_right
