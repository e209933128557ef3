"""Handing a session, or a file's history, on to another agent."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from textual import on

from memtui import messages, requests
from memtui.formatting import number
from memtui.screens.handoff import HandoffScreen, Leaving, Part
from memtui.screens.leaving import LeavingScreen
from memtui.services.preload import IndexPreload
from memtui.widgets.transcript import Transcript
from memtui_core.text.controls import stored

AGENTS: Final = ("claude", "codex")
"""Commands that take what is said first as their argument."""
_LONGEST: Final = 100_000
"""Bytes of an argument: Linux takes 131,072. What is longer goes by a file."""


class HandingScreen(LeavingScreen):
    """Owns what is handed on."""

    def __init__(self, data_dir: Path, opening: IndexPreload | None = None) -> None:
        super().__init__(data_dir, opening)
        self._handed = 0
        """Key of the session that is handed on."""
        self._parts: Sequence[Part] = [Part()]

    def action_handoff(self) -> None:
        """See what would be handed on of the session that is read."""
        shown = self.shown
        if shown is None:
            self.notify("No session is open.")
        else:
            self._handed = shown.key
            self._parts = _parts(self.query_one(Transcript).number, shown.turns)
            self._make(self._parts[0])

    def _make(self, part: Part) -> None:
        self.run_newest("handoff", lambda: self.library.handoff(self._handed, part.first, part.last))

    @on(requests.FileHandoffRequested)
    def _file_handoff_wanted(self, message: requests.FileHandoffRequested) -> None:
        self._parts = [Part()]
        self.run_newest("handoff", lambda: self.library.file_handoff(message.path, message.root))

    @on(messages.HandoffMade)
    def _handoff_made(self, message: messages.HandoffMade) -> None:
        folder, name = Path(stored(message.folder)), message.file_name
        for shown in self.app.screen_stack:
            if isinstance(shown, HandoffScreen):
                shown.take(message.made)
                return

        def left(leaving: Leaving | None) -> None:
            if leaving is not None and leaving.agent is not None:
                self._start(leaving.agent, leaving.text, folder, name)
            elif leaving is not None:
                self.run_newest("handoff", lambda: self.library.write(name, leaving.text))

        agents = partial(_agents, folder)
        self.app.push_screen(HandoffScreen(message.made, message.title, agents, self._parts, self._make), left)

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


def _agents(folder: Path, size: int) -> list[tuple[str, str]]:
    """The agents, each with the command that starts it."""
    where, said = shlex.quote(str(folder)), f"<{number(size)} characters>"
    return [(one, f"cd {where} && {one} {said}{'' if shutil.which(one) else ' (not here)'}") for one in AGENTS]


def _parts(here: int, count: int) -> list[Part]:
    """What of a session of some turns may be handed on, from the one that is read; the whole first."""
    bounds = dict.fromkeys([(here, count), (1, here), (here, here)])
    found = [Part(f"turns {first}–{last}" if first < last else f"turn {first}", first, last) for first, last in bounds]
    return [Part(), *(part for part in found if (part.first, part.last) != (1, count))]
