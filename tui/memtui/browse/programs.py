"""Running other programs in the terminal: the agent of a session, and the user's editor."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from textual.app import SuspendNotSupported
from textual.screen import Screen

from memtui.editor import editor_command
from memtui.requests import CopyRequested, EditorRequested
from memtui.screens.confirm import ConfirmScreen
from memtui_core.model import Session
from memtui_core.readers.registry import resume_command
from memtui_core.text.controls import stored

_MAX_SHOWN: Final = 300
"""Characters of a command that a notification shows."""


class ProgramRunner:
    """Suspends the app while a program runs, or copies the command if it cannot be run."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen

    def run(self, command: Sequence[str], folder: Path, shown: str) -> None:
        """Run a program in the terminal, then return to memtui. `shown` is the command as a shell takes it."""
        try:
            with self._screen.app.suspend():
                subprocess.run(command, cwd=folder, check=False)
        except SuspendNotSupported:
            self.offer(shown, "This terminal cannot run another program")
        except OSError as error:
            self.offer(shown, error.strerror or str(error))
        self._screen.refresh(layout=True)

    def offer(self, command: str, reason: str) -> None:
        """Copy a command that cannot be run, and notify the user of the reason."""
        shown = command if len(command) <= _MAX_SHOWN else f"{command[:_MAX_SHOWN]}…"
        self._screen.post_message(CopyRequested(command, f"{shown}\n\nThe command", reason))

    def resume(self, session: Session | None) -> None:
        """Ask for confirmation, then resume a session in its agent."""
        command = resume_command(session) if session is not None else None
        if session is None or command is None:
            self._screen.notify("This session cannot be resumed.")
            return
        shown = f"cd {shlex.quote(session.cwd)} && {shlex.join(command)}"
        if shutil.which(command[0]) is None or not (folder := Path(stored(session.cwd))).is_dir():
            self.offer(shown, f"{command[0]} is not installed, or the session's folder does not exist")
            return

        def confirmed(start: bool | None) -> None:
            if start:
                self.run(command, folder, shown)

        self._screen.app.push_screen(ConfirmScreen(command, folder, shown), confirmed)

    def edit(self, request: EditorRequested) -> None:
        """Open the requested file in the user's editor."""
        path = next((path for path in request.paths if path.is_file()), None)
        if path is None:
            self._screen.notify(str(request.paths[0]), title="The file does not exist", markup=False)
            return
        command = editor_command(path, request.line)
        if command is None:
            self._screen.notify("Set $EDITOR to the command of your editor.", title="No editor was found")
            return
        self.run(command, path.parent, shlex.join(command))
