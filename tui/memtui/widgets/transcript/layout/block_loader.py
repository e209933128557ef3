"""Loading the blocks of turns that are near the screen, without moving the lines on the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic

from memtui.widgets.transcript.layout.anchors import anchor_at, place_of
from memtui.widgets.transcript.layout.boxes import TranscriptPlace
from memtui.widgets.transcript.layout.viewport import Viewport
from memtui_core.model import Block

_AHEAD = 20
"""Turns above and below the screen whose blocks are requested."""
_RETRY_AFTER = 5.0
"""Seconds after which blocks that did not arrive are requested again."""


class BlockLoader:
    """Requests the missing blocks of a document: `request` is called with the first and last `Turn.number`."""

    def __init__(self, viewport: Viewport, request: Callable[[int, int], None]) -> None:
        self._viewport = viewport
        self._request = request
        self._requested: dict[int, float] = {}
        """When the blocks of a turn were requested, by its number."""

    def reset(self) -> None:
        """Forget all requests, for another session."""
        self._requested.clear()

    def forget(self, number: int) -> None:
        """Forget the request for a turn that has changed."""
        self._requested.pop(number, None)

    def load_near(self) -> None:
        """Request the blocks of the turns near the screen."""
        document, place = self._viewport.document, self._viewport.place
        bottom = document.at(document.top(place) + self._viewport.page)
        self.load(max(0, place.turn - _AHEAD), min(len(document.turns), bottom.turn + _AHEAD + 1))

    def load(self, start: int, end: int) -> None:
        """Request the missing blocks of turns `start` to `end` (indices, end excluded)."""
        now = monotonic()
        missing = [
            box.turn.number
            for box in self._viewport.document.turns[start:end]
            if box.blocks is None and now - self._requested.get(box.turn.number, -_RETRY_AFTER) >= _RETRY_AFTER
        ]
        if missing:
            self._requested.update(dict.fromkeys(range(missing[0], missing[-1] + 1), now))
            self._request(missing[0], missing[-1])

    def supply(self, blocks: Mapping[int, tuple[Block, ...]]) -> bool:
        """Take blocks by turn number; True if any of them was missing. The lines on the screen do not move."""
        viewport = self._viewport
        document, place = viewport.document, viewport.place
        fixed = TranscriptPlace(self._fixed_turn(), 0, 0)
        anchor = anchor_at(document, place)
        distance = document.top(fixed) - document.top(place)
        if not document.supply(blocks):
            return False
        if fixed.turn > place.turn:
            document.measure_above(fixed, distance)
            viewport.restore(document.at(document.top(fixed) - distance))
        else:
            viewport.restore(place_of(document, anchor))
        return True

    def _fixed_turn(self) -> int:
        """The index of the turn whose place on the screen must not change when blocks arrive.

        This is the turn at the top. If only the heading of that turn is loaded and the heading is not at the top, it
        is the next turn on the screen whose blocks are loaded.
        """
        document, place = self._viewport.document, self._viewport.place
        if (place.part, place.line) == (0, 0):
            return place.turn
        loaded = (i for i in range(place.turn, self._viewport.bottom.turn + 1) if document.turns[i].blocks is not None)
        return next(loaded, place.turn)
