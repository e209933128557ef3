"""The settings are edited from the palette: theme and keys count at once, and mistakes are said."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from memtui.app import MemtuiApp
from memtui.browse.actions.settings_file import default_settings
from memtui.browse.screen import BrowseScreen
from memtui.screens.confirm import ConfirmScreen
from memtui.settings.config import Config
from support.screens import notices, settled
from support.systems import unix_only
from support.terminal import Terminal


@unix_only
def test_a_key_that_is_set_in_the_editor_works_when_it_is_closed(sample_index: Path, tmp_path: Path) -> None:
    """It starts the app and an editor in a terminal."""
    data = tmp_path / "data"
    shutil.copytree(sample_index, data)
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf \'[keymap]\\nquit = "f9"\\n\' > "$1"\n', "utf-8")
    editor.chmod(0o755)
    code = (
        "import sys; from pathlib import Path; from memtui.app import MemtuiApp;"
        " MemtuiApp(Path(sys.argv[1]), run_indexer=False).run()"
    )
    environment = os.environ | {"TERM": "xterm-256color", "EDITOR": str(editor)}
    app = Terminal([sys.executable, "-c", code, str(data)], environment, (140, 40))
    try:
        app.until_shown("Fix flaky uploads")
        app.type("\x10")
        app.type("edit the settings")
        app.type("\r")
        app.until_shown("the other settings from the next start")
        app.type("\x1b[20~")
        assert app.end()[0] == 0
    finally:
        app.close()
    assert (tmp_path / "config.toml").read_text("utf-8") == '[keymap]\nquit = "f9"\n'


async def test_theme_and_mistakes_are_used_and_said(sample_index: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    app = MemtuiApp(sample_index, config=Config(theme="textual-dark"), run_indexer=False)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, BrowseScreen)

        async def changed(text: str) -> list[str]:
            app.clear_notifications()
            path.write_text(text, "utf-8")
            screen.settings.use_changes("")
            await settled(pilot)
            return [line for toast in app._notifications for line in toast.message.splitlines()]

        assert await changed("theme = 'nord'\n") == []
        assert notices(pilot) == ["Theme and keys are used now, the other settings from the next start."]
        assert app.theme == "nord"
        # What is only ignored does not keep the rest from being used.
        assert await changed("thme = 'x'\ntheme = 'gruvbox'\n") == [
            f"{path}:1: there is no setting 'thme'; it is ignored. Did you mean theme?"
        ]
        assert app.theme == "gruvbox"
        assert await changed("theme = 'nord'\narchive = 3\n") == [f"{path}:2: archive must be true or false, and is 3."]
        assert app.theme == "gruvbox"
        assert await changed("") == []


async def test_without_a_terminal_to_leave_the_command_is_shown(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "vim")
    app = MemtuiApp(sample_index, config=Config(theme="textual-dark"), run_indexer=False)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"settings", "enter")
        await settled(pilot)
        assert isinstance(app.screen, ConfirmScreen)
        await pilot.press("y")
        path = tmp_path / "config.toml"
        assert app.clipboard == shlex.join(["vim", str(path)])
        assert path.read_text("utf-8") == default_settings()
