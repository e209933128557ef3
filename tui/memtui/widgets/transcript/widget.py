"""The transcript of a session: its turns, at three levels of detail, with the words of a search highlighted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.segment import Segment
from textual import events, on
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from memtui.formatting import agent_name
from memtui.render.calls import RenderedCall
from memtui.render.copying import turn_text
from memtui.render.options import THINKING_LEVELS, TOOLS_LEVELS, RenderOptions, ThinkingLevel, ToolsLevel
from memtui.requests import CopyRequested, ToolCallRequested, editor_request
from memtui.target import HitPassages
from memtui.timers import call_after
from memtui.widgets.line_view import LineView
from memtui.widgets.transcript.anchors import place_of
from memtui.widgets.transcript.block_loader import BlockLoader
from memtui.widgets.transcript.bookmark import Bookmark
from memtui.widgets.transcript.boxes import TranscriptPlace
from memtui.widgets.transcript.cursor import TurnCursor
from memtui.widgets.transcript.document import Document
from memtui.widgets.transcript.edits import CALLS, SUBAGENTS, EditNavigator
from memtui.widgets.transcript.folding import TemporaryFold
from memtui.widgets.transcript.highlights import Highlights
from memtui.widgets.transcript.keys import KEYS
from memtui.widgets.transcript.match_finder import MatchFinder
from memtui.widgets.transcript.matches import MatchList
from memtui.widgets.transcript.minimap import Minimap
from memtui.widgets.transcript.minimap_marks import Mark
from memtui.widgets.transcript.passages import PassageNavigator
from memtui.widgets.transcript.viewport import Viewport
from memtui_core.model import Block, Session, Turn

_MARGIN = 1
"""Cells before the lines, for the mark of the current turn."""
_GAP = 1
"""Blank cells between the lines and the scroll bar."""
_WIDE = 110
"""Cells from which on the minimap has two columns: one for the marks, one for the visible part."""
_COUNT_PAUSE = 0.01
"""Seconds between two slices of counting matches."""
_PROMPTS = frozenset({"human", "command"})
_COMPACTIONS = frozenset({"compaction"})
_NO_SESSION = "No session chosen."
_NO_TURNS = "This session has no turns."


class Transcript(LineView):
    """Shows the turns of a session; requests the blocks of turns near the screen with `BlocksRequested`."""

    HELP: ClassVar[str] = """\
## Turns

The transcript of one session. `●` is you, `○` the agent, `▸` a tool, `✗` an error, `⧉` a compaction.
`t` and `T` show more or less of tools and thinking; a click on a folded line opens it alone. `.` and `,` go from tool
to tool, and `enter` shows the one with the bar on the whole screen. `S` opens the session of a subagent, and goes back
to its call.

