"""What the scenes are played on: an app and a bare app in terminals of the same size, in a folder of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock

from bench import screen
from bench.explorer import floors, keys
from bench.explorer.keys import Piece, Press, Where
from bench.explorer.table import Row
from memtui.browse.first_steps import NOTICE
from memtui.settings.app_state import AppState
from memtui_core.index.index import Index
from memtui_core.store.data_folder import DataDir

_NOT_SET = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR")
_OURS = ("MEMTUI_DATA_DIR", "MEMTUI_CONFIG")
_WIDE = 100
"""Columns from which on the list stands beside the text."""
_LEFT = 36
"""Columns of the list there; after them comes the line between the panes."""


def all_of_it(piece: Piece) -> bool:
    """Bare apps have nothing that paints by itself."""
    return True


@dataclass(frozen=True, slots=True)
class Stage:
    """A data folder, what the app indexes into it, and the terminal."""

    data: Path
    source: Path
    home: Path
    size: tuple[int, int] = (120, 40)

    def above(self, piece: Piece) -> bool:
        """Not in the line at the bottom, which counts seconds."""
        return piece.row != self.size[1]

    def in_list(self, piece: Piece) -> bool:
        """In the pane at the left; in a small terminal it is the only one."""
        return piece.column <= _LEFT or not self.wide

    def in_text(self, piece: Piece) -> bool:
        """In what is read."""
        return not self.wide or piece.column + len(piece.text) > _LEFT + 2

    @property
    def wide(self) -> bool:
        """The list stands beside the text."""
        return self.size[0] >= _WIDE

    @property
    def title(self) -> str:
        """How the newest session begins, which is chosen at the start."""
        return Index.open(self.data).sessions.all()[0].title[:12]

    @contextmanager
    def app(self) -> Iterator[screen.Terminal]:
        """The app from its start, in 256 colours, without the card of the first start: the rows stand below it."""
        AppState(self.data).first_time(NOTICE)
        with self._terminal(screen.app(self.data, self.source)) as terminal:
            yield terminal

    @contextmanager
    def floor(self, name: str, count: int) -> Iterator[screen.Terminal]:
        """A bare app from its start, in 256 colours."""
        with self._terminal([floors.__file__, name, str(count)]) as terminal:
            yield terminal

    @contextmanager
    def label(self) -> Iterator[screen.Terminal]:
        """The least app of all."""
        with self._terminal(["-c", screen.FLOOR]) as terminal:
            yield terminal

    @contextmanager
    def both(self, name: str, count: int) -> Iterator[tuple[screen.Terminal, screen.Terminal]]:
        """The app and a bare app beside it, both with all on the screen."""
        with self.app() as app, self.floor(name, count) as floor:
            app.wait_for(self.title)
            floor.wait_for(floors.READY)
            keys.settle(app, self.above)
            keys.settle(floor, all_of_it, 0.1)
            yield app, floor

    @contextmanager
    def _terminal(self, arguments: Sequence[str]) -> Iterator[screen.Terminal]:
        environment = dict.fromkeys((*_NOT_SET, *_OURS), "") | {"HOME": str(self.home), "COLORTERM": ""}
        terminal = screen.Terminal(arguments, self.size, environment)
        try:
            yield terminal
        finally:
            terminal.close()

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Nobody writes to the index: the app's own indexer waits for the lock."""
        with FileLock(DataDir(self.data).lock):
            yield


@dataclass(slots=True)
class Pairs:
    """Presses of a key in the app, each followed by one in a bare app."""

    app: list[Press] = field(default_factory=list)
    floor: list[Press] = field(default_factory=list)

    def rows(self, name: str, what: str, after: str = "") -> list[Row]:
        """The first bytes and the repaint; `after` names what comes after a pause, if that is to be told."""
        floor = [one.repaint for one in self.floor]
        rows = [
            Row(f"{name}: first bytes", [one.first for one in self.app], [one.first for one in self.floor], what),
            Row(f"{name}: repaint", [one.repaint for one in self.app], floor, what),
        ]
        return [*rows, Row(f"{name}: {after}", [one.still for one in self.app], floor, what)] if after else rows


def alternate(
    stage: Stage,
    terminals: tuple[screen.Terminal, screen.Terminal],
    pressed: Sequence[tuple[str, str]],
    rest: float,
    here: Where,
    warm: int = 3,
) -> Pairs:
    """Press the keys of (app, bare app) in turn, the first `warm` for nothing; ends at one that paints nothing.

    In the app only what is painted `here` is the answer.
    """
    pairs = Pairs()
    app, floor = terminals
    for number, (own, other) in enumerate(pressed):
        there, beside = keys.press(app, own, rest, stage.above, here), keys.press(floor, other, 0.06, all_of_it)
        if there is None or beside is None:
            break
        if number >= warm:
            pairs.app.append(there)
            pairs.floor.append(beside)
    if not pairs.app:
        raise SystemExit(f"{pressed[0][0]!r} paints nothing: the sessions are too small to measure on")
    return pairs
