"""A command and its folder, shown before it runs."""

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

from memtui.render.clean import clean


class ConfirmScreen(ModalScreen[bool]):
    """Ends with True when the command is to run."""

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
        Binding("enter,y", "dismiss(True)", "Start", tooltip="Start it", id="confirm.start"),
        Binding("escape,n,q", "dismiss(False)", "Cancel", tooltip="Start nothing", id="confirm.cancel"),
        Binding("c", "copy", "Copy", tooltip="Copy the command", id="confirm.copy"),
    ]

    def __init__(self, command: Sequence[str], folder: Path, shown: str) -> None:
        """`shown` is what is copied: the command as a shell takes it, its folder included."""
        super().__init__()
        self._command = command
        self._folder = folder
        self._shown = shown

    def compose(self) -> ComposeResult:
        """What would run and where, and the keys."""
        with Vertical() as box:
            box.border_title = Content(f"start {self._command[0]}?")
            yield Static(clean(shlex.join(self._command)), id="confirm-command", markup=False)
            yield Static(clean(f"in {self._folder}"), id="confirm-folder", markup=False)
            yield Static("enter start · esc cancel · c copy", id="confirm-keys", markup=False)

    def action_copy(self) -> None:
        """Copy the command."""
        self.app.copy_to_clipboard(self._shown)
        self.notify("The command is copied.")

    def on_click(self, event: events.Click) -> None:
        """A click beside the box starts nothing."""
        if event.widget is self:
            self.dismiss(False)
