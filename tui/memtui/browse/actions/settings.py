"""The controller of the settings: opens them in the user's editor, and uses what can be changed while the app runs."""

from __future__ import annotations

import shlex
from typing import Final, Protocol, cast

from textual.screen import Screen

from memtui.browse.actions.programs import ProgramRunner
from memtui.keys.actions import Action
from memtui.keys.declarations import Key
from memtui.settings.config import Config, ConfigError, load_config, settings_text
from memtui.system.editor import editor_command
from memtui_core.system import locations

_KEY: Final = Key(
    "", "edit_settings", "Settings", "Edit the settings in your editor", "settings",
    synonyms="config configuration preferences options toml keymap exclude", likely=10,
)  # fmt: skip
"""An action without a key."""


class _LooksAs(Protocol):
    def look_as(self, config: Config) -> None:
        """Use the keymap and the theme of changed settings."""


class SettingsEditor:
    """Edits the settings file, and says what is wrong with it."""

    def __init__(self, screen: Screen[None], programs: ProgramRunner) -> None:
        self._screen = screen
        self._programs = programs
        self._line: int | None = None
        """Where the first mistake was, after the last time."""

    def actions(self) -> list[Action]:
        """The action of the palette."""
        return [Action(_KEY, self._screen)]

    def action_edit_settings(self) -> None:
        """Open the settings file, which is created if there is none, and use what was changed."""
        from memtui.browse.actions.settings_file import prepare

        path = locations.config_file()
        command = editor_command(path, self._line, waits=True)
        if command is None:
            self._screen.notify("Set $EDITOR to the command of your editor.", title="No editor was found")
            return
        try:
            prepare(path)
            before = settings_text(path)
        except (OSError, ConfigError) as error:
            self._screen.notify(str(error), title="The settings cannot be edited", severity="error", markup=False)
            return
        self._programs.run(command, path.parent, shlex.join(command))
        self.use_changes(before)

    def use_changes(self, before: str | None) -> None:
        """Use the theme and the keys of the settings if they are not as before, and say what is wrong with them."""
        from memtui.browse.actions.settings_file import mistakes_in_file

        path = locations.config_file()
        try:
            if settings_text(path) == before:
                return
            mistakes = mistakes_in_file(path)
        except ConfigError as error:
            self._screen.notify(str(error), title="Settings", severity="error", timeout=20, markup=False)
            return
        self._line = mistakes[0].line if mistakes else None
        if all(mistake.is_ignored for mistake in mistakes):
            cast("_LooksAs", self._screen.app).look_as(load_config(path))
        if mistakes:
            text = "\n".join(mistake.at(path) for mistake in mistakes)
            self._screen.notify(text, title="Settings", severity="warning", timeout=20, markup=False)
        else:
            self._screen.notify("Theme and keys are used now, the other settings from the next start.")
