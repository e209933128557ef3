"""The session that is open in a transcript: its lines, what is highlighted in it, and where the user is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.render.options import RenderOptions, ThinkingLevel, ToolsLevel
from memtui.widgets.requests.target import HitPassages, Target
from memtui.widgets.transcript.bookmark import Bookmark
from memtui.widgets.transcript.highlights import Highlights
from memtui.widgets.transcript.layout.anchors import place_of
from memtui.widgets.transcript.layout.block_loader import BlockLoader
from memtui.widgets.transcript.layout.boxes import TranscriptPlace
from memtui.widgets.transcript.layout.document import Document
from memtui.widgets.transcript.layout.viewport import Viewport
from memtui.widgets.transcript.minimap.marks import Mark, MarkKind
from memtui.widgets.transcript.navigation.calls import CallNavigator, VisibleCall
from memtui.widgets.transcript.navigation.cursor import TurnCursor
from memtui.widgets.transcript.navigation.folding import TemporaryFold
from memtui.widgets.transcript.navigation.match_finder import MatchFinder
from memtui.widgets.transcript.navigation.matches import MatchList
from memtui.widgets.transcript.navigation.new_turns import NewTurns
from memtui.widgets.transcript.navigation.passages import PassageNavigator
from memtui.wording.formatting import agent_name
from memtui_core.model import Block, Session, Turn
from memtui_core.text.machine_folders import shown_root

if TYPE_CHECKING:
    from memtui.widgets.transcript.widget import TranscriptPane

_WIDTH = 80
"""Cells of a line until the surface has a size."""


class OpenSession:
    """Puts together the parts of a transcript, and fills them anew when another session is opened.

    `surface` draws the lines; its methods are called when something changes.
    """

    def __init__(self, surface: TranscriptPane) -> None:
        self.session: Session | None = None
        self.matches = matches = MatchList()
        self.highlights = Highlights(matches)
        self.document = Document(self.highlights.apply)
        self.viewport = viewport = Viewport(self.document, surface)
        self.loader = loader = BlockLoader(viewport, surface.request_blocks)
        self.cursor = cursor = TurnCursor(viewport, surface.turn_changed)
        self.fold = fold = TemporaryFold(viewport)
        self.finder = MatchFinder(matches, viewport, loader, cursor, fold, surface.match_changed, surface.count_later)
        self.passages = PassageNavigator(viewport, loader, cursor, fold, surface.passage_changed, surface.request_hit)
        self.calls = CallNavigator(viewport, loader, cursor, fold, surface.notify)
        self.visible_call = VisibleCall(viewport, self.calls, matches, self.passages)
        self.new_turns = NewTurns(viewport, surface.new_turns_changed)
        self._surface = surface

    # -- what is open ------------------------------------------------------------------------------------------

    def show(
        self,
        session: Session,
        turns: Sequence[Turn],
        at: int | None = None,
        words: Sequence[str] = (),
        hit: HitPassages | None = None,
        subagents: Sequence[Session] = (),
    ) -> None:
        """Show a session from turn number `at`, or from its first turn; `turns` may lack blocks."""
        surface, options = self._surface, self.document.options
        self._begin(session, words, hit)
        self.document.open(
            turns,
            _options(session, turns, subagents, options.tools, options.thinking),
            surface.text_width if surface.has_size else _WIDTH,
        )
        self.passages.take(at or 0, hit)
        index = self.document.index.get(at, 0) if at is not None else 0
        self.viewport.go_to(TranscriptPlace(index, 0, 0))
        if turns:
            self.cursor.select(turns[index].number)
        self._restart_navigation()
        self.new_turns.begin()

    def bookmark(self) -> Bookmark | None:
        """All that is shown; None if no session is."""
        document, viewport, session = self.document, self.viewport, self.session
        if session is None:
            return None
        return Bookmark(
            session,
            tuple(replace(box.turn, blocks=box.blocks or ()) for box in document.turns),
            self.cursor.number,
            document.width,
            viewport.anchor if document.turns else None,
            viewport.at_end,
            viewport.past_end,
            document.options.tools,
            document.options.thinking,
            document.flipped,
            self.fold.opened,
            self.matches.words,
            self.matches.current,
            self.passages.hit,
            self.passages.number,
            self.passages.current,
            self.calls.current,
            tuple(document.options.subagents.values()),
        )

    def return_to(self, bookmark: Bookmark, turns: Sequence[Turn]) -> None:
        """Show what was shown when the bookmark was made; `turns` may lack blocks far from its place."""
        self._begin(bookmark.session, bookmark.words, bookmark.hit)
        options = _options(bookmark.session, turns, bookmark.subagents, bookmark.tools, bookmark.thinking)
        self.document.open(turns, options, bookmark.width)
        self.document.flip_all(bookmark.flipped)
        self.passages.take(bookmark.hit_turn, bookmark.hit, bookmark.passage)
        if bookmark.top is not None and turns:
            place = place_of(self.document, bookmark.top)
            self.viewport.return_to(place, at_end=bookmark.at_end, past_end=bookmark.past_end)
            self.cursor.select(bookmark.number)
        self.calls.reset()
        self.finder.resume(bookmark.match)
        self.fold.opened, self.calls.current = bookmark.opened, bookmark.call
        self.new_turns.begin()

    def grow(self, session: Session, turns: Sequence[Turn], subagents: Sequence[Session] = ()) -> None:
        """Take the session and all its turns after it has grown; the line at the top or the end stays."""
        document = self.document
        self.session = session
        if not document.turns or not turns:
            self.show(session, turns, words=self.matches.words, subagents=subagents)
            return
        with self.viewport.keeping_top():
            before, options = {box.turn.number: box for box in document.turns}, document.options
            document.options = _options(session, turns, subagents, options.tools, options.thinking)
            document.update(turns)
            if document.options != options:
                document.rebuild()
            for box in document.turns:
                if box is not before.get(box.turn.number):
                    self.loader.forget(box.turn.number)
                    self.matches.forget(box.turn.number)
        if self.viewport.at_end:
            self.cursor.go_to_end()
        self.finder.restart()
        self.new_turns.update()

    def draw_last_turn(self) -> None:
        """Draw the last turn again, whose state depends on the time."""
        if self.document.turns:
            with self.viewport.keeping_top():
                self.document.rebuild_turn(len(self.document.turns) - 1)

    def supply(self, session: int, blocks: Mapping[int, tuple[Block, ...]]) -> None:
        """Take blocks by turn number, as requested; those of another session are ignored."""
        if self.session is None or session != self.session.key or not self.document.turns:
            return
        if self.loader.supply(blocks):
            self.finder.blocks_supplied()
            self.passages.show_pending()
            self.calls.blocks_supplied()

    def _begin(self, session: Session, words: Sequence[str], hit: HitPassages | None) -> None:
        """Forget what belongs to the previous session."""
        self.session = session
        self._surface.clear_own_selection()
        self.loader.reset()
        self.matches.search_for(words)
        self.highlights.take_query(hit)
        self.cursor.number = 0

    def _restart_navigation(self) -> None:
        self.calls.reset()
        self.finder.restart()

    # -- how it is shown ---------------------------------------------------------------------------------------

    def show_as(self, options: RenderOptions) -> None:
        """Show other levels of detail, which decide anew what is folded; the line at the top stays."""
        self.fold.keep_open()
        with self.viewport.keeping_top():
            self.document.show_as(options)

    def flip(self, index: int, fold: int) -> None:
        """Fold or unfold what the user clicked in a turn; a call becomes the current one."""
        self.calls.choose(index, fold)
        self.fold.flip(index, fold)

    def mark(self, words: Sequence[str]) -> None:
        """Highlight other words, without scrolling."""
        self.matches.search_for(words)
        self.document.drop_all_lines()
        self._restart_navigation()

    def clear_hit(self) -> None:
        """Highlight no words and no passage of a search; nothing moves."""
        self.passages.take(0, None)
        self.highlights.take_query(None)
        self.document.drop_all_lines()

    # -- where the user goes -----------------------------------------------------------------------------------

    def go_to(self, target: Target) -> None:
        """Go to the call, passage or match that a target names, as soon as the blocks of its turn are loaded."""
        if target.turn is None:
            return
        if target.call is not None:
            self.calls.go_to_call(target.turn, *target.call)
        elif target.tool_id is not None:
            self.calls.go_to_call_id(target.turn, target.tool_id)
        elif target.seq is not None:
            self.calls.go_to_call_at(target.turn, target.seq)
        elif target.hit is not None:
            self.passages.show(0)
        elif target.words:
            self.finder.go_to_turn(target.turn)

    def step_match(self, direction: int) -> None:
        """Go to the next or the previous match, or without a find to the next or the previous passage."""
        if self.matches.pattern is None:
            self.passages.step(direction)
        else:
            self.finder.step(direction)

    def match_marks(self) -> Iterator[Mark]:
        """The blocks with matches of the words, or with passages of the hit."""
        for number, seq in (*self.matches.blocks(), *self.passages.blocks()):
            if (index := self.document.index.get(number)) is not None:
                count = len(self.document.turns[index].blocks or ())
                yield Mark("match", index, max(0, seq) / count if count else 0.0)

    def go_to_mark(self, index: int, share: float, kind: MarkKind | None) -> None:
        """Go to what a mark of a turn stands for; without a mark, to a relative position in the turn."""
        if not self.viewport.ready or index >= len(self.document.turns):
            return
        turn, blocks = self.document.turns[index].turn, self.document.turns[index].blocks or ()
        if kind == "match" and self.matches.pattern is not None:
            self.finder.go_to_turn(turn.number, round(share * len(blocks)))
        elif kind == "match" and self.passages.hit is not None:
            self.passages.show_nearest(round(share * len(blocks)))
        elif kind == "edit":
            self.calls.go_to_nth(turn.number, int(share * len(turn.tool_summary)))
        elif kind == "error":
            self.calls.go_to_nth(turn.number, None)
        elif kind is not None:
            self.cursor.go_to(turn.number)
        else:
            y = self.document.line_at(index, share)
            self.viewport.follow_scroll(y, upwards=y < self.viewport.top)
            self.scrolled()

    def scroll(self, count: int) -> None:
        """Scroll by an exact number of lines."""
        if self.viewport.scroll(count):
            self.scrolled()

    def scrolled(self) -> None:
        """Take the turn at the top as the current one, as the user has scrolled."""
        self.calls.leave()
        self.cursor.follow_viewport()


def _options(
    session: Session, turns: Sequence[Turn], subagents: Sequence[Session], tools: ToolsLevel, thinking: ThinkingLevel
) -> RenderOptions:
    digits = len(str(max((turn.number for turn in turns), default=1)))
    started = {agent.parent_tool_id: agent for agent in reversed(subagents) if agent.parent_tool_id}
    return RenderOptions(
        agent_name(session.agent),
        digits,
        shown_root(session.root, session.worktree, session.cwd),
        tools,
        thinking,
        started,
    )
