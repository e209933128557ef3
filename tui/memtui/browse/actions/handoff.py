"""The controller for hand-offs of a session or of a file's history."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textual.content import Content
from textual.screen import Screen

from memtui.browse.actions.export import ExportController
from memtui.browse.actions.programs import ProgramRunner
from memtui.browse.controllers import handles
from memtui.browse.reader.pane import SessionReader
from memtui.services.app_services import AppServices
from memtui.widgets.requests.panes import FileHandoffRequested
from memtui.wording.formatting import number
from memtui_core.readers.registry import reader_of, starting_readers
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import folder_here

if TYPE_CHECKING:
    from memtui.screens.outgoing.handoff.screen import HandoffOutput, HandoffRange
    from memtui_core.index.handoffs import Handoff, HandoffOptions
    from memtui_core.index.index import Index
    from memtui_core.readers.base import Reader


_ALWAYS_LISTED: Final = 2
"""The number of agents that are listed even if they are not installed."""


@dataclass(frozen=True, slots=True)
class _PreparedHandoff:
    """A hand-off with the title and the names that the screen needs."""

    handoff: Handoff
    title: str
    folder: str
    """The folder in which an agent is started."""
    file_name: str


class HandoffController:
    """Makes hand-offs, shows them, and saves them or starts agents with them."""

    def __init__(
        self,
        screen: Screen[None],
        services: AppServices,
        reader: SessionReader,
        export: ExportController,
        programs: ProgramRunner,
    ) -> None:
        self._screen = screen
        self._reader = reader
        self._index = services.index
        self._options: Mapping[str, Any] = services.handoff_options
        self._export = export
        self._programs = programs

    def action_handoff(self) -> None:
        """Show the hand-off of the open session."""
        from memtui.screens.outgoing.handoff.screen import turn_ranges

        session = self._reader.session
        if session is None:
            self._screen.notify("No session is open.")
            return
        ranges = turn_ranges(self._reader.transcript.number, session.turns)
        self._make(session.key, ranges[0], partial(self._show, session.key, ranges))

    @handles(FileHandoffRequested)
    def open_file(self, request: FileHandoffRequested) -> None:
        """Show the hand-off of a file's history."""
        from memtui.screens.outgoing.handoff.screen import HandoffRange

        path, root = request.path, request.root
        self._index.query(
            "handoff",
            lambda index: _PreparedHandoff(
                index.handoffs.of_file(path, root, self._handoff_options()),
                path,
                folder_here(root, root, None) or self._index.folder,
                f"handoff-{path.rpartition('/')[2]}.md",
            ),
            partial(self._show, 0, [HandoffRange()]),
        )

    def _make(self, session: int, turns: HandoffRange, show: Callable[[_PreparedHandoff], None]) -> None:
        self._index.query("handoff", lambda index: self._prepare(index, session, turns), show)

    def _prepare(self, index: Index, key: int, turns: HandoffRange) -> _PreparedHandoff:
        session = index.sessions.get(key)
        handoff = index.handoffs.of_session(key, turns.first, turns.last, self._handoff_options())
        name = f"handoff-{session.session_id[:8]}.md"
        folder = folder_here(session.cwd or session.root, session.root, session.worktree)
        return _PreparedHandoff(handoff, session.title, folder or self._index.folder, name)

    def _handoff_options(self) -> HandoffOptions:
        from memtui_core.index.handoffs import HandoffOptions

        return HandoffOptions(**self._options)

    def _show(self, session: int, ranges: Sequence[HandoffRange], prepared: _PreparedHandoff) -> None:
        from memtui.screens.outgoing.handoff.screen import HandoffScreen

        folder, name = Path(stored(prepared.folder)), prepared.file_name
        if any(isinstance(screen, HandoffScreen) for screen in self._screen.app.screen_stack):
            # The key was pressed again before the first hand-off was there.
            return

        def closed(output: HandoffOutput | None) -> None:
            if output is not None and output.agent is not None:
                self._start(output.agent, output.text, folder, name)
            elif output is not None:
                self._export.write(name, output.text)

        def request(turns: HandoffRange) -> None:
            self._make(session, turns, lambda made: screen.show_handoff(made.handoff, turns))

        screen = HandoffScreen(prepared.handoff, prepared.title, prepared.folder, _agents, ranges, request)
        self._screen.app.push_screen(screen, closed)

    def _start(self, agent: str, text: str, folder: Path, name: str) -> None:
        from memtui_core.index.handoffs import fits_argument, prompt_in_file

        if fits_argument(text):
            self._run(agent, folder, text)
            return
        # Written when the job runs: the data folder may be slow.
        data_dir = self._index.data_dir
        self._index.jobs.run(lambda: prompt_in_file(text, data_dir, name), partial(self._run, agent, folder))

    def _run(self, agent: str, folder: Path, prompt: str) -> None:
        reader = reader_of(agent)
        command = reader.start_command(prompt) if reader is not None else None
        if command is None:
            return
        shown = f"cd {shlex.quote(str(folder))} && {shlex.join(command)}"
        self._programs.run(command, folder, shown)


def _agents(size: int) -> list[tuple[str, Content]]:
    """The agents on this machine by their ids, each with how it starts with `size` characters; the others last.

    Of those that are not installed, only the first known agents are listed.
    """
    readers = starting_readers()
    installed = {reader.agent: shutil.which((reader.start_command("") or [""])[0]) is not None for reader in readers}
    readers = [reader for place, reader in enumerate(readers) if place < _ALWAYS_LISTED or installed[reader.agent]]
    readers.sort(key=lambda reader: not installed[reader.agent])
    width = max(len(reader.name) for reader in readers)

    def label(reader: Reader) -> Content:
        words = reader.start_command(f"<{number(size)} characters>") or []
        start = " ".join(words) if installed[reader.agent] else "not installed"
        return Content.assemble(f"{reader.name:<{width}}  ", (start, "dim"))

    return [(reader.agent, label(reader)) for reader in readers]
