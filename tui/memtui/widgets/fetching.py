"""Blocks of turns, asked for when they come near the screen and taken without a move of what is read."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic

from textual.message import Message

from memtui.widgets.anchors import anchor, find
from memtui.widgets.document import Place
from memtui.widgets.reader import Reader
from memtui_core.model import Block, Session

_AHEAD = 20
"""Turns before and after the screen whose blocks are asked for."""
_PATIENCE = 5.0
"""Seconds after which blocks that did not come are asked for again."""


class Fetcher(Reader):
    """A reader of which only the heads of turns are there at first."""

    class BlocksRequested(Message, namespace="transcript"):
        """The blocks of turns `first` to `last` are needed; `Transcript.supply` takes the answer."""

        def __init__(self, session: int, first: int, last: int) -> None:
            super().__init__()
            self.session = session
            self.first = first
            self.last = last

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.session: Session | None = None
        self.asked: dict[int, float] = {}
        """When the blocks of a turn were asked for, by its number."""

    def moved(self) -> None:
        """Ask for the blocks of what came near."""
        document = self.document
        bottom = document.at(document.top(self.place) + self.page)
        self.ask(max(0, self.place.turn - _AHEAD), min(len(document.turns), bottom.turn + _AHEAD + 1))

    def ask(self, start: int, end: int) -> None:
        """Ask for the blocks that turns `start` to `end` (indices) still lack."""
        if self.session is None:
            return
        now = monotonic()
        lacking = [
            box.turn.number
            for box in self.document.turns[start:end]
            if box.blocks is None and now - self.asked.get(box.turn.number, -_PATIENCE) >= _PATIENCE
        ]
        if lacking:
            self.asked.update(dict.fromkeys(range(lacking[0], lacking[-1] + 1), now))
            self.post_message(self.BlocksRequested(self.session.key, lacking[0], lacking[-1]))

    def take(self, blocks: Mapping[int, tuple[Block, ...]]) -> bool:
        """Take blocks by turn number; True when one of them was waited for. What is read stays where it is."""
        document = self.document
        known = self._known()
        below = known > self.place.turn
        mark = anchor(document, self.place)
        distance = document.top(Place(known, 0, 0)) - document.top(self.place)
        if not document.supply(blocks):
            return False
        place = Place(known, 0, 0)
        if below:
            document.settle_up(place, distance)
            self.resume(document.at(document.top(place) - distance))
        else:
            self.resume(find(document, mark))
        return True

    def _known(self) -> int:
        """The turn whose place on the screen must not change when blocks come.

        It is the one at the top. But when only the head of that is known and its head is not what stands at the top,
        it is the next one on the screen that is known in full.
        """
        document, top = self.document, self.place
        if (top.part, top.line) == (0, 0):
            return top.turn
        last = document.at(document.top(top) + self.page - 1).turn
        known = (i for i in range(top.turn, last + 1) if document.turns[i].blocks is not None)
        return next(known, top.turn)
