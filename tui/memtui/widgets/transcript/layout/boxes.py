"""The turns of a transcript as boxes with heights, and places in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from memtui.render.rows import Line
from memtui.render.turns.part import Part
from memtui_core.model import Block, Turn


class TranscriptPlace(NamedTuple):
    """A line by the indices of its turn and part; valid until either is rebuilt."""

    turn: int
    part: int
    line: int

    @property
    def key(self) -> int:
        """A number with the order of the places, which stays the same when other parts are measured."""
        return self.turn << 44 | self.part << 24 | self.line

    @classmethod
    def of_key(cls, key: int) -> TranscriptPlace:
        """The place of a key."""
        return cls(key >> 44, key >> 24 & 0xFFFFF, key & 0xFFFFFF)


@dataclass(slots=True, eq=False)
class Box:
    """A part and its height."""

    part: Part
    height: int
    measured: bool = False
    lines: list[Line] | None = None


@dataclass(slots=True, eq=False)
class TurnBox:
    """A turn with its parts."""

    turn: Turn
    blocks: tuple[Block, ...] | None
    """None until they are loaded."""
    flipped: set[int] = field(default_factory=set)
    """`Block.seq` of the blocks that are unfolded although the options fold them, or the other way round."""
    boxes: list[Box] = field(default_factory=list)
    tops: list[int] | None = None
    """The top of each box in the turn, then the height of the turn; None after a height has changed."""

    def text_part(self, seq: int) -> int:
        """The index of the part that shows a block, or of the folded part that contains it."""
        return max((i for i, box in enumerate(self.boxes) if box.part.seq <= seq and box.part.texts), default=0)

    def folds_around(self, seq: int, call: int) -> tuple[int, ...]:
        """The folds to unfold so that all of a block is shown, which belongs to the call `call` or is it."""
        part = next((box.part for box in self.boxes if seq in box.part.blocks), None)
        if part is not None and part.run is not None:
            # A call that was unfolded in the run is still so.
            return (part.run,) if call in self.flipped else (part.run, call)
        return (call,) if part is None or part.folded else ()

    def text_parts(self, seq: int) -> list[int]:
        """The indices of the parts with a text that start with a block."""
        return [i for i, box in enumerate(self.boxes) if box.part.seq == seq and box.part.texts]


def updated_box(old: TurnBox | None, turn: Turn) -> TurnBox:
    """The box of a turn: the old box if nothing has changed, otherwise a new box with the same folds."""
    if old is None:
        return TurnBox(turn, turn.blocks or None)
    if not _is_unchanged(old.turn, turn):
        return TurnBox(turn, turn.blocks or None, old.flipped)
    if _annotations(old.turn) != _annotations(turn):
        old.boxes = []
    if turn.blocks and old.blocks is None:
        old.blocks, old.boxes = turn.blocks, []
    old.turn = turn
    return old


def _annotations(turn: Turn) -> tuple[object, ...]:
    return turn.pinned, turn.tags, turn.notes


def _is_unchanged(old: Turn, new: Turn) -> bool:
    """Whether nothing was added to a turn, so that its blocks are still valid."""
    return (old.line, old.end_line, old.provisional) == (new.line, new.end_line, new.provisional)
