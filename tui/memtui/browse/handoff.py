"""Handing a session, or a file's history, on to another agent."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textual.screen import Screen

from memtui.browse.export import ExportController
from memtui.browse.programs import ProgramRunner
from memtui.formatting import number
from memtui.screens.handoff import HandoffScreen, Leaving, Part
from memtui.services.app_services import AppServices
from memtui_core.model import Session
from memtui_core.text.controls import stored

if TYPE_CHECKING:
    from memtui_core.handoff import Handoff, HandoffOptions
    from memtui_core.index import Index

AGENTS: Final = ("claude", "codex")
"""Commands that take what is said first as their argument."""
_LONGEST: Final = 100_000
"""Bytes of an argument: Linux takes 131,072. What is longer goes by a file."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A hand-off with what it is of."""

    handoff: Handoff
    title: str
    folder: str
    """The folder to start an agent in."""
    file_name: str


class HandoffController:
    """Makes hand-offs, shows them, and starts agents with them."""

    def __init__(
        self, screen: Screen[None], services: AppServices, export: ExportController, programs: ProgramRunner
    ) -> None:
        self._screen = screen
        self._index = services.index
        self._options: Mapping[str, Any] = services.handoff_options
        self._export = export
        self._programs = programs
        self._parts: Sequence[Part] = [Part()]

    def open_session(self, session: Session | None, number: int) -> None:
        """Show what would be handed on of a session; `number` is the turn that is read."""
        if session is None:
            self._screen.notify("No session is open.")
            return
        self._parts = _parts(number, session.turns)
        self._make(session.key, self._parts[0])

    def open_file(self, path: str, root: str) -> None:
        """Show what would be handed on of a file's history."""
        self._parts = [Part()]
        self._index.query(
            "handoff",
            lambda index: _Prepared(
                index.file_handoff(path, root, self._handoff_options()),
                path,
                root,
                f"handoff-{path.rpartition('/')[2]}.md",
            ),
            partial(self._show, 0),
        )

    def _make(self, session: int, part: Part) -> None:
        self._index.query("handoff", lambda index: self._prepare(index, session, part), partial(self._show, session))

    def _prepare(self, index: Index, key: int, part: Part) -> _Prepared:
        session = index.session(key)
        handoff = index.handoff(key, part.first, part.last, self._handoff_options())
        name = f"handoff-{session.session_id[:8]}.md"
        return _Prepared(handoff, session.title, session.cwd or session.root, name)

    def _handoff_options(self) -> HandoffOptions:
        from memtui_core.handoff import HandoffOptions

        return HandoffOptions(**self._options)

    def _show(self, session: int, prepared: _Prepared) -> None:
        folder, name = Path(stored(prepared.folder)), prepared.file_name
        for shown in self._screen.app.screen_stack:
            if isinstance(shown, HandoffScreen):
                shown.take(prepared.handoff)
                return

        def closed(leaving: Leaving | None) -> None:
            if leaving is not None and leaving.agent is not None:
                self._start(leaving.agent, leaving.text, folder, name)
            elif leaving is not None:
                self._export.write(name, leaving.text)

        screen = HandoffScreen(
            prepared.handoff, prepared.title, partial(_agents, folder), self._parts, partial(self._make, session)
        )
        self._screen.app.push_screen(screen, closed)

    def _start(self, agent: str, text: str, folder: Path, name: str) -> None:
        prompt = text
        if len(text.encode()) > _LONGEST:
            path = self._keep(name, text)
            prompt = f"Read {path} first: it is the context of an earlier session, to go on from."
        command: Sequence[str] = [agent, prompt]
        shown = f"cd {shlex.quote(str(folder))} && {shlex.join(command)}"
        if shutil.which(agent) is None or not folder.is_dir():
            self._programs.offer(shown, f"{agent} or the session's folder is not here")
        else:
            self._programs.run(command, folder, shown)

    def _keep(self, name: str, text: str) -> Path:
        """Keep a text for an agent that starts now, in place of the one before. Raises OSError."""
        path = self._index.data_dir / "handoffs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        return path


def _agents(folder: Path, size: int) -> list[tuple[str, str]]:
    """The agents, each with the command that starts it."""
    where, prompt = shlex.quote(str(folder)), f"<{number(size)} characters>"
    return [(one, f"cd {where} && {one} {prompt}{'' if shutil.which(one) else ' (not here)'}") for one in AGENTS]


def _parts(turn: int, count: int) -> list[Part]:
    """What of a session of `count` turns may be handed on, round the one that is read; the whole first."""
    bounds = dict.fromkeys([(turn, count), (1, turn), (turn, turn)])
    parts = [Part(f"turns {first}–{last}" if first < last else f"turn {first}", first, last) for first, last in bounds]
    return [Part(), *(part for part in parts if (part.first, part.last) != (1, count))]
