"""The transcript of one session: its turns, at three levels of detail, with the words of a search marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive

from memtui.formatting import agent_name
from memtui.render.copying import turn_text
from memtui.render.view import THINKING_LEVELS, TOOLS_LEVELS, ThinkingLevel, ToolsLevel, View
from memtui.requests import ToolCallRequested, editor_request
from memtui.target import Answer
from memtui.widgets.anchors import anchor, find
from memtui.widgets.document import Place
from memtui.widgets.edit_walk import EditWalk
from memtui.widgets.marked import MarkedDocument
from memtui.widgets.match_list import MatchList
from memtui.widgets.transcript_keys import KEYS
from memtui_core.model import Block, Session, Turn


class Transcript(EditWalk):
    """Shows the turns of a session; the blocks of what comes near the screen are asked for by `BlocksRequested`."""

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

    class LevelChanged(Message):
        """More or less of the tools or of the thinking is shown."""

    class FindRequested(Message):
        """Something is to be found in this session."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.document: MarkedDocument = MarkedDocument([], View(), 80)
        self.empty = "No session chosen."

    def show(
        self,
        session: Session,
        turns: Sequence[Turn],
        at: int | None = None,
        words: Sequence[str] = (),
        answer: Answer | None = None,
    ) -> None:
        """Show a session from turn number `at`, or from its first; `turns` may lack blocks.

        `words` are marked and gone through match by match; `answer` is gone through passage by passage.
        """
        self.session = session
        self.empty = "This session has no turns."
        self.drop_selection()
        self.asked.clear()
        self.matches = MatchList(words)
        self.number = 0
        document = MarkedDocument([], self._view(turns), self.text_width if self.size.width else 80)
        document.matches = self.matches
        document.words_in = _finder(answer)
        document.replace(turns)
        self.document = document
        self.take_answer(at or 0, answer)
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
        if self.session is None:
            return
        if not document.turns or not turns:
            self.show(self.session, turns, words=self.matches.words)
            return
        mark = anchor(document, self.place)
        before = {box.turn.number: box for box in document.turns}
        view, document.view = document.view, self._view(turns)
        document.replace(turns)
        if document.view != view:
            document.remake()
        for box in document.turns:
            if box is not before.get(box.turn.number):
                self.asked.pop(box.turn.number, None)
                self.matches.forget(box.turn.number)
        self.at_end = False
        self.drop_selection()
        self.settle(find(document, mark), beyond=True)
        self.start_counting()

    def supply(self, session: int, blocks: Mapping[int, tuple[Block, ...]]) -> None:
        """Take blocks by turn number, the answer to `BlocksRequested`; those of another session are left."""
        if self.session is None or session != self.session.key or not self.document.turns:
            return
        if self.take(blocks):
            self.supplied()

    def mark(self, words: Sequence[str]) -> None:
        """Mark other words; nothing moves."""
        if tuple(words) == self.matches.words:
            return
        self.matches = MatchList(words)
        self.document.matches = self.matches
        self.document.forget_all()
        self.refresh()
        self.start_counting()

    def forget_answer(self) -> None:
        """Mark no words and no passage of a search; nothing moves."""
        if self.answer is not None:
            self.take_answer(0, None)
            self.document.words_in = None
            self.document.forget_all()
            self.refresh()

    def clear(self) -> None:
        """Show nothing."""
        self.session = None
        self.take_answer(0, None)
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
        self.post_message(self.LevelChanged())

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

    def action_find(self) -> None:
        """Find something in this session."""
        if self.session is not None:
            self.post_message(self.FindRequested())

    def action_view_call(self) -> None:
        """Open the tool call in sight on a screen of its own."""
        if self.session is not None:
            self.post_message(ToolCallRequested(self.call_in_sight(), self.session))

    def action_edit_file(self) -> None:
        """Open the file of the tool call in sight in the person's editor."""
        call = self.call_in_sight()
        if call is None or self.session is None or not call.written_path:
            self.notify("No file is in sight.")
        else:
            self.post_message(editor_request(call.written_path, self.session, call.line))

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
        """A double click selects no text: all of a session would be too much."""


def _finder(answer: Answer | None) -> Callable[[str], list[tuple[int, int]]] | None:
    """What finds the words of an answer's query in a text; None when there is nothing to find."""
    if answer is None or not answer.words:
        return None
    from memtui_core.lexicon import matcher_of

    matcher = matcher_of(answer.words, prefix=answer.prefix)
    return lambda text: [(span.start, span.end) for span in matcher.spans(text)]
