"""`memtui tail`: the last turns of a session, and the next ones as its agent writes them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
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
from memtui.cli.output import flush_stdout, is_stdout_closed, say, show_styled, stdout_width

if TYPE_CHECKING:
    from memtui.cli.reading.session_text import Lines
    from memtui_core.index.index import Index
    from memtui_core.model import Session, Turn

_RUNS: Final = ("…", "muted")
"""The outcome of a call that has none yet; with its outcome it is printed again."""
_LOOK: Final = 0.25
"""Seconds between two looks for a newer snapshot."""


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

    The beginning of an id is enough; without SESSION it is the one of the project of this folder that was used last,
    also when that is another one later. Tool calls are printed in short; memtui show prints all of them.
    """
    from memtui.services.indexer_process import IndexerProcess
    from memtui_core.system import locations

    index = open_index(data_dir)
    named = _named(index, session) if session is not None else _newest(index)
    indexer = IndexerProcess(locations.data_dir(data_dir), sources)
    try:
        # Ctrl+c is how it ends.
        with suppress(KeyboardInterrupt):
            follow = _Follower(index, count, thinking=not no_thinking, tools=not no_tools)
            while not is_stdout_closed():
                if follow.is_outdated():
                    follow.print_new(named if session is not None else _newest(index))
                time.sleep(_LOOK)
    finally:
        indexer.stop()


def _named(index: Index, session: str) -> int:
    """The key of a session. Raises SessionUnknown.

    If it has no turns of its own yet, that is said, and the first one is waited for.
    """
    from memtui_core.errors import NoOwnTurns

    try:
        return index.sessions.with_turns(session).key
    except NoOwnTurns as error:
        say(str(error))
        return index.sessions.find(session).key


def _newest(index: Index) -> int:
    """The key of the session of the current project that was used last. Raises SessionUnknown."""
    from memtui_core.errors import SessionUnknown
    from memtui_core.system import locations

    current = index.sessions.project_at(locations.current_folder())
    root = current.root if current is not None else None
    newest = (project.newest for project in index.sessions.projects() if project.root == root)
    if (key := next(newest, None)) is None:
        raise SessionUnknown("No session is of the project of this folder. Name one: memtui sessions lists them.")
    return key


class _Follower:
    """Prints what sessions have more than was printed of them."""

    def __init__(self, index: Index, count: int, *, thinking: bool, tools: bool) -> None:
        self._index = index
        self._count = count
        self._shown = {"thinking": thinking, "tools": tools}
        self._state: object = None
        """What was published last."""
        self._printers: dict[int, _Printer] = {}
        self._last: _Printer | None = None

    def is_outdated(self) -> bool:
        """Whether something was published since the last call, which is open then."""
        from memtui_core.index.folder import publication_state

        before, self._state = self._state, publication_state(self._index.data.path)
        return self._state != before and (self._index.refresh() or before is None)

    def print_new(self, key: int) -> None:
        """Print what a session has more; at first its last turns."""
        session, sessions = self._index.sessions.get(key), self._index.sessions
        printer = self._printers.get(key)
        is_first = printer is None
        if printer is None:
            first = max(1, session.turns - max(1, self._count) + 1)
            printer = self._printers[key] = _Printer(session, first, stdout_width(), **self._shown)
        turns = sessions.whole_turns(key, printer.turn, session.turns)
        lines = list(chain.from_iterable(printer.new_lines(turns, again=self._last not in (printer, None))))
        if lines and not (is_first and not self._count):
            self._last = printer
            for line in lines:
                show_styled(*line)
            flush_stdout()


class _Printer:
    """Renders what of the turns of a session is not printed yet."""

    def __init__(self, session: Session, turn: int, width: int | None, *, thinking: bool, tools: bool) -> None:
        self.turn = turn
        """The number of the turn that was printed last, or is the first one to print."""
        self._session = session
        self._width = width
        self._thinking = thinking
        self._tools = tools
        self._printed: dict[tuple[int, int], Lines] = {}
        """What was printed of the parts of that turn, by their keys, in their order."""

    def new_lines(self, turns: Sequence[Turn], *, again: bool) -> Iterator[Lines]:
        """What was added since the last call; the turns begin with the one that was printed last.

        With `again` another session was printed meanwhile, so that the turn is named again.
        """
        from memtui.cli.reading.session_text import part_lines, render_options, turn_rule
        from memtui.render.tools.headings import NO_RESULT
        from memtui.render.turns.parts import parts
        from memtui_core.export.turn_parts import selected_blocks

        options = render_options(self._session, turns, "summary", "full")
        for turn in turns:
            if turn.number != self.turn:
                self.turn, self._printed = turn.number, {}
            is_named = bool(self._printed) and not again
            blocks = selected_blocks(turn, thinking=self._thinking, tools=self._tools)
            for part in parts(_begun(turn), blocks, options, new_day=False, last=True):
                lines = [
                    # A call of the last turn runs.
                    tuple(_RUNS if turn.provisional and span == NO_RESULT else span for span in line)
                    for line in part_lines(part, self._width)
                ]
                # The facts in a head change with each entry.
                if (part.key in self._printed and not part.indent) or not (added := self._added(part.key, lines)):
                    continue
                if not is_named:
                    is_named, again = True, False
                    yield turn_rule(self._session, turn, self._width)
                yield added

    def _added(self, key: tuple[int, int], lines: Lines) -> Lines:
        """What a part has more than was printed of it, if nothing was printed after it; otherwise all of it again."""
        before = self._printed.get(key, ())
        if list(before) == list(lines):
            return ()
        is_last = bool(self._printed) and key == next(reversed(self._printed))
        is_longer = is_last and list(lines[: len(before)]) == list(before)
        self._printed.pop(key, None)
        self._printed[key] = lines
        return lines[len(before) :] if is_longer else lines


def _begun(turn: Turn) -> Turn:
    """A turn without what its head says only when it is over."""
    return replace(turn, active=None, tool_summary=(), output_tokens=0, errors=0, provisional=False)
