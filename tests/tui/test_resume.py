"""Resuming a session in its agent: what would run is shown first, and nothing runs without a yes."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from textual.widgets import Static

from memtui.browse.screen import BrowseScreen
from memtui.screens.confirm import ConfirmScreen
from memtui.screens.help.action_list import ActionList
from memtui_core.index import Index
from memtui_core.readers.registry import resume_command
from support.indexes import update
from support.screens import TO_TERMINAL, app_on, settled
from support.systems import unix_only
from support.transcripts import SESSION, Script

pytestmark = unix_only


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of one session in a folder that is there, and an agent that can be started."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "my shop").mkdir()
    script = Script(cwd=str(tmp_path / "my shop"))
    script.user("Round the prices")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return tmp_path / "data"


async def test_the_command_and_its_folder_are_shown_and_a_no_starts_nothing(work: Path, tmp_path: Path) -> None:
    folder = tmp_path / "my shop"
    for no in ("escape", "q"):
        async with app_on(work).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await pilot.press("j", "enter")
            await settled(pilot)
            await pilot.press("r")
            await settled(pilot)
            screen = pilot.app.screen
            assert isinstance(screen, ConfirmScreen)
            said = [str(one.content) for one in screen.query(Static)]
            assert said == [f"claude --resume {SESSION}", f"in {folder}", "enter start · y copy · esc cancel"]
            assert pilot.app.clipboard == ""
            await pilot.press("y")
            assert pilot.app.clipboard == f"cd {shlex.quote(str(folder))} && claude --resume {SESSION}"
            assert isinstance(pilot.app.screen, ConfirmScreen)
            await pilot.press(no)
            await settled(pilot)
            assert isinstance(pilot.app.screen, BrowseScreen)
            assert [one.message for one in pilot.app._notifications] == [f"The command copied · {TO_TERMINAL}"]


async def test_help_lists_the_keys_of_the_confirmation_and_runs_them(work: Path) -> None:
    async with app_on(work).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for key in ("j", "enter", "r", "f1"):
            await pilot.press(key)
            await settled(pilot)
        rows = pilot.app.screen.query_one(ActionList)
        assert [" ".join(str(one.prompt).split()) for one in rows.options] == [
            "This screen",
            "enter Start Start the command",
            "y Copy Copy the command",
            "q esc Cancel Go back without starting it",
            "? f1 Keys Show all keys of this screen",
        ]
        await pilot.press("question_mark", "question_mark", *"copy", "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert pilot.app.clipboard.endswith(f"claude --resume {SESSION}")


async def test_enter_starts_it(work: Path) -> None:
    async with app_on(work).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter")
        await settled(pilot)
        await pilot.press("r", "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, BrowseScreen)
        # A test has no terminal that could be left.
        assert [one.title for one in pilot.app._notifications] == ["This terminal cannot run another program"]


def test_an_id_that_would_be_an_option_is_not_resumed(tmp_path: Path) -> None:
    commands = {}
    for session_id in (SESSION, "--dangerously-skip-permissions"):
        script = Script(session_id, prefix=session_id[:3])
        script.user("Hello")
        script.write(tmp_path / "src", f"{session_id.strip('-')}.jsonl")
    update(tmp_path / "data", tmp_path / "src")
    for session in Index.open(tmp_path / "data").sessions():
        commands[session.session_id] = resume_command(session)
    assert commands == {SESSION: ["claude", "--resume", SESSION], "--dangerously-skip-permissions": None}
