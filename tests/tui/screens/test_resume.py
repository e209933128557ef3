"""Resuming a session in its agent: what would run is shown first, and nothing runs without a yes."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.browse.screen import BrowseScreen
from memtui.screens.confirm import ConfirmScreen
from memtui.screens.dialog import DialogBox
from memtui.screens.help.action_list import ActionList
from memtui_core.index.index import Index
from memtui_core.readers.registry import resume_command
from support.indexes import update
from support.screens import TO_TERMINAL, app_on, notices, settled
from support.systems import unix_only
from support.transcripts import SESSION, Script

pytestmark = unix_only


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of one session in the folder `my shop` beside it."""
    folder = tmp_path_factory.mktemp("resume")
    script = Script(cwd=str(folder / "my shop"))
    script.user("Round the prices")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def folder(built: Path) -> Path:
    """The folder of the session, which is there."""
    folder = built.parent / "my shop"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def work(built: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the index to write to, and an agent that can be started."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return shutil.copytree(built, tmp_path / "data")


def said(pilot: Pilot[None]) -> list[str]:
    """The texts of the confirmation, in which nothing is wider than its line."""
    screen = pilot.app.screen
    assert isinstance(screen, ConfirmScreen)
    texts = {one: str(one.content) for one in screen.query(Static)}
    assert {one: max(map(len, text.split("\n"))) for one, text in texts.items()} == {
        one: one.size.width for one in texts
    }
    return [*texts.values(), screen.query_one(DialogBox).hints.plain]


async def test_the_command_and_its_folder_are_shown_and_a_no_starts_nothing(work: Path, folder: Path) -> None:
    async with app_on(work).run_test(size=(200, 24)) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter")
        await settled(pilot)
        for no in ("escape", "q"):
            pilot.app._clipboard = ""
            await pilot.press("r")
            await settled(pilot)
            screen = pilot.app.screen
            assert isinstance(screen, ConfirmScreen)
            assert said(pilot) == [f"claude --resume {SESSION}", f"in {folder}", "enter start · y copy · esc cancel"]
            assert pilot.app.clipboard == ""
            await pilot.press("y")
            await settled(pilot)
            assert pilot.app.clipboard == f"cd {shlex.quote(str(folder))} && claude --resume {SESSION}"
            assert isinstance(pilot.app.screen, ConfirmScreen)
            assert notices(pilot) == [f"The command copied · {TO_TERMINAL}"]
            await pilot.press(no)
            await settled(pilot)
            assert isinstance(pilot.app.screen, BrowseScreen)
            assert pilot.app.is_running


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
        # A test has no terminal that could be left.
        assert said(pilot)[-2:] == ["This terminal cannot run another program.", "y copy · esc cancel"]


NO_PROGRAM = "claude is not installed."
NO_FOLDER = "The folder does not exist."


async def test_what_is_missing_is_said_and_the_command_can_be_copied_but_not_started(
    work: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude = tmp_path / "bin" / "claude"
    monkeypatch.setenv("PATH", str(claude.parent))
    async with app_on(work).run_test(size=(200, 20)) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter")
        await settled(pilot)
        for change, reason in (
            (folder.rmdir, NO_FOLDER),
            (claude.unlink, f"{NO_PROGRAM}\n{NO_FOLDER}"),
            (folder.mkdir, NO_PROGRAM),
        ):
            change()
            pilot.app._clipboard = ""
            pilot.app.clear_notifications()
            await pilot.press("r")
            await settled(pilot)
            screen = pilot.app.screen
            assert said(pilot) == [f"claude --resume {SESSION}", f"in {folder}", reason, "y copy · esc cancel"]
            await pilot.press("enter")
            await settled(pilot)
            assert (pilot.app.screen, pilot.app.clipboard) == (screen, "")
            await pilot.press("y")
            await settled(pilot)
            assert pilot.app.clipboard == f"cd {shlex.quote(str(folder))} && claude --resume {SESSION}"
            assert notices(pilot) == [f"The command copied · {TO_TERMINAL}"]
            await pilot.press("escape")
            await settled(pilot)
            assert isinstance(pilot.app.screen, BrowseScreen)


async def test_in_a_narrow_terminal_the_id_stays_whole_and_a_path_is_broken_at_its_folders(tmp_path: Path) -> None:
    folder = "/work/customers/north/warehouse/services/price-rounding/backend"
    script = Script("4f0c2f9a-6c1d-4f4e-9a55-1b2c3d4e5f60", cwd=folder)
    script.user("Round the prices")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(56, 20)) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter", "r")
        await settled(pilot)
        assert said(pilot)[:2] == [
            "claude --resume\n4f0c2f9a-6c1d-4f4e-9a55-1b2c3d4e5f60",
            "in /work/customers/north/warehouse/services/\n   price-rounding/backend",
        ]


async def test_a_folder_with_a_name_that_no_system_takes_does_not_exist(tmp_path: Path) -> None:
    script = Script(cwd=f"{tmp_path}/{'long' * 80}")
    script.user("Round the prices")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(200, 24)) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter", "r")
        await settled(pilot)
        assert said(pilot)[-2].splitlines()[-1] == NO_FOLDER


def test_an_id_that_would_be_an_option_is_not_resumed(tmp_path: Path) -> None:
    commands = {}
    for session_id in (SESSION, "--dangerously-skip-permissions"):
        script = Script(session_id, prefix=session_id[:3])
        script.user("Hello")
        script.write(tmp_path / "src", f"{session_id.strip('-')}.jsonl")
    update(tmp_path / "data", tmp_path / "src")
    for session in Index.open(tmp_path / "data").sessions.all():
        commands[session.session_id] = resume_command(session)
    assert commands == {SESSION: ["claude", "--resume", SESSION], "--dangerously-skip-permissions": None}
