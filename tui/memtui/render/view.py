"""How a transcript is looked at: fold levels and the names in it; and its parts, the units of layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memtui.render.rows import Row

ToolsLevel = Literal["summary", "short", "full"]
ThinkingLevel = Literal["hidden", "line", "full"]
TOOLS_LEVELS: tuple[ToolsLevel, ...] = ("summary", "short", "full")
THINKING_LEVELS: tuple[ThinkingLevel, ...] = ("hidden", "line", "full")

PROSE = 110
"""Cells: longer lines of prose are hard to read."""


@dataclass(frozen=True, slots=True)
class View:
    """What decides the look of all turns of a transcript."""

    agent: str = "agent"
    """Short name of the agent."""
    digits: int = 1
    """Width of the turn numbers."""
    root: str = ""
    """The project's folder, left out of paths."""
    tools: ToolsLevel = "summary"
    thinking: ThinkingLevel = "line"

    @property
    def indent(self) -> int:
        """Cells before the text of a turn: it stands under the name of who speaks."""
        return self.digits + 3


@dataclass(slots=True)
class Part:
    """A piece of a turn that is laid out as a whole: a head, a text, a tool call, a run of calls."""

    seq: int
    """`Block.seq` of what it begins with, -1 for what belongs to the head."""
    index: int
    """Tells parts with the same `seq` apart."""
    render: Callable[[int], list[Row]]
    """Its rows for a width."""
    indent: int = 0
    chars: int = 0
    """Length of its text, for an estimate of its height."""
    breaks: int = 0
    """Line ends in its text."""
    least: int = 1
    """Lines besides its text, or all of them where the text is folded away."""
    widest: int = 10_000
    """Cells that it uses at most."""
    texts: tuple[str, ...] = ()
    """The source of its text, where a search can look before it is laid out."""
    blocks: frozenset[int] = frozenset()
    """`Block.seq` of the blocks that it shows or folds away."""

    folded: bool = False
    """Some of its text is not shown."""
    several: bool = False
    """It tells of several tool calls."""

    @property
    def key(self) -> tuple[int, int]:
        """Its place in the turn."""
        return self.seq, self.index

    def estimate(self, width: int) -> int:
        """About how many lines it will have; exact where it has no text."""
        if not self.chars:
            return self.least
        room = max(20, min(self.widest, width - self.indent))
        return self.least + max(self.breaks + 1, self.chars // room + self.breaks // 2 + 1)

    def rows(self, width: int) -> list[Row]:
        """Its rows where `width` cells are left to the whole transcript."""
        return self.render(max(20, min(self.widest, width - self.indent)))
