"""Going from passage to passage of a hit, in order of rank; what hides a passage is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual.message import Message

from memtui.render.calls import calls_in
from memtui.render.locate import Spot, locate
from memtui.render.rows import Line
from memtui.target import Answer
from memtui.widgets.document import Box, Place
from memtui.widgets.match_walk import MatchWalk
from memtui_core.model import Passage

_LEAD = 3
"""A passage that is not in sight comes to a third of the screen."""


class _Located(NamedTuple):
    """Where the current passage stands, and what it was looked up in."""

    boxes: list[Box]
    width: int
    part: int
    first: int
    """Its first line in the part."""
    last: int


class PassageWalk(MatchWalk):
    """A reader that goes through the passages of a hit while nothing else is being found."""

    class PassageChanged(Message, namespace="transcript"):
        """Another passage is the current one."""

    @dataclass
    class NextHitRequested(Message, namespace="transcript"):
        """There is no further passage in this turn: the next hit is wanted, or the one before."""

        direction: int

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.answer: Answer | None = None
        self._passage: int | None = None
        """Index of the current passage."""
        self._turn = 0
        """`Turn.number` of the turn that holds the passages."""
        self._awaited: int | None = None
        """Index of a passage that waits for the blocks of its turn."""
        self._located: _Located | None = None

    @property
    def passage(self) -> Passage | None:
        """The current passage."""
        answer = self.answer
        return answer.passages[self._passage] if answer is not None and self._passage is not None else None

    @property
    def position(self) -> str:
        """Where one is: `passage 1 of 7`; empty without passages."""
        if self.answer is None or self._passage is None or self.matches.pattern is not None:
            return ""
        return f"passage {self._passage + 1} of {len(self.answer.passages)}"

    def take_answer(self, number: int, answer: Answer | None) -> None:
        """Go through other passages from now on, those of turn `number`; None for none."""
        self._turn, self.answer = number, answer if answer is not None and answer.passages else None
        self._passage = self._awaited = self._located = None

    def show_passage(self, index: int) -> None:
        """Go to a passage, as soon as the blocks of its turn are there and there is a screen to show it on."""
        turn = self.document.index.get(self._turn)
        if self.answer is None or turn is None:
            return
        self._awaited = index
        box = self.document.turns[turn]
        if box.blocks is None:
            self.ask(turn, turn + 1)
        if box.blocks is None or not self.ready:
            return
        self._awaited = None
        self.conceal()
        self._passage, self._located = index, None
        self._open_fold_of(turn, self.answer.passages[index].block)
        self._bring_in_sight(turn)
        self.select(self._turn)
        self.refresh()
        self.post_message(self.PassageChanged())

    def supplied(self) -> None:
        """More blocks are there."""
        super().supplied()
        if self._awaited is not None:
            self.show_passage(self._awaited)

    def resized(self) -> None:
        """Go to what could not be shown while there was no room for it."""
        super().resized()
        if self._awaited is not None:
            self.show_passage(self._awaited)

    def action_match(self, direction: int) -> None:
        """Go to the next passage or match, or to the one before; after the last passage to the next hit."""
        if self.answer is None or self.matches.pattern is not None:
            super().action_match(direction)
            return
        index = direction + self._passage if self._passage is not None else 0
        if 0 <= index < len(self.answer.passages):
            self.show_passage(index)
        else:
            self.post_message(self.NextHitRequested(direction))

    def mark_of(self, place: Place, line: Line) -> str:
        """A bar before the lines of the current passage."""
        if self.passage is None or self.document.turns[place.turn].turn.number != self._turn:
            return ""
        located = self._locate(place.turn)
        if located is None or place.part != located.part or not located.first <= place.line <= located.last:
            return ""
        return "▌ passage"

    def _open_fold_of(self, turn: int, block: int) -> None:
        """Open what hides the text of a block."""
        box = self.document.turns[turn]
        shown = next((one.part for one in box.boxes if block in one.part.blocks), None)
        if shown is not None and not shown.folded:
            return
        self.reveal(turn, self._call_of(turn, block))

    def _call_of(self, turn: int, block: int) -> int:
        """`Block.seq` of the call whose result a block is; of any other block its own."""
        calls = calls_in(self.document.turns[turn].blocks or ())
        return next((seq for seq, call in calls.items() if call.result and call.result.seq == block), block)

    def passage_call(self) -> tuple[int, int] | None:
        """The turn's number and the `Block.seq` of the tool call that the current passage is from."""
        passage, turn = self.passage, self.document.index.get(self._turn)
        if passage is None or turn is None or not passage.source.startswith("tool"):
            return None
        return self._turn, self._call_of(turn, passage.block)

    def _bring_in_sight(self, turn: int) -> None:
        """Scroll as little as needed; from farther away to a third of the screen."""
        document = self.document
        located = self._locate(turn)
        place = end = Place(turn, 0, 0)
        if located is not None:
            place, end = Place(turn, located.part, located.first), Place(turn, located.part, located.last)
        document.settle_down(self.place, self.page)
        document.settle_down(place, self.page)
        top = document.top(self.place)
        if top <= document.top(place) and document.top(end) < top + self.page - 1:
            self.settle(self.place)
            return
        document.settle_up(place, self.page)
        self.at_end = False
        self.settle(document.at(max(0, document.top(place) - self.page // _LEAD)), beyond=False)

    def _locate(self, turn: int) -> _Located | None:
        """Where the current passage stands now; None when it is not shown."""
        document, passage = self.document, self.passage
        boxes = document.turns[turn].boxes
        known = self._located
        if known is not None and known.boxes is boxes and known.width == document.width:
            return known
        self._located = None
        if passage is None:
            return None
        parts = [number for number, box in enumerate(boxes) if passage.block in box.part.blocks]
        rows = [(part, row, each) for part in parts for row, each in enumerate(boxes[part].part.rows(document.width))]
        if not rows:
            return None
        spots = locate([each for *_, each in rows], passage.text, self._share(turn, passage))
        first, last = spots or (Spot(0, 0), Spot(0, 0))
        part, row, _ = rows[first.row]
        # A long text is several parts; of a passage that goes on in the next one the beginning counts.
        end_part, end_row, _ = rows[last.row]
        lines = document.lines(turn, part)
        begin = _line_at(lines, row, first.character)
        end = _line_at(lines, end_row, last.character - 1) if end_part == part else len(lines) - 1
        self._located = _Located(boxes, document.width, part, begin, end)
        return self._located

    def _share(self, turn: int, passage: Passage) -> float:
        """Where in its block a passage begins, 0 to 1."""
        blocks = self.document.turns[turn].blocks or ()
        length = next((len(block.text) for block in blocks if block.seq == passage.block), 0)
        return min(1.0, passage.first / length) if length else 0.0


def _line_at(lines: Sequence[Line], row: int, character: int) -> int:
    """The index of the line that shows a character of a row."""
    return max((i for i, line in enumerate(lines) if line.row == row and line.start <= max(0, character)), default=0)
