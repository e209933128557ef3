"""The transcript of one session: its turns, at three levels of detail, with the words of a search marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive

from memtui.present import agent_name
from memtui.render.copying import turn_text
from memtui.render.view import THINKING_LEVELS, TOOLS_LEVELS, ThinkingLevel, ToolsLevel, View
from memtui.widgets.anchors import anchor, find
from memtui.widgets.document import Place
from memtui.widgets.marked import MarkedDocument
from memtui.widgets.match_list import MatchList
from memtui.widgets.match_walk import MatchWalk
from memtui.widgets.transcript_keys import KEYS
from memtui_core.model import Block, Session, Turn

_AHEAD = 20
"""Turns before and after the screen whose blocks are asked for."""
_OFFERED = {"human", "command"}


class Transcript(MatchWalk):
    """Shows the turns of a session; the blocks of what comes near the screen are asked for by `BlocksWanted`."""

    HELP: ClassVar[str] = """\
## Turns

The transcript of one session. `●` is you, `○` the agent, `▸` a tool, `✗` an error, `⧉` a compaction.
`t` and `T` show more or less of tools and thinking; a click on a folded line opens it alone.
"""
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    tools_level: reactive[ToolsLevel] = reactive[ToolsLevel]("summary", repaint=False)
    """How much of the tools is shown."""
    thinking_level: reactive[ThinkingLevel] = reactive[ThinkingLevel]("line", repaint=False)
    """How much of the thinking is shown."""

    class BlocksWanted(Message):
        """The blocks of turns `first` to `last` are needed; `supply` is the answer."""

        def __init__(self, session: int, first: int, last: int) -> None:
            super().__init__()
            self.session = session
            self.first = first
            self.last = last

    class TurnChanged(Message):
        """Another turn is the current one."""

        def __init__(self, session: int, number: int) -> None:
            super().__init__()
            self.session = session
            self.number = number

        def can_replace(self, message: Message) -> bool:
            """Only the last of several counts."""
            return isinstance(message, Transcript.TurnChanged)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.document: MarkedDocument = MarkedDocument([], View(), 80)
        self.session: Session | None = None
        self.number = 0
        """`Turn.number` of the current turn; 0 when there is none."""
        self.empty = "No session chosen."

    def show(self, session: Session, turns: Sequence[Turn], at: int | None = None, words: Sequence[str] = ()) -> None:
        """Show a session from turn number `at`, or from its first, with `words` marked; `turns` may lack blocks."""
        self.session = session
        self.empty = "This session has no turns."
        self.drop_selection()
        self.asked.clear()
        self.matches = MatchList(words)
        self.number = 0
        document = MarkedDocument([], self._view(turns), self.text_width if self.size.width else 80)
        document.matches = self.matches
        document.replace(turns)
        self.document = document
        self.at_end = False
        index = document.index.get(at, 0) if at is not None else 0
        self.settle(Place(index, 0, 0), beyond=True)
        if turns:
            self.select(turns[index].number)
        self.refresh()
        self.start_counting()

    def grow(self, turns: Sequence[Turn]) -> None:
        """Take new heads of the session that is shown, all of them; the line at the top of the screen stays."""
        document = self.document
        if self.session is None or not document.turns:
            if self.session is not None:
                self.show(self.session, turns, words=self.matches.words)
            return
        mark = anchor(document, self.place)
        before = {box.turn.number: box.blocks for box in document.turns}
        document.view = self._view(turns)
        document.replace(turns)
        for box in document.turns:
            if box.blocks is None or box.blocks is not before.get(box.turn.number):
                self.asked.pop(box.turn.number, None)
                self.matches.forget(box.turn.number)
        self.at_end = False
        self.settle(find(document, mark), beyond=True)
        self.start_counting()

    def supply(self, session: int, blocks: Mapping[int, tuple[Block, ...]]) -> None:
        """Take blocks by turn number, the answer to `BlocksWanted`; those of another session are left."""
        document = self.document
        if self.session is None or session != self.session.key or not document.turns:
            return
        known = self._known_below()
        mark, below = anchor(document, self.place), known - self.place.turn
        gap = document.top(Place(known, 0, 0)) - document.top(self.place)
        if document.supply(blocks):
            if below and not self.at_end:
                document.settle_up(Place(known, 0, 0), gap)
                self.resume(document.at(document.top(Place(known, 0, 0)) - gap))
            else:
                self.resume(find(document, mark))
            self.supplied()

    def _known_below(self) -> int:
        """The turn whose place on the screen is kept when blocks come.

        It is the one at the top, or if only its head is known the next one on the screen that is known in full.
        """
        document = self.document
        last = document.at(document.top(self.place) + self.page - 1).turn
        known = (i for i in range(self.place.turn, last + 1) if document.turns[i].blocks is not None)
        found = next(known, self.place.turn)
        return found if (self.place.part, self.place.line) > (0, 0) else self.place.turn

    def mark(self, words: Sequence[str]) -> None:
        """Mark other words; nothing moves."""
        if tuple(words) == self.matches.words:
            return
        self.matches = MatchList(words)
        self.document.matches = self.matches
        self.document.forget_all()
        self.refresh()
        self.start_counting()

    def clear(self) -> None:
        """Show nothing."""
        self.session = None
        self.document = MarkedDocument([], View(), 80)
        self.matches = MatchList()
        self.number = 0
        self.place = Place(0, 0, 0)
        self.empty = "No session chosen."
        self.refresh()

    def _view(self, turns: Sequence[Turn]) -> View:
        session = self.session
        assert session is not None
        digits = len(str(max((turn.number for turn in turns), default=1)))
        root = session.root or session.cwd
        return View(agent_name(session.agent), digits, root, self.tools_level, self.thinking_level)

    def watch_tools_level(self, level: ToolsLevel) -> None:
        """Fold the tools; the line at the top stays."""
        self.document.view = replace(self.document.view, tools=level)
        self._refold()

    def watch_thinking_level(self, level: ThinkingLevel) -> None:
        """Fold the thinking; the line at the top stays."""
        self.document.view = replace(self.document.view, thinking=level)
        self._refold()

    def _refold(self) -> None:
        for box in self.document.turns:
            box.flipped.clear()
        self.remake()

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

    def mark_of(self, turn: int) -> str:
        """A bar before the current turn."""
        return "▎ cursor" if self.document.turns[turn].turn.number == self.number else ""

    def moved(self) -> None:
        """Ask for the blocks of what came near."""
        document = self.document
        bottom = document.at(document.top(self.place) + self.page)
        self.ask(max(0, self.place.turn - _AHEAD), min(len(document.turns), bottom.turn + _AHEAD + 1))

    def ask(self, start: int, end: int) -> None:
        """Ask for the blocks that turns `start` to `end` (indices) still lack."""
        document, session = self.document, self.session
        assert session is not None
        lacking = [
            box.turn.number
            for box in document.turns[start:end]
            if box.blocks is None and box.turn.number not in self.asked
        ]
        if lacking:
            self.asked.update(dict.fromkeys(range(lacking[0], lacking[-1] + 1)))
            self.post_message(self.BlocksWanted(session.key, lacking[0], lacking[-1]))

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
        self._step(direction, _OFFERED)

    def _step(self, direction: int, kinds: set[str] | None) -> None:
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

    def action_tools(self) -> None:
        """Show more of the tools, or the least again."""
        self.tools_level = TOOLS_LEVELS[(TOOLS_LEVELS.index(self.tools_level) + 1) % len(TOOLS_LEVELS)]

    def action_thinking(self) -> None:
        """Show more of the thinking, or none again."""
        index = (THINKING_LEVELS.index(self.thinking_level) + 1) % len(THINKING_LEVELS)
        self.thinking_level = THINKING_LEVELS[index]

    def action_copy(self) -> None:
        """Copy the current turn."""
        document = self.document
        if (index := document.index.get(self.number)) is not None:
            box = document.turns[index]
            self.app.copy_to_clipboard(turn_text(box.turn, box.blocks, document.view))
            self.notify(f"Turn {self.number} copied.")

    def on_click(self, event: events.Click) -> None:
        """Select the turn; open or close what was clicked on."""
        document = self.document
        if not self.ready or self.text_selection is not None:
            return
        y = round(self.scroll_y) + event.y
        if y >= document.height:
            return
        place = document.at(y)
        self.select(document.turns[place.turn].turn.number)
        line = document.line(place)
        if line is not None and line.fold is not None:
            self.flip(place.turn, line.fold)

    def text_select_all(self) -> None:
        """A double click selects the turn, not all of the session."""
