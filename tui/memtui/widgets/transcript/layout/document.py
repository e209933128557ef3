"""A transcript as lines, which are laid out only near the screen.

The height of a part that was never laid out is an estimate. Lines are kept in a bounded cache; a measured height
stays known when its lines are dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil

from textual.geometry import Offset

from memtui.render.options import RenderOptions
from memtui.render.rows import Line, Row
from memtui.render.tools.calls import RenderedCall, rendered_calls
from memtui.render.turns.part import Part
from memtui.render.turns.parts import parts
from memtui.widgets.transcript.layout.boxes import Box, TranscriptPlace, TurnBox, updated_box
from memtui.wording.formatting import day
from memtui_core.model import Block, Turn

MAX_CACHED_LINES = 12_000
"""The most lines of laid out parts in the cache."""


Decorate = Callable[[TurnBox, Part, list[Row]], list[Row]]
"""Turns the rows of a part of a turn into the rows to show."""


class Document:
    """The turns of one session at one width; `decorate` may change the rows of a part before they are wrapped."""

    def __init__(self, decorate: Decorate) -> None:
        self.options = RenderOptions()
        self.width = 80
        self.turns: list[TurnBox] = []
        self.index: dict[int, int] = {}
        """The index of a turn by its `Turn.number`."""
        self._decorate = decorate
        self._tops: list[int] | None = None
        self._laid_out: OrderedDict[int, Box] = OrderedDict()
        """The boxes with lines, by their identity; the least recently used first."""
        self._line_count = 0

    def open(self, turns: Sequence[Turn], options: RenderOptions, width: int) -> None:
        """Show another session; `turns` may lack blocks."""
        self.options, self.width = options, width
        self.turns = []
        self._laid_out.clear()
        self._line_count = 0
        self.update(turns)

    def update(self, turns: Sequence[Turn]) -> None:
        """Take newer turns of the same session: blocks and open folds of turns that did not change are kept."""
        old_boxes = {box.turn.number: box for box in self.turns}
        old_last = self.turns[-1] if self.turns else None
        self.turns = [updated_box(old_boxes.get(turn.number), turn) for turn in turns]
        self.index = {box.turn.number: i for i, box in enumerate(self.turns)}
        self._tops = None
        for index, box in enumerate(self.turns):
            # The last turn has no blank line after it.
            if not box.boxes or (box is old_last) != (index == len(self.turns) - 1):
                self.rebuild_turn(index)

    def supply(self, blocks: Mapping[int, tuple[Block, ...]]) -> bool:
        """Take the blocks of turns by number; True if any of the turns had none."""
        supplied = False
        for number, turn_blocks in blocks.items():
            index = self.index.get(number)
            if index is not None and self.turns[index].blocks is None:
                self.turns[index].blocks = turn_blocks
                self.rebuild_turn(index)
                supplied = True
        return supplied

    def calls(self, index: int) -> dict[int, RenderedCall]:
        """The tool calls of a turn by the `Block.seq` of each; none before its blocks are loaded."""
        return rendered_calls(self.turns[index].blocks or (), self.options.root, self.options.subagents)

    @property
    def flipped(self) -> dict[int, frozenset[int]]:
        """The folds that differ from the options, by `Turn.number`."""
        return {box.turn.number: frozenset(box.flipped) for box in self.turns if box.flipped}

    def flip_all(self, flipped: Mapping[int, Collection[int]]) -> None:
        """Make folds differ from the options, by `Turn.number`; turns that are gone are left out."""
        for number, folds in flipped.items():
            if (index := self.index.get(number)) is not None:
                self.turns[index].flipped = set(folds)
                self.rebuild_turn(index)

    def flip(self, index: int, *folds: int) -> None:
        """Unfold folds of a turn, or fold them again."""
        self.turns[index].flipped.symmetric_difference_update(folds)
        self.rebuild_turn(index)

    def show_as(self, options: RenderOptions) -> None:
        """Render all turns with other options."""
        self.options = options
        for box in self.turns:
            box.flipped.clear()
        self.rebuild()

    def lay_out(self, width: int, height: int) -> None:
        """Lay out for another width; the height of the screen is not used."""
        if width != self.width:
            self.width = width
            self.rebuild()

    def rebuild(self) -> None:
        """Build all parts again: the options or the width have changed."""
        for i in range(len(self.turns)):
            self.rebuild_turn(i)

    def rebuild_turn(self, index: int) -> None:
        """Rebuild the parts of one turn."""
        box = self.turns[index]
        previous = self.turns[index - 1].turn if index else None
        started = box.turn.started_at
        new_day = started is not None and (previous is None or day(previous.started_at) != day(started))
        last = index == len(self.turns) - 1
        self.drop_lines(index)
        made = parts(box.turn, box.blocks, self.options, box.flipped, new_day, last)
        box.boxes = [Box(part, part.estimate(self.width)) for part in made]
        box.tops = self._tops = None

    def drop_lines(self, index: int) -> None:
        """Drop the lines of a turn, whose decoration but not whose heights have changed."""
        for box in self.turns[index].boxes:
            self._drop(box)

    def drop_all_lines(self) -> None:
        """Drop the lines of all turns."""
        for index in range(len(self.turns)):
            self.drop_lines(index)

    @property
    def height(self) -> int:
        """The number of lines, estimates included."""
        return self._turn_tops()[-1]

    @property
    def indent(self) -> int:
        """Cells before the text of a turn."""
        return self.options.indent

    def top(self, place: TranscriptPlace) -> int:
        """The line of the document at which a place is."""
        return self._turn_tops()[place.turn] + self._part_tops(place.turn)[place.part] + place.line

    def at(self, y: int) -> TranscriptPlace:
        """The place at a line of the document, or the nearest one."""
        if not self.turns:
            return TranscriptPlace(0, 0, 0)
        tops = self._turn_tops()
        y = max(0, min(y, tops[-1] - 1))
        turn = min(bisect_right(tops, y) - 1, len(self.turns) - 1)
        part_tops = self._part_tops(turn)
        part = min(bisect_right(part_tops, y - tops[turn]) - 1, len(part_tops) - 2)
        return TranscriptPlace(turn, part, y - tops[turn] - part_tops[part])

    def share_at(self, y: int) -> tuple[int, float]:
        """The index of the turn at a line of the document, and the line's relative position in the turn, 0 to 1."""
        tops, turn = self._turn_tops(), self.at(y).turn
        return turn, max(0.0, min(1.0, (y - tops[turn]) / max(1, tops[turn + 1] - tops[turn])))

    def line_at(self, turn: int, share: float) -> int:
        """The first line of the document from a relative position in a turn on, 0 to 1."""
        tops = self._turn_tops()
        return tops[turn] + ceil(share * (tops[turn + 1] - tops[turn]))

    def lines(self, turn: int, part: int) -> list[Line]:
        """The lines of a part; it is laid out if they are not in the cache."""
        owner = self.turns[turn]
        box = owner.boxes[part]
        if box.lines is None:
            rows = self._decorate(owner, box.part, box.part.rows(self.width))
            box.lines = box.part.wrapped(rows, self.width)
            self._line_count += len(box.lines)
            if len(box.lines) != box.height:
                box.height = len(box.lines)
                owner.tops = self._tops = None
            box.measured = True
            self._laid_out[id(box)] = box
            self._trim()
        else:
            self._laid_out.move_to_end(id(box))
        return box.lines

    def line(self, place: TranscriptPlace) -> Line | None:
        """The line at a place; None if an estimate was too high."""
        lines = self.lines(place.turn, place.part)
        return lines[place.line] if place.line < len(lines) else None

    def keyed_line(self, y: int) -> tuple[int, Line | None]:
        """The key and the line at a line of the document; None below the end, or if an estimate was too high."""
        if y >= self.height:
            return TranscriptPlace(len(self.turns), 0, 0).key, None
        place = self.at(y)
        return place.key, self.line(place)

    def selected(self, start: Offset, end: Offset) -> Iterator[tuple[Line, int, int]]:
        """The selected lines, each with its first selected character and the end."""
        place = TranscriptPlace.of_key(start.y)
        while place.turn < len(self.turns) and (key := place.key) <= end.y:
            if place.part >= len(self.turns[place.turn].boxes):
                place = TranscriptPlace(place.turn + 1, 0, 0)
                continue
            line = self.line(place)
            if line is None:
                place = TranscriptPlace(place.turn, place.part + 1, 0)
                continue
            yield line, start.x if key == start.y else 0, end.x if key == end.y else len(line.text)
            place = place._replace(line=place.line + 1)

    def measure_below(self, place: TranscriptPlace, count: int) -> None:
        """Measure everything from a place to `count` lines below it."""
        turn, part = place.turn, place.part
        left = count + place.line
        while left > 0 and turn < len(self.turns):
            left -= self._measure(turn, part)
            part += 1
            if part == len(self.turns[turn].boxes):
                turn, part = turn + 1, 0

    def measure_above(self, place: TranscriptPlace, count: int) -> None:
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

    def last(self) -> TranscriptPlace:
        """The place of the last line, measured."""
        turn = len(self.turns) - 1
        part = len(self.turns[turn].boxes) - 1
        return TranscriptPlace(turn, part, self._measure(turn, part) - 1)

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
            box.tops = list(accumulate((part_box.height for part_box in box.boxes), initial=0))
        return box.tops

    def _drop(self, box: Box) -> None:
        if box.lines is not None:
            self._line_count -= len(box.lines)
            box.lines = None
            self._laid_out.pop(id(box), None)

    def _trim(self) -> None:
        while self._line_count > MAX_CACHED_LINES and len(self._laid_out) > 1:
            self._drop(next(iter(self._laid_out.values())))
