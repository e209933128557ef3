"""The parts of a turn, which are laid out one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memtui.render.rows import UNWRAPPED, Line, Row, wrap

PROSE = 110
"""Cells of a line of prose at most: longer lines are hard to read."""


@dataclass(slots=True)
class Part:
    """A piece of a turn that is laid out as a whole: a head, a text, a tool call, or a run of tool calls."""

    seq: int
    """`Block.seq` of its first block; -1 for the head."""
    index: int
    """Distinguishes parts with the same `seq`."""
    render: Callable[[int], list[Row]]
    """Returns its rows for a width."""
    indent: int = 0
    chars: int = 0
    """Length of its text, for the estimate of its height."""
    breaks: int = 0
    """Number of line ends in its text."""
    least: int = 1
    """Number of lines apart from its text; all of its lines if the text is folded."""
    widest: int = UNWRAPPED
    """Cells of a line at most."""
    texts: tuple[str, ...] = ()
    """The texts from which it is rendered, so that they can be searched without a layout."""
    blocks: frozenset[int] = frozenset()
    """`Block.seq` of the blocks that it shows or folds."""

    folded: bool = False
    """Whether some of its text is hidden."""
    run: int | None = None
    """The fold that lists its tool calls, if it is a run of several."""

    @property
    def key(self) -> tuple[int, int]:
        """Its position in the turn."""
        return self.seq, self.index

    def estimate(self, width: int) -> int:
        """The approximate number of lines for a width; exact if it has no text."""
        if not self.chars:
            return self.least
        room = max(20, min(self.widest, width - self.indent))
        return self.least + max(self.breaks + 1, self.chars // room + self.breaks // 2 + 1)

    def rows(self, width: int) -> list[Row]:
        """Its rows in a transcript of `width` cells."""
        return self.render(max(20, min(self.widest, width - self.indent)))

    def wrapped(self, rows: Iterable[Row], width: int) -> list[Line]:
        """Its rows as lines of a transcript of `width` cells."""
        return wrap(rows, min(width, self.widest + self.indent), self.indent)
