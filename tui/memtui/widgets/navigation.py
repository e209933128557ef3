"""Going through a transcript by lines, pages, turns and prompts."""

from __future__ import annotations

from textual.message import Message

from memtui.render.rows import Line
from memtui.widgets.document import Place
from memtui.widgets.passage_walk import PassageWalk

_PROMPTS = frozenset({"human", "command"})

_COMPACTIONS = frozenset({"compaction"})


class Navigator(PassageWalk):
    """A reader with a current turn: the one at the top of the screen, or the one that was gone to."""

    class TurnChanged(Message, namespace="transcript"):
        """Another turn is the current one."""

        def __init__(self, session: int, number: int) -> None:
            super().__init__()
            self.session = session
            self.number = number

        def can_replace(self, message: Message) -> bool:
            """Only the last of several counts."""
            return isinstance(message, Navigator.TurnChanged)

    def select(self, number: int) -> None:
        """Make a turn the current one, without a move."""
        if number != self.number and self.session is not None:
            self.number = number
            self.refresh()
            self.post_message(self.TurnChanged(self.session.key, number))

    def jump(self, number: int) -> None:
        """Put the head of a turn at the top of the screen."""
        if (index := self.document.index.get(number)) is not None:
            self.at_end = False
            self.settle(Place(index, 0, 0), beyond=True)
            self.select(number)

    def mark_of(self, place: Place, line: Line) -> str:
        """A bar before the current turn, a thicker one before the current passage."""
        current = self.document.turns[place.turn].turn.number == self.number
        return super().mark_of(place, line) or ("▎ cursor" if current else "")

    def scrolled(self) -> None:
        """The turn at the top is the current one; a blank line at the top belongs to the next turn."""
        document = self.document
        index = self.place.turn
        boxes = document.turns[index].boxes
        if self.place.part == len(boxes) - 1 and index + 1 < len(document.turns):
            index += 1
        self.select(document.turns[index].turn.number)

    def action_line(self, count: int) -> None:
        """Scroll by lines."""
        self.scroll_lines(count)

    def action_half(self, direction: int) -> None:
        """Scroll by half a page."""
        self.scroll_lines(direction * max(1, self.page // 2))

    def action_page(self, direction: int) -> None:
        """Scroll by a page; a line of the last one stays."""
        self.scroll_lines(direction * max(1, self.page - 1))

    def action_top(self) -> None:
        """Go to the first turn."""
        if self.document.turns:
            self.jump(self.document.turns[0].turn.number)

    def action_bottom(self) -> None:
        """Go to the end."""
        if self.document.turns:
            self.settle_end()
            self.select(self.document.turns[-1].turn.number)

    def action_turn(self, direction: int) -> None:
        """Go to the next turn, or to the head of this one and then to the turn before."""
        self._step(direction, None)

    def action_human(self, direction: int) -> None:
        """Go to the next or the last prompt of a person."""
        self._step(direction, _PROMPTS)

    def action_compaction(self, direction: int) -> None:
        """Go to the next compaction, or to the one before."""
        self._step(direction, _COMPACTIONS)

    def _step(self, direction: int, kinds: frozenset[str] | None) -> None:
        document = self.document
        if self.number not in document.index:
            return
        here = document.index[self.number]
        if direction < 0 and self.place.turn == here and (self.place.part, self.place.line) > (0, 0):
            here += 1
        while 0 <= (here := here + direction) < len(document.turns):
            turn = document.turns[here].turn
            if kinds is None or turn.kind in kinds:
                self.jump(turn.number)
                return
