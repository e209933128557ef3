"""The current turn of a transcript."""

from __future__ import annotations

from collections.abc import Callable

from memtui.widgets.transcript.layout.boxes import TranscriptPlace
from memtui.widgets.transcript.layout.viewport import Viewport


class TurnCursor:
    """The turn at the top of the screen, or the target of the last jump; `changed` is called when it changes."""

    def __init__(self, viewport: Viewport, changed: Callable[[], None]) -> None:
        self.number = 0
        """`Turn.number` of the current turn; 0 if there is none."""
        self._viewport = viewport
        self._changed = changed

    def select(self, number: int) -> None:
        """Make a turn the current one, without scrolling."""
        if number != self.number:
            self.number = number
            self._changed()

    def go_to(self, number: int) -> None:
        """Scroll the heading of a turn to the top of the screen."""
        if (index := self._viewport.document.index.get(number)) is not None:
            self._viewport.go_to(TranscriptPlace(index, 0, 0))
            self.select(number)

    def go_to_first(self) -> None:
        """Go to the first turn."""
        if turns := self._viewport.document.turns:
            self.go_to(turns[0].turn.number)

    def go_to_end(self) -> None:
        """Go to the end of the last turn."""
        if turns := self._viewport.document.turns:
            self._viewport.go_to_end()
            self.select(turns[-1].turn.number)

    def step(self, direction: int, kinds: frozenset[str] | None = None) -> None:
        """Go to the next turn of the kinds, or to the heading of the current turn and then to the previous turn."""
        document, place = self._viewport.document, self._viewport.place
        index = document.index.get(self.number)
        if index is None:
            return
        if direction < 0 and place.turn == index and (place.part, place.line) > (0, 0):
            index += 1
        while 0 <= (index := index + direction) < len(document.turns):
            turn = document.turns[index].turn
            if kinds is None or turn.kind in kinds:
                self.go_to(turn.number)
                return

    def follow_viewport(self) -> None:
        """Select the turn at the top; a blank line at the top belongs to the next turn."""
        turns, place = self._viewport.document.turns, self._viewport.place
        index = place.turn
        if place.part == len(turns[index].boxes) - 1 and index + 1 < len(turns):
            index += 1
        self.select(turns[index].turn.number)
