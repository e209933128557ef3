"""Other programs in the terminal: the agent of a session, and the user's editor."""

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
from memtui.requests import EditorRequested
from memtui.screens.confirm import ConfirmScreen
from memtui_core.model import Session
from memtui_core.readers.registry import resume_command
from memtui_core.text.controls import stored

_SHOWN: Final = 300
"""Characters of a command that are shown."""


class ProgramRunner:
    """Suspends the app for a program, and offers the command to be copied where that cannot be run."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen

    def run(self, command: Sequence[str], folder: Path, shown: str) -> None:
        """Run a program in the terminal; memtui comes back afterwards. `shown` is the command as it is shown."""
        try:
            with self._screen.app.suspend():
                subprocess.run(command, cwd=folder, check=False)
        except SuspendNotSupported:
            self.offer(shown, "This terminal cannot be left for another program")
        except OSError as error:
            self.offer(shown, error.strerror or str(error))
        self._screen.refresh(layout=True)

    def offer(self, command: str, reason: str) -> None:
        """Copy a command that cannot be run from here, and say why."""
        self._screen.app.copy_to_clipboard(command)
        shown = command if len(command) <= _SHOWN else f"{command[:_SHOWN]}…"
        self._screen.notify(f"{shown}\n\nThe command is copied.", title=reason, timeout=10, markup=False)

    def resume(self, session: Session | None) -> None:
        """Ask, then resume a session in its agent."""
        command = resume_command(session) if session is not None else None
        if session is None or command is None:
            self._screen.notify("This session cannot be resumed.")
            return
        shown = f"cd {shlex.quote(session.cwd)} && {shlex.join(command)}"
        if shutil.which(command[0]) is None or not (folder := Path(stored(session.cwd))).is_dir():
            self.offer(shown, f"{command[0]} or the session's folder is not here")
            return

        def answered(start: bool | None) -> None:
            if start:
                self.run(command, folder, shown)

        self._screen.app.push_screen(ConfirmScreen(command, folder, shown), answered)

    def edit(self, request: EditorRequested) -> None:
        """Open a file in the user's editor."""
        path = next((place for place in request.places if place.is_file()), None)
        if path is None:
            self._screen.notify(str(request.places[0]), title="This file is not here", markup=False)
            return
        command = editor_command(path, request.line)
        if command is None:
            self._screen.notify("Set $EDITOR to the command of your editor.", title="No editor was found")
            return
        self.run(command, path.parent, shlex.join(command))
