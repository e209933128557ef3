"""The confirmation of a command before it runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from textual.app import ComposeResult
from textual.widgets import Static

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.render.clean import plain_rows
from memtui.render.rows import prefixed, wrap
from memtui.screens.dialog import Dialog, DialogBox
from memtui.widgets.requests.panes import CopyRequested

_MAX_SHOWN: Final = 300
"""Characters of a command that are shown: a hand-off is an argument of some."""


class ConfirmScreen(Dialog[bool]):
    """Shows a command and its folder; its result is True if the command is to run.

    With an `obstacle`, the reason why the command cannot run, it can only be copied.
    """

    CSS = """
    ConfirmScreen Static { width: auto; max-width: 100%; }
    ConfirmScreen #confirm-folder { color: $text-muted; }
    ConfirmScreen #confirm-obstacle { color: $text-warning; margin-top: 1; }
    """
    max_width = 200
    """A command is read best in one line."""
    BINDINGS = keys(
        "confirmation",
        Key("enter", "start", "Start", "Start the command", "confirm.start", show=True),
        Key("y", "copy", "Copy", "Copy the command", "confirm.copy", show=True),
        Key("escape,q", "leave", "Cancel", "Go back without starting it", "confirm.cancel", show=True),
        HELP_KEY,
    )

    def __init__(self, command: Sequence[str], folder: Path, shown: str, obstacle: str, machine: str = "") -> None:
        """`shown` is the text to copy: the command with a change to its folder, as a shell takes it.

        `machine` is the other machine that has the folder.
        """
        super().__init__()
        self._command = command
        self._folder = folder
        self._shown = shown
        self._obstacle = obstacle
        self._machine = machine

    def compose(self) -> ComposeResult:
        """The command, its folder, the obstacle, and the keys."""
        command = shlex.join(self._command)
        command = command if len(command) <= _MAX_SHOWN else f"{command[:_MAX_SHOWN]}…"
        program = self._command[0]
        with DialogBox(f"{program} cannot be started" if self._obstacle else f"start {program}?"):
            yield Static(self._wrapped(command), id="confirm-command", markup=False)
            place = f"on {self._machine} in " if self._machine else "in "
            yield Static(self._wrapped(str(self._folder), place), id="confirm-folder", markup=False)
            if self._obstacle:
                yield Static(self._wrapped(self._obstacle), id="confirm-obstacle", markup=False)

    def _wrapped(self, text: str, first: str = "") -> str:
        """A text with line ends where paths and ids stay whole, or else at a separator; `first` stands before it."""
        rows = prefixed(plain_rows(text), ((first, ""),), ((" " * len(first), ""),))
        lines = wrap(rows, self.text_width)
        return "\n".join(line.text for line in lines)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Start nothing if there is an obstacle."""
        return not (action == "start" and self._obstacle)

    def action_start(self) -> None:
        """Start the command."""
        self.dismiss(True)

    def action_copy(self) -> None:
        """Copy the command."""
        self.post_message(CopyRequested(self._shown, "The command"))
