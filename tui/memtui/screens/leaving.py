"""What leads out of the app: a document of what is read, and the session itself in its agent."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import SuspendNotSupported

from memtui import messages, requests
from memtui.editor import editor_command
from memtui.screens.choice import ChoiceScreen
from memtui.screens.confirm import ConfirmScreen
from memtui.screens.viewing import ViewingScreen
from memtui.widgets.transcript import Transcript
from memtui_core.model import Session
from memtui_core.readers.registry import resume_command
from memtui_core.text.controls import stored

if TYPE_CHECKING:
    from memtui_core.export import Format


FORMATS: Final[Sequence[tuple[Format, str]]] = (
    ("markdown", "Markdown"),
    ("html", "HTML, one file that loads nothing"),
    ("json", "JSON"),
)
"""Formats of an export, and how they are offered."""
_SHOWN = 300
"""Characters of a command that are shown."""


class LeavingScreen(ViewingScreen):
    """Owns the ways out."""

    def action_export(self) -> None:
        """Write the session that is read to a file in the current folder."""
        if (shown := self.shown) is not None:
            self._export(shown, None)

    def action_export_turn(self) -> None:
        """Write the turn that is read to a file in the current folder."""
        if (shown := self.shown) is not None:
            self._export(shown, self.query_one(Transcript).number)

    def _export(self, session: Session, number: int | None) -> None:
        def chosen(name: Format | None) -> None:
            if name is not None:
                self.run_newest("export", lambda: self.library.export(session.key, number, name))

        title = "export the session as" if number is None else f"export turn {number} as"
        self.app.push_screen(ChoiceScreen(title, FORMATS), chosen)

    @on(messages.Exported)
    def _exported(self, message: messages.Exported) -> None:
        self.notify(str(message.path), title="Written", markup=False)

    def action_resume(self) -> None:
        """Ask, then go on with the session in its agent; memtui comes back afterwards."""
        session = self.shown
        command = resume_command(session) if session is not None else None
        if session is None or command is None:
            self.notify("This session cannot be resumed.")
            return
        shown = f"cd {shlex.quote(session.cwd)} && {shlex.join(command)}"
        if shutil.which(command[0]) is None or not (folder := Path(stored(session.cwd))).is_dir():
            self.say_command(shown, f"{command[0]} or the session's folder is not here")
            return

        def answered(start: bool | None) -> None:
            if start:
                self.leave(command, folder, shown)

        self.app.push_screen(ConfirmScreen(command, folder, shown), answered)

    @on(requests.EditorRequested)
    def _editor_wanted(self, message: requests.EditorRequested) -> None:
        path = next((place for place in message.places if place.is_file()), None)
        if path is None:
            self.notify(str(message.places[0]), title="This file is not here", markup=False)
            return
        command = editor_command(path, message.line)
        if command is None:
            self.notify("Set $EDITOR to the command of your editor.", title="No editor was found")
            return
        self.leave(command, path.parent, shlex.join(command))

    def leave(self, command: Sequence[str], folder: Path, shown: str) -> None:
        """Run a program in the terminal; memtui comes back afterwards."""
        try:
            with self.app.suspend():
                subprocess.run(command, cwd=folder, check=False)
        except SuspendNotSupported:
            self.say_command(shown, "This terminal cannot be left for another program")
        except OSError as error:
            self.say_command(shown, error.strerror or str(error))
        self.refresh(layout=True)

    def say_command(self, command: str, why: str) -> None:
        """Copy a command that cannot be run from here, and say why."""
        self.app.copy_to_clipboard(command)
        shown = command if len(command) <= _SHOWN else f"{command[:_SHOWN]}…"
        self.notify(f"{shown}\n\nThe command is copied.", title=why, timeout=10, markup=False)