The minimap at the right is the whole session: `●` prompts, `✎` edits, `✗` errors, `⧉` compactions, `◂` matches, and a
band for what is on the screen. A click goes there; `m` shows a plain scroll bar instead.
"""
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    DEFAULT_CSS = """
    Transcript {
        & > .lines--track { background: $scrollbar-background; }
        & > .lines--visible { color: $foreground; background: $scrollbar; }
        &:ansi > .lines--track { background: transparent; }
        &:ansi > .lines--visible { background: transparent; text-style: reverse; }
    }
    """

    tools_level: reactive[ToolsLevel] = reactive[ToolsLevel]("summary", repaint=False)
    """The level of detail of tool calls."""
    thinking_level: reactive[ThinkingLevel] = reactive[ThinkingLevel]("line", repaint=False)
    """The level of detail of thinking."""

    shows_minimap: reactive[bool] = reactive[bool](True, repaint=False)
    """Whether the scroll bar has marks."""

    @dataclass
    class BlocksRequested(Message):
        """The blocks of turns `first` to `last` are needed; pass them to `Transcript.supply`."""

        session: int
        first: int
        last: int

    @dataclass
    class TurnChanged(Message):
        """Another turn is current."""

        session: int
        number: int

        def can_replace(self, message: Message) -> bool:
            """Keep only the last of several messages."""
            return isinstance(message, Transcript.TurnChanged)

    @dataclass
    class MatchChanged(Message):
        """Another match is current, or more matches are known: `current` of `total`, 0 for none."""

        current: int
        total: int
        complete: bool
        """Whether all turns are counted."""

        def can_replace(self, message: Message) -> bool:
            """Keep only the last of several messages."""
            return isinstance(message, Transcript.MatchChanged)

    class PassageChanged(Message):
        """Another passage is current."""

    @dataclass
    class NextHitRequested(Message):
        """The turn has no more passages: show the next or the previous hit."""

        direction: int

    @dataclass
    class SubagentRequested(Message):
        """Open the session of a subagent."""

        session: Session

    @dataclass
    class CallRequested(Message):
        """Go to the call that started a subagent."""

        session: Session

    class LevelChanged(Message):
        """The level of detail of tool calls or thinking has changed."""

    @dataclass
    class MinimapSwitched(Message):
        """The user has shown or hidden the minimap."""

        shown: bool

    class FindRequested(Message):
        """Open the bar to find in this session."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        self.matches = MatchList()
        self.highlights = Highlights(self.matches)
        self.document = Document(self.highlights.apply)
        super().__init__(self.document, id=id, classes=classes)
        self.session: Session | None = None
        self.viewport = viewport = Viewport(self.document, self)
        self._loader = loader = BlockLoader(viewport, self._request_blocks)
        self._cursor = cursor = TurnCursor(viewport, self._turn_changed)
        self._fold = fold = TemporaryFold(viewport)
        self.finder = MatchFinder(self.matches, viewport, loader, cursor, fold, self._match_changed, self._count_later)
        self.passages = PassageNavigator(viewport, loader, cursor, fold, self._passage_changed, self._request_hit)
        self.minimap = Minimap(self.document, viewport, self.painter, self._match_marks)
        self._edits = EditNavigator(viewport, loader, cursor, fold, self.notify)
        self._empty_text = _NO_SESSION
        self._is_following = False
        """Whether the scroll position is being set to that of the viewport."""
        self._measuring_due = False

    @property
    def number(self) -> int:
        """`Turn.number` of the current turn; 0 if there is none."""
        return self._cursor.number

    @property
    def position(self) -> str:
        """The position of the current passage: `passage 1 of 7`; empty if there is none, and during a find."""
        return self.passages.position if self.matches.pattern is None else ""

    def show(
        self,
        session: Session,
        turns: Sequence[Turn],
        at: int | None = None,
        words: Sequence[str] = (),
        hit: HitPassages | None = None,
        subagents: Sequence[Session] = (),
    ) -> None:
        """Show a session from turn number `at`, or from its first turn; `turns` may lack blocks.

        `words` are highlighted and gone through match by match; `hit` is gone through passage by passage.
        """
        self.session = session
        self._empty_text = _NO_TURNS
        self.clear_own_selection()
        self._loader.reset()
        self.matches.search_for(words)
        self.highlights.take_query(hit)
        self.document.open(turns, self._options_of(session, turns, subagents), self.text_width if self.has_size else 80)
        self.passages.take(at or 0, hit)
        self._cursor.number = 0
        index = self.document.index.get(at, 0) if at is not None else 0
        self.viewport.go_to(TranscriptPlace(index, 0, 0))
        if turns:
            self._cursor.select(turns[index].number)
        self.minimap.turns_changed()
        self.refresh()
        self._restart_finding()

    def bookmark(self) -> Bookmark | None:
        """All that is shown; None if no session is."""
        document, viewport, session = self.document, self.viewport, self.session
        if session is None:
            return None
        return Bookmark(
            session,
            tuple(replace(box.turn, blocks=box.blocks or ()) for box in document.turns),
            self.number,
            document.width,
            viewport.anchor if document.turns else None,
            viewport.at_end,
            viewport.past_end,
            self.tools_level,
            self.thinking_level,
            document.flipped,
            self._fold.opened,
            self.matches.words,
            self.matches.current,
            self.passages.hit,
            self.passages.number,
            self.passages.current,
            self._edits.current,
            tuple(document.options.subagents.values()),
        )

    def return_to(self, bookmark: Bookmark, turns: Sequence[Turn]) -> None:
        """Show what was shown when the bookmark was made; `turns` may lack blocks far from its place."""
        self.session = session = bookmark.session
        self._empty_text = _NO_TURNS
        self.clear_own_selection()
        self._loader.reset()
        self.set_reactive(Transcript.tools_level, bookmark.tools)
        self.set_reactive(Transcript.thinking_level, bookmark.thinking)
        self.matches.search_for(bookmark.words)
        self.highlights.take_query(bookmark.hit)
        self.document.open(turns, self._options_of(session, turns, bookmark.subagents), bookmark.width)
        self.document.flip_all(bookmark.flipped)
        self.passages.take(bookmark.hit_turn, bookmark.hit, bookmark.passage)
        self._cursor.number = 0
        if bookmark.top is not None and turns:
            place = place_of(self.document, bookmark.top)
            self.viewport.return_to(place, at_end=bookmark.at_end, past_end=bookmark.past_end)
            self._cursor.select(bookmark.number)
        self._edits.reset()
        self.finder.resume(bookmark.match)
        self._fold.opened, self._edits.current = bookmark.opened, bookmark.edit
        self.minimap.turns_changed()
        self.refresh()
        # The pane may have another width than before.
        self.call_after_refresh(self.lay_out)

    def grow(self, turns: Sequence[Turn], subagents: Sequence[Session] = ()) -> None:
        """Take all turns of the shown session after it has grown; the line at the top of the screen stays."""
        document, session = self.document, self.session
        if session is None:
            return
        if not document.turns or not turns:
            self.show(session, turns, words=self.matches.words, subagents=subagents)
            return
        self.viewport.at_end = False
        with self.viewport.keeping_top():
            before = {box.turn.number: box for box in document.turns}
            options, document.options = document.options, self._options_of(session, turns, subagents)
            document.update(turns)
            if document.options != options:
                document.rebuild()
            for box in document.turns:
                if box is not before.get(box.turn.number):
                    self._loader.forget(box.turn.number)
                    self.matches.forget(box.turn.number)
        self.minimap.turns_changed()
        self.finder.restart()

    def supply(self, session: int, blocks: Mapping[int, tuple[Block, ...]]) -> None:
        """Take blocks by turn number, as requested by `BlocksRequested`; those of another session are ignored."""
        if self.session is None or session != self.session.key or not self.document.turns:
            return
        if self._loader.supply(blocks):
            self.finder.blocks_supplied()
            self.passages.show_pending()
            self._edits.blocks_supplied()

    def clear(self) -> None:
        """Show nothing."""
        self.session = None
        self.passages.take(0, None)
        self.highlights.take_query(None)
        self.matches.search_for(())
        self.document.open((), RenderOptions(), 80)
        self._cursor.number = 0
        self.viewport.place = TranscriptPlace(0, 0, 0)
        self._empty_text = _NO_SESSION
        self.minimap.turns_changed()
        self.refresh()

    def _options_of(self, session: Session, turns: Sequence[Turn], subagents: Sequence[Session]) -> RenderOptions:
        digits = len(str(max((turn.number for turn in turns), default=1)))
        root = session.root or session.cwd
        started = {agent.parent_tool_id: agent for agent in reversed(subagents) if agent.parent_tool_id}
        return RenderOptions(agent_name(session.agent), digits, root, self.tools_level, self.thinking_level, started)

    def watch_tools_level(self, level: ToolsLevel) -> None:
        """Fold the tools; the line at the top stays."""
        self._show_as(replace(self.document.options, tools=level))

    def watch_thinking_level(self, level: ThinkingLevel) -> None:
        """Fold the thinking; the line at the top stays."""
        self._show_as(replace(self.document.options, thinking=level))

    def _show_as(self, options: RenderOptions) -> None:
        with self.viewport.keeping_top():
            self.document.show_as(options)
        self.post_message(self.LevelChanged())

    def mark(self, words: Sequence[str]) -> None:
        """Highlight other words, without scrolling."""
        if tuple(words) != self.matches.words:
            self.matches.search_for(words)
            self._repaint_all()
            self._restart_finding()

    def clear_hit(self) -> None:
        """Highlight no words and no passage of a search; nothing moves."""
        if self.passages.hit is not None:
            self.passages.take(0, None)
            self.highlights.take_query(None)
            self._repaint_all()

    def _repaint_all(self) -> None:
        self.minimap.matches_changed()
        self.document.drop_all_lines()
        self.refresh()

    def _restart_finding(self) -> None:
        self._edits.reset()
        self.finder.restart()

    def seek(self, number: int) -> None:
        """Go to the first match of a turn, as soon as its blocks are loaded."""
        self.finder.go_to_turn(number)

    def show_passage(self, index: int) -> None:
        """Go to a passage of the hit, as soon as the blocks of its turn are there."""
        self.passages.show(index)

    def go_to_call(self, number: int, tool: str, path: str) -> None:
        """Go to the first call of a tool on a file in a turn whose blocks are loaded."""
        self._edits.go_to_call(number, tool, path)

    def go_to_call_id(self, number: int, tool_id: str) -> None:
        """Go to the call with an id in a turn whose blocks are loaded."""
        self._edits.go_to_call_id(number, tool_id)

    def jump(self, number: int) -> None:
        """Scroll the heading of a turn to the top of the screen."""
        self._cursor.go_to(number)

    def fold_opened(self) -> None:
        """Fold what was unfolded for the current match or passage."""
        self._fold.close()

    def visible_call(self) -> RenderedCall | None:
        """The current call, or that of the current match or passage, or the first call on the screen."""
        return self._edits.visible_call(self._preferred_calls())

    def _preferred_calls(self) -> Iterator[tuple[int, int]]:
        match = self.matches.current
        of_match = (match.number, match.seq) if match is not None else None
        return filter(None, (of_match, self.passages.call()))

    def _request_blocks(self, first: int, last: int) -> None:
        if self.session is not None:
            self.post_message(self.BlocksRequested(self.session.key, first, last))

    def _request_hit(self, direction: int) -> None:
        self.post_message(self.NextHitRequested(direction))

    def _turn_changed(self) -> None:
        if self.session is not None:
            self.refresh()
            self.post_message(self.TurnChanged(self.session.key, self.number))

    def _match_changed(self) -> None:
        if not self.finder.counting:
            self.minimap.matches_changed()
        self.post_message(self.MatchChanged(self.matches.position(), self.matches.total, self.finder.complete))

    def _passage_changed(self) -> None:
        self.minimap.matches_changed()
        self.post_message(self.PassageChanged())

    def _count_later(self, count: Callable[[], None]) -> None:
        call_after(self, _COUNT_PAUSE, count)

    @property
    def text_width(self) -> int:
        """The width of a line of text in cells."""
        return max(1, self.scrollable_content_region.width - _MARGIN - _GAP)

    @property
    def has_size(self) -> bool:
        """Whether the widget has a size for which to lay out the document."""
        return self.size.width > 0

    def lay_out(self) -> None:
        """Lay out for the size of the screen; the line at the top stays."""
        if self.viewport.ready:
            self.viewport.lay_out()
            self.passages.show_pending()

    def viewport_moved(self) -> None:
        """Draw the document from another place."""
        self._follow_viewport()
        self.refresh()
        self._loader.load_near()
        if not self._measuring_due:
            self._measuring_due = True
            self.call_after_refresh(self._measure_around)

    def _measure_around(self) -> None:
        self._measuring_due = False
        if self.viewport.ready:
            self.viewport.measure_around()
            self._follow_viewport()

    def _follow_viewport(self) -> None:
        """Scroll to the viewport. A new height costs a layout, so a slight change is not applied yet."""
        top = self.viewport.top
        size = Size(self.scrollable_content_region.width, max(self.document.height, top + self.page))
        current = self.virtual_size
        near_end = top + 3 * self.page >= min(size.height, current.height)
        self._is_following = True
        if near_end or size.width != current.width or abs(size.height - current.height) * 50 > current.height:
            self.virtual_size = size
        self.scroll_y = self.scroll_target_y = top
        self._is_following = False

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The minimap."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = self.minimap
            self.minimap.display = False
            self.app._start_widget(self, self.minimap)
        return self.minimap

    def watch_shows_minimap(self, shown: bool) -> None:
        """Show or hide the marks in the scroll bar."""
        self.minimap.has_marks = shown
        self._fit_minimap()
        self.minimap.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new size."""
        self._fit_minimap()
        super().on_resize(event)

    def _fit_minimap(self) -> None:
        is_wide = self.shows_minimap and self.outer_size.width >= _WIDE
        self.styles.scrollbar_size_vertical = 2 if is_wide else None

    def _match_marks(self) -> Iterator[Mark]:
        """The blocks with matches of the words, or with passages of the hit."""
        for number, seq in (*self.matches.blocks(), *self.passages.blocks()):
            if (index := self.document.index.get(number)) is not None:
                count = len(self.document.turns[index].blocks or ())
                yield Mark("match", index, max(0, seq) / count if count else 0.0)

    @on(Minimap.PlaceRequested)
    def _go_to_mark(self, message: Minimap.PlaceRequested) -> None:
        message.stop()
        if not self.viewport.ready or message.turn >= len(self.document.turns):
            return
        number = self.document.turns[message.turn].turn.number
        if message.mark == "match" and self.matches.pattern is not None:
            self.seek(number)
        elif message.mark == "match" and self.passages.hit is not None:
            self.show_passage(0)
        elif message.mark == "edit":
            self._edits.go_to_nth(number, int(message.share * len(self.document.turns[message.turn].turn.tool_summary)))
        elif message.mark == "error":
            self._edits.go_to_nth(number, None)
        elif message.mark is not None:
            self.jump(number)
        else:
            y = self.document.line_at(message.turn, message.share)
            self.viewport.follow_scroll(y, upwards=y < self.viewport.top)
            self._scrolled()

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Take a new size."""
        # Textual fits the scroll position to the estimated height. No user scrolled, so the line at the top stays.
        self._is_following = True
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        self._is_following = False
        return changed

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the wheel and the scroll bar."""
        super().watch_scroll_y(old_value, new_value)
        if not self._is_following and self.viewport.ready and round(old_value) != round(new_value):
            self.viewport.follow_scroll(round(new_value), upwards=new_value <= old_value)
            self._scrolled()

    def scroll_lines(self, count: int) -> None:
        """Scroll by an exact number of lines."""
        if self.viewport.scroll(count):
            self._scrolled()

    def _scrolled(self) -> None:
        self._edits.leave()
        self._cursor.follow_viewport()

    def render_line(self, y: int) -> Strip:
        """Render a line of the screen: the mark of the current turn or passage, and the text."""
        width = self.scrollable_content_region.width
        if not self.document.turns:
            return self._empty_line(y, width)
        key, line = self.document.keyed_line(round(self.scroll_y) + y)
        if line is None:
            return self.painter.blank(key, width)
        strip = self.painter.paint(line, key, width - _MARGIN, self.selected_span(key))
        return Strip([self.painter.margin(*self._mark(TranscriptPlace.of_key(key)), key), *strip], width)

    def _mark(self, place: TranscriptPlace) -> tuple[str, str]:
        """The mark before a line and its style: a bar for the current turn, thicker for the current passage or call."""
        if self.passages.includes(place) or self._edits.is_current(place):
            return "▌", "passage"
        if self.document.turns[place.turn].turn.number == self.number:
            return "▎", "cursor"
        return " ", ""

    def _empty_line(self, y: int, width: int) -> Strip:
        if y != max(0, (self.size.height - 1) // 3):
            return Strip.blank(width, self.painter.base_style)
        return Strip([Segment(self._empty_text.center(width)[:width], self.painter.style("muted"))], width)

    def text_select_all(self) -> None:
        """Select nothing on a double click: a whole session would be too much."""

    def on_click(self, event: events.Click) -> None:
        """Select the clicked turn, and fold or unfold what was clicked."""
        document = self.document
        y = round(self.scroll_y) + event.get_content_offset_capture(self).y
        if not self.viewport.ready or self.text_selection is not None or y >= document.height:
            return
        place = document.at(y)
        self._cursor.select(document.turns[place.turn].turn.number)
        line = document.line(place)
        if line is not None and line.fold is not None:
            self._edits.choose(place.turn, line.fold)
            self.viewport.flip(place.turn, line.fold)

    def action_top(self) -> None:
        """Go to the first turn."""
        self._cursor.go_to_first()

    def action_bottom(self) -> None:
        """Go to the end."""
        self._cursor.go_to_end()

    def action_turn(self, direction: int) -> None:
        """Go to the next turn, or to the heading of the current turn and then to the previous turn."""
        self._cursor.step(direction)

    def action_human(self, direction: int) -> None:
        """Go to the next or the previous prompt of the user."""
        self._cursor.step(direction, _PROMPTS)

    def action_compaction(self, direction: int) -> None:
        """Go to the next or the previous compaction."""
        self._cursor.step(direction, _COMPACTIONS)

    def action_edit(self, direction: int) -> None:
        """Go to the next or the previous edit of a file."""
        self._edits.step(direction)

    def action_call(self, direction: int) -> None:
        """Go to the next or the previous tool call."""
        self._edits.step(direction, CALLS)

    def action_match(self, direction: int) -> None:
        """Go to the next or the previous passage or match; after the last passage to the next hit."""
        if self.matches.pattern is None:
            self.passages.step(direction)
        else:
            self.finder.step(direction)

    def action_tools(self) -> None:
        """Change to the next level of detail of tool calls."""
        self.tools_level = TOOLS_LEVELS[(TOOLS_LEVELS.index(self.tools_level) + 1) % len(TOOLS_LEVELS)]

    def action_thinking(self) -> None:
        """Change to the next level of detail of thinking."""
        index = (THINKING_LEVELS.index(self.thinking_level) + 1) % len(THINKING_LEVELS)
        self.thinking_level = THINKING_LEVELS[index]

    def action_minimap(self) -> None:
        """Show or hide the minimap."""
        self.shows_minimap = not self.shows_minimap
        self.post_message(self.MinimapSwitched(self.shows_minimap))

    def action_copy(self) -> None:
        """Copy the current turn."""
        document = self.document
        if (index := document.index.get(self.number)) is not None:
            box = document.turns[index]
            text = turn_text(box.turn, box.blocks, document.options)
            self.post_message(CopyRequested(text, f"Turn {self.number}"))

    def action_find(self) -> None:
        """Open the bar to find in this session."""
        if self.session is not None:
            self.post_message(self.FindRequested())

    def action_subagent(self) -> None:
        """Open the session of the visible call's subagent, from a subagent's session go to its call, or find a call."""
        call = self._edits.visible_call(self._preferred_calls(), lambda call: call.subagent is not None)
        if call is not None and call.subagent is not None:
            self.post_message(self.SubagentRequested(call.subagent))
        elif self.session is not None and self.session.parent is not None:
            self.post_message(self.CallRequested(self.session))
        else:
            self._edits.go_to_any(SUBAGENTS)

    def action_view_call(self) -> None:
        """Open the visible tool call on the whole screen."""
        if self.session is not None:
            self.post_message(ToolCallRequested(self.visible_call(), self.session))

    def action_edit_file(self) -> None:
        """Open the file of the visible tool call in the user's editor."""
        call = self.visible_call()
        if call is None or self.session is None or not call.written_path:
            self.notify("No file is visible.")
        else:
            self.post_message(editor_request(call.written_path, self.session, call.line))
