"""Handing a session, or a file's history, on to another agent."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from textual import on

from memtui import messages, wishes
from memtui.present import number
from memtui.screens.choice import ChoiceScreen
from memtui.screens.handoff import HandoffScreen, Leaving
from memtui.screens.leaving import LeavingScreen

AGENTS: Final = ("claude", "codex")
"""Commands that take what is said first as their argument."""
_LONGEST: Final = 100_000
"""Bytes of an argument: Linux takes 131,072. What is longer goes by a file."""


class HandingScreen(LeavingScreen):
    """Owns what is handed on."""

    def action_handoff(self) -> None:
        """See what would be handed on of the session that is read."""
        shown = self.shown
        if shown is None:
            self.notify("No session is open.")
        else:
            self.run_newest("handoff", lambda: self.library.handoff(shown.key))

    @on(wishes.HandoffWanted)
    def _file_handoff_wanted(self, message: wishes.HandoffWanted) -> None:
        self.run_newest("handoff", lambda: self.library.file_handoff(message.path, message.root))

    @on(messages.HandoffMade)
    def _handoff_made(self, message: messages.HandoffMade) -> None:
        def left(leaving: Leaving | None) -> None:
            if leaving is None:
                return
            if leaving.how == "file":
                self.run_newest("handoff", lambda: self.library.write(message.file_name, leaving.text))
            else:
                self._choose_agent(leaving.text, Path(message.folder), message.file_name)

        self.app.push_screen(HandoffScreen(message.made, message.title), left)

    def _choose_agent(self, text: str, folder: Path, name: str) -> None:
        size = f"{number(len(text))} characters"
        choices = [
            (agent, f"cd {shlex.quote(str(folder))} && {agent} <{size}>{'' if shutil.which(agent) else ' (not here)'}")
            for agent in AGENTS
        ]

        def chosen(agent: str | None) -> None:
            if agent is not None:
                self._start(agent, text, folder, name)

        self.app.push_screen(ChoiceScreen("start an agent with it", choices), chosen)

    def _start(self, agent: str, text: str, folder: Path, name: str) -> None:
        prompt = text
        if len(text.encode()) > _LONGEST:
            path = self.library.keep(name, text)
            prompt = f"Read {path} first: it is the context of an earlier session, to go on from."
        command: Sequence[str] = [agent, prompt]
        shown = f"cd {shlex.quote(str(folder))} && {shlex.join(command)}"
        if shutil.which(agent) is None or not folder.is_dir():
            self.say_command(shown, f"{agent} or the session's folder is not here")
        else:
            self.leave(command, folder, shown)
