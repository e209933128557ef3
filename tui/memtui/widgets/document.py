"""A transcript as lines, laid out only where it is looked at.

The height of a part that was never laid out is an estimate. Lines live in a bounded cache; a height that was once
measured stays known when its lines are dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from memtui.formatting import day
from memtui.render.parts import parts
from memtui.render.rows import Line, Row, wrap
from memtui.render.view import Part, View
from memtui_core.model import Block, Turn

KEPT_LINES = 12_000
"""Lines of laid out parts that are held."""


class Place(NamedTuple):
    """A line by the indices of its turn and part; good until either is made anew."""

    turn: int
    part: int
    line: int


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
    flipped: set[int] = field(default_factory=set)
    boxes: list[Box] = field(default_factory=list)
    tops: list[int] | None = None
    """Top of each box in the turn and, last, its height; None when a height has changed."""


class Document:
    """The turns of one session at one width. `decorate` may change the rows of a part before they are wrapped."""

    def __init__(self, turns: Sequence[Turn], view: View, width: int) -> None:
        self.view = view
        self.width = width
        self.turns: list[TurnBox] = []
        self.index: dict[int, int] = {}
        self._tops: list[int] | None = None
        self._cache: OrderedDict[int, Box] = OrderedDict()
        self._held = 0
        self.replace(turns)

    def decorate(self, number: int, part: Part, rows: list[Row]) -> list[Row]:
        """The rows as they are to be shown."""
        return rows

    def replace(self, turns: Sequence[Turn]) -> None:
        """Other heads of the same session: blocks and open folds of turns that did not change are kept."""
        before = {box.turn.number: box for box in self.turns}
        last = self.turns[-1] if self.turns else None
        self.turns = [_taken_over(before.get(turn.number), turn) for turn in turns]
        self.index = {box.turn.number: i for i, box in enumerate(self.turns)}
        self._tops = None
        for index, box in enumerate(self.turns):
            # The last turn has no blank line after it.
            if not box.boxes or (box is last) != (index == len(self.turns) - 1):
                self.make(index)

    def supply(self, blocks: Mapping[int, tuple[Block, ...]]) -> list[int]:
        """Blocks of turns by number; the numbers of those that were waiting for them."""
        taken = []
        for number, found in blocks.items():
            index = self.index.get(number)
            if index is not None and self.turns[index].blocks is None:
                self.turns[index].blocks = found
                self.make(index)
                taken.append(number)
        return taken

    def remake(self) -> None:
        """Make all parts anew: the view, the width or the turns have changed."""
        for i in range(len(self.turns)):
            self.make(i)

    def make(self, index: int) -> None:
        """Make the parts of one turn anew."""
        box = self.turns[index]
        before = self.turns[index - 1].turn if index else None
        started = box.turn.started_at
        new_day = started is not None and (before is None or day(before.started_at) != day(started))
        last = index == len(self.turns) - 1
        for old in box.boxes:
            self._drop(old)
        made = parts(box.turn, box.blocks, self.view, box.flipped, new_day, last)
        box.boxes = [Box(part, part.estimate(self.width)) for part in made]
        box.tops = self._tops = None

    def forget(self, index: int) -> None:
        """Drop the lines of one turn: what marks them has changed, their heights have not."""
        for box in self.turns[index].boxes:
            self._drop(box)

    def forget_all(self) -> None:
        """Drop all lines."""
        for index in range(len(self.turns)):
            self.forget(index)

    @property
    def height(self) -> int:
        """Lines in all, estimates included."""
        return self._turn_tops()[-1]

    def top(self, place: Place) -> int:
        """The line of the document at which a place stands."""
        return self._turn_tops()[place.turn] + self._part_tops(place.turn)[place.part] + place.line

    def at(self, y: int) -> Place:
        """The place at a line of the document, or the nearest one."""
        if not self.turns:
            return Place(0, 0, 0)
        tops = self._turn_tops()
        y = max(0, min(y, tops[-1] - 1))
        turn = min(bisect_right(tops, y) - 1, len(self.turns) - 1)
        inner = self._part_tops(turn)
        part = min(bisect_right(inner, y - tops[turn]) - 1, len(inner) - 2)
        return Place(turn, part, y - tops[turn] - inner[part])

    def lines(self, turn: int, part: int) -> list[Line]:
        """The lines of a part; laid out when they are not held."""
        owner = self.turns[turn]
        box = owner.boxes[part]
        if box.lines is None:
            number = owner.turn.number
            rows = self.decorate(number, box.part, box.part.rows(self.width))
            box.lines = wrap(rows, min(self.width, box.part.widest + box.part.indent), box.part.indent)
            self._held += len(box.lines)
            if len(box.lines) != box.height:
                box.height = len(box.lines)
                owner.tops = self._tops = None
            box.measured = True
            self._cache[id(box)] = box
            self._trim()
        else:
            self._cache.move_to_end(id(box))
        return box.lines

    def line(self, place: Place) -> Line | None:
        """The line at a place; None where an estimate was too high."""
        lines = self.lines(place.turn, place.part)
        return lines[place.line] if place.line < len(lines) else None

    def settle_down(self, place: Place, count: int) -> None:
        """Measure everything from a place to `count` lines below it."""
        turn, part = place.turn, place.part
        left = count + place.line
        while left > 0 and turn < len(self.turns):
            left -= self._measure(turn, part)
            part += 1
            if part == len(self.turns[turn].boxes):
                turn, part = turn + 1, 0

    def settle_up(self, place: Place, count: int) -> None:
        """Measure everything from `count` lines above a place up to it."""
        turn, part = place.turn, place.part
        left = count - place.line
        while left > 0:
            part -= 1
            if part < 0:
                turn -= 1
                if turn < 0:
                    return
                part = len(self.turns[turn].boxes) - 1
            left -= self._measure(turn, part)

    def last(self) -> Place:
        """The place of the last line, measured."""
        turn = len(self.turns) - 1
        part = len(self.turns[turn].boxes) - 1
        return Place(turn, part, self._measure(turn, part) - 1)

    def _measure(self, turn: int, part: int) -> int:
        box = self.turns[turn].boxes[part]
        return box.height if box.measured else len(self.lines(turn, part))

    def _turn_tops(self) -> list[int]:
        if self._tops is None:
            heights = (self._part_tops(index)[-1] for index in range(len(self.turns)))
            self._tops = list(accumulate(heights, initial=0))
        return self._tops

    def _part_tops(self, turn: int) -> list[int]:
        box = self.turns[turn]
        if box.tops is None:
            box.tops = list(accumulate((each.height for each in box.boxes), initial=0))
        return box.tops

    def _drop(self, box: Box) -> None:
        if box.lines is not None:
            self._held -= len(box.lines)
            box.lines = None
            self._cache.pop(id(box), None)

    def _trim(self) -> None:
        while self._held > KEPT_LINES and len(self._cache) > 1:
            self._drop(next(iter(self._cache.values())))


def _taken_over(old: TurnBox | None, turn: Turn) -> TurnBox:
    """The box of a turn: the old one when nothing has changed, else a new one with the same folds."""
    if old is None:
        return TurnBox(turn, turn.blocks or None)
    if not _same(old.turn, turn):
        return TurnBox(turn, turn.blocks or None, old.flipped)
    if turn.blocks and old.blocks is None:
        old.blocks, old.boxes = turn.blocks, []
    old.turn = turn
    return old


def _same(old: Turn, new: Turn) -> bool:
    """Nothing was added to a turn: what was read of it still holds."""
    return (old.line, old.end_line, old.provisional) == (new.line, new.end_line, new.provisional)
