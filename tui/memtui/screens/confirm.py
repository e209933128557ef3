"""The confirmation of a command before it runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.keys import HELP_KEYS
from memtui.render.clean import clean
from memtui.requests import CopyRequested


class ConfirmScreen(ModalScreen[bool]):
    """Shows a command and its folder; its result is True if the command may run."""

    CSS = """
    ConfirmScreen { align: center middle; background: transparent; }
    ConfirmScreen Vertical {
        width: auto; max-width: 90%; height: auto; max-height: 80%; padding: 0 1;
        background: $surface; border: round $accent; border-title-color: $accent;
    }
    ConfirmScreen Static { width: auto; max-width: 100%; }
    ConfirmScreen #confirm-keys { color: $text-muted; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "dismiss(True)", "Start", tooltip="Start the command", id="confirm.start"),
        Binding("y", "copy", "Copy", tooltip="Copy the command", id="confirm.copy"),
        Binding("escape,q", "dismiss(False)", "Cancel", tooltip="Go back without starting it", id="confirm.cancel"),
        HELP_KEYS,
    ]

    def __init__(self, command: Sequence[str], folder: Path, shown: str) -> None:
        """`shown` is the text to copy: the command with a change to its folder, as a shell takes it."""
        super().__init__()
        self._command = command
        self._folder = folder
        self._shown = shown

    def compose(self) -> ComposeResult:
        """The command, its folder, and the keys."""
        with Vertical() as box:
            box.border_title = Content(f"start {self._command[0]}?")
            yield Static(clean(shlex.join(self._command)), id="confirm-command", markup=False)
            yield Static(clean(f"in {self._folder}"), id="confirm-folder", markup=False)
            yield Static("enter start · y copy · esc cancel", id="confirm-keys", markup=False)

    def action_copy(self) -> None:
        """Copy the command."""
        self.post_message(CopyRequested(self._shown, "The command"))

    def on_click(self, event: events.Click) -> None:
        """Cancel on a click beside the box."""
        if event.widget is self:
            self.dismiss(False)
