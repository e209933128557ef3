"""`memtui tail`: the last turns of a session, and the next ones as its agent writes them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from memtui.cli.opened import open_index
from memtui.cli.options import (
    data_dir_option,
    no_thinking_option,
    no_tools_option,
    reports_errors,
    sources_option,
)
from memtui.cli.output import flush_stdout, is_stdout_closed, show_styled, stdout_width

if TYPE_CHECKING:
    from memtui.cli.reading.session_text import Lines
    from memtui_core.index.index import Index
    from memtui_core.model import Session, Turn

_LOOK: Final = 0.25
"""Seconds between two looks for a newer snapshot."""
_PATIENCE: Final = 2.0
"""Seconds for which the newest session is looked for in what the indexer has still to read."""


@click.command()
@click.argument("session", required=False)
@click.option(
    "-n", "--turns", "count", default=3, show_default=True, type=click.IntRange(0, 10_000), help="Last turns."
)
@no_tools_option
@no_thinking_option
@sources_option
@data_dir_option
@reports_errors
def tail(
    session: str | None,
    count: int,
    no_tools: bool,
    no_thinking: bool,
    sources: tuple[Path, ...],
    data_dir: Path | None,
) -> None:
    """Print the last turns of a session, and what its agent writes from then on, until ctrl+c.

    The beginning of an id is enough; without SESSION it is the newest one of the project of this folder. Tool calls are
    printed in short; memtui show prints all of them.
    """
    from memtui.services.indexer_process import IndexerProcess
    from memtui_core.system import locations

    started = time.time()
    index = open_index(data_dir)
    indexer = IndexerProcess(locations.data_dir(data_dir), sources)
    try:
        # Ctrl+c is how it ends.
        with suppress(KeyboardInterrupt):
            if session is None:
                _await_indexer(index, started)
            selected = index.sessions.find(session) if session is not None else _newest(index)
            _follow(index, selected, count, thinking=not no_thinking, tools=not no_tools)
    finally:
        indexer.stop()


def _await_indexer(index: Index, started: float) -> None:
    """Wait a moment until what the agents wrote last is in the index."""
    from memtui_core.index.folder import read_progress

    while time.time() < started + _PATIENCE:
        progress = read_progress(index.data.path)
        if progress is not None and progress.at >= started and (progress.finished or progress.stage != "reading"):
            break
        time.sleep(_LOOK / 4)
    index.refresh()


def _newest(index: Index) -> Session:
    """The session of the current project that was used last. Raises SessionUnknown."""
    from memtui_core.errors import SessionUnknown
    from memtui_core.system import locations

    current = index.sessions.project_at(locations.current_folder())
    root = current.root if current is not None else None
    projects = [project for project in index.sessions.projects() if project.root == root and project.newest is not None]
    if not projects or projects[0].newest is None:
        raise SessionUnknown("No session is of the project of this folder. Name one: memtui sessions lists them.")
    return index.sessions.get(projects[0].newest)


def _follow(index: Index, session: Session, count: int, *, thinking: bool, tools: bool) -> None:
    """Print a session from its last turns on, until stdout is closed."""
    from memtui_core.index.folder import publication_state

    printer = _Printer(session, stdout_width(), thinking=thinking, tools=tools)
    first, state = max(1, session.turns - count + 1), None
    while not is_stdout_closed():
        if (now := publication_state(index.data.path)) != state:
            state = now
            index.refresh()
            turns = index.sessions.whole_turns(session.key, first, index.sessions.get(session.key).turns)
            for lines in printer.new_lines(turns):
                for line in lines:
                    show_styled(*line)
            flush_stdout()
            first = turns[-1].number if turns else first
        time.sleep(_LOOK)


class _Printer:
    """Renders what of some turns is not printed yet."""

    def __init__(self, session: Session, width: int | None, *, thinking: bool, tools: bool) -> None:
        self._session = session
        self._width = width
        self._thinking = thinking
        self._tools = tools
        self._turn = 0
        """The number of the turn that was printed last."""
        self._printed: dict[tuple[int, int], Lines] = {}
        """What was printed of the parts of that turn, by their keys, in their order."""

    def new_lines(self, turns: Sequence[Turn]) -> Iterator[Lines]:
        """What was added since the last call; the turns begin with the one that was printed last."""
        from memtui.cli.reading.session_text import part_lines, render_options, turn_rule
        from memtui.render.turns.parts import parts
        from memtui_core.export.turn_parts import selected_blocks

        options = render_options(self._session, turns, "summary", "full")
        for turn in turns:
            if turn.number < self._turn:
                continue
            if turn.number > self._turn:
                self._turn, self._printed = turn.number, {}
                yield turn_rule(self._session, turn)
            blocks = selected_blocks(turn, thinking=self._thinking, tools=self._tools)
            for part in parts(_begun(turn), blocks, options, new_day=False, last=True):
                lines = [tuple(line) for line in part_lines(part, self._width)]
                # The facts in a head change with each entry.
                if part.key not in self._printed or part.indent:
                    yield from self._added(part.key, lines)

    def _added(self, key: tuple[int, int], lines: Lines) -> Iterator[Lines]:
        """What a part has more than was printed of it, if nothing was printed after it; otherwise all of it again."""
        before = self._printed.get(key, ())
        if list(before) == list(lines):
            return
        is_last = bool(self._printed) and key == next(reversed(self._printed))
        is_longer = is_last and list(lines[: len(before)]) == list(before)
        self._printed.pop(key, None)
        self._printed[key] = lines
        yield lines[len(before) :] if is_longer else lines


def _begun(turn: Turn) -> Turn:
    """A turn without what its head says only when it is over."""
    return replace(turn, ended_at=None, tool_summary=(), output_tokens=0, errors=0, provisional=False)
