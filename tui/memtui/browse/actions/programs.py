"""Running other programs in the terminal: the agent of a session, and the user's editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from textual.app import SuspendNotSupported
from textual.screen import Screen

from memtui.browse.controllers import handles
from memtui.browse.reader.pane import SessionReader
from memtui.system.editor import editor_command
from memtui.widgets.requests.panes import EditorRequested
from memtui.wording.owner import only_there
from memtui_core.system.private_files import users_mask


class ProgramRunner:
    """Suspends the app while a program runs, or shows the command and why it cannot be run."""

    def __init__(self, screen: Screen[None], reader: SessionReader, data_dir: Path) -> None:
        self._screen = screen
        self._data_dir = data_dir
        self._reader = reader

    def run(self, command: Sequence[str], folder: Path, shown: str, machine: str = "") -> None:
        """Run a program in the terminal, then return to memtui. `shown` is the command as a shell takes it.

        `machine` is the other machine on which the program works, and which has the folder.
        """
        from memtui.screens.confirm import ConfirmScreen

        obstacle = _obstacle(command[0], None if machine else folder)
        if not obstacle:
            try:
                with self._screen.app.suspend():
                    subprocess.run(command, cwd=None if machine else folder, check=False, umask=users_mask())
            except SuspendNotSupported:
                obstacle = "This terminal cannot run another program."
            except OSError as error:
                obstacle = f"{error.strerror or error}."
            self._screen.refresh(layout=True)
        if obstacle:
            self._screen.app.push_screen(ConfirmScreen(command, folder, shown, obstacle, machine))

    def offer(self, command: Sequence[str], folder: Path, shown: str, machine: str = "", obstacle: str = "") -> None:
        """Ask for confirmation, then run a program; with an obstacle, the command can only be copied. See `run`."""
        from memtui.screens.confirm import ConfirmScreen

        def confirmed(start: bool | None) -> None:
            if start:
                self.run(command, folder, shown, machine)

        obstacle = obstacle or _obstacle(command[0], None if machine else folder)
        self._screen.app.push_screen(ConfirmScreen(command, folder, shown, obstacle, machine), confirmed)

    def action_resume(self) -> None:
        """Ask for confirmation, then resume the open session in its agent, on the machine where it is."""
        from memtui_core.index.machines import resuming

        session = self._reader.session
        if session is not None and session.member:
            self._screen.notify(only_there(session, "This session can only be resumed"), markup=False)
            return
        found = resuming(session, self._data_dir) if session is not None else None
        if found is None:
            self._screen.notify("This session cannot be resumed.")
            return
        self.offer(found.command, Path(found.folder), found.shown, found.machine, found.obstacle)

    @handles(EditorRequested)
    def edit(self, request: EditorRequested) -> None:
        """Open the requested file in the user's editor."""
        if request.session is not None and request.session.member:
            self._screen.notify(only_there(request.session, f"{request.paths[-1]} is"), markup=False)
            return
        if not request.paths:
            self._screen.notify("The file is on another machine.")
            return
        path = next((path for path in request.paths if os.path.isfile(path)), None)  # noqa: PTH113 - see _obstacle
        if path is None:
            self._screen.notify(str(request.paths[0]), title="The file does not exist", markup=False)
            return
        command = editor_command(path, request.line)
        if command is None:
            self._screen.notify("Set $EDITOR to the command of your editor.", title="No editor was found")
            return
        self.run(command, path.parent, shlex.join(command))


def _obstacle(program: str, folder: Path | None) -> str:
    """Why a program cannot be started in a folder, or in any; a sentence for each reason, empty if it can."""
    reasons = [] if shutil.which(program) else [f"{program} is not installed."]
    # Path.is_dir raises OSError for a path that is too long, or in a folder that may not be read.
    exists = folder is None or os.path.isdir(folder)  # noqa: PTH112
    return "\n".join(reasons if exists else [*reasons, "The folder does not exist."])
