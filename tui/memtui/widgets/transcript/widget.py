"""The transcript of a session: its turns, at three levels of detail, with the words of a search highlighted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from memtui.keys.annotation_keys import ANNOTATION_KEYS
from memtui.keys.names import KeyNames
from memtui.render.options import THINKING_LEVELS, TOOLS_LEVELS, ThinkingLevel, ToolsLevel
from memtui.render.tools.calls import RenderedCall
from memtui.render.turns.copying import turn_text
from memtui.system.timers import call_after
from memtui.widgets.lines.view import LineView
from memtui.widgets.requests.panes import (
    AnnotationAction,
    AnnotationRequested,
    BlameRequested,
    CopyRequested,
    ToolCallRequested,
    editor_request,
)
from memtui.widgets.requests.target import HitPassages, Target
from memtui.widgets.transcript.bookmark import Bookmark
from memtui.widgets.transcript.border import border_facts, is_following
from memtui.widgets.transcript.keys import KEYS
from memtui.widgets.transcript.layout.boxes import TranscriptPlace
from memtui.widgets.transcript.layout.scroll_position import ScrollPosition
from memtui.widgets.transcript.minimap.widget import Minimap
from memtui.widgets.transcript.navigation.calls import CALLS, SUBAGENTS
from memtui.widgets.transcript.open_session import OpenSession
from memtui.wording.annotated import ARCHIVED, PIN, tags_text
from memtui.wording.owner import owner_mark
from memtui_core.model import PROMPTS, Block, Session, Turn

_MARGIN = 1
"""Cells before the lines, for the mark of the current turn."""
_GAP = 1
"""Blank cells between the lines and the scroll bar."""
_WIDE = 110
"""Cells from which on the minimap has two columns: one for the marks, one for the visible part."""
_COUNT_PAUSE = 0.01
"""Seconds between two slices of counting matches."""
_COMPACTIONS = frozenset({"compaction"})
_LOADING = "Loading the session …"
_NO_SESSION = "No session chosen."
_NO_TURNS = "This session has no turns."


class TranscriptPane(LineView):
    """Shows the turns of a session; requests the blocks of turns near the screen with `BlocksRequested`."""

    HELP: ClassVar[str] = """\
## Turns

The transcript of one session. `●` is you, `○` the agent, `▸` a tool, `✗` an error, `⧉` a compaction.
`t` and `T` show more or less of tools and thinking; a click on a folded line opens it alone. `.` and `,` go from tool
to tool, and `enter` shows the one with the bar on the whole screen. `S` opens the session of a subagent, and goes back
to its call; `esc` goes back to where `S` was pressed. `*` pins the turn (`★`), `#` tags it, and `a` writes a note on it
(`¶`); `c` changes the title of the session.

`G` goes to the end and stays there while a running session grows, as the border says: `following`, until you go
elsewhere. There nothing moves, and the border says how many new turns are below: a click on it goes to the end.

The minimap at the right is the whole session: `●` prompts, `✎` edits, `✗` errors, `⧉` compactions, `◂` matches, and a
band for what is on the screen. A click goes there; `m` shows a plain scroll bar instead.
"""
    BINDINGS: ClassVar[list[BindingType]] = [*KEYS, *ANNOTATION_KEYS]

    DEFAULT_CSS = """
    TranscriptPane {
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

    virtual_size = Reactive(Size(0, 0), layout=False)
    """Without layout, because each session changes it and Textual would lay out the whole screen again."""
    shows_minimap: reactive[bool] = reactive[bool](True, repaint=False)
    """Whether the scroll bar has marks."""
    expected: reactive[str] = reactive("", repaint=False)
    """The title of a session that is being loaded, in the place of the one that is open; empty if none is."""

    @dataclass
    class BlocksRequested(Message):
        """The blocks of turns `first` to `last` are needed; pass them to `TranscriptPane.supply`."""

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
            return isinstance(message, TranscriptPane.TurnChanged)

    @dataclass
    class NextHitRequested(Message):
        """The turn has no more passages: show the next or the previous hit."""

        direction: int

    @dataclass
    class SubagentRequested(Message):
        """Open the session of a subagent; if it is open already, go to the call that started it."""

        session: Session

    class FindRequested(Message):
        """Open the bar to find in this session."""

    def __init__(self) -> None:
        self._opened = opened = OpenSession(self)
        super().__init__(opened.document, id="transcript")
        self.document = opened.document
        self.viewport = opened.viewport
        self.cursor = opened.cursor
        self.matches = opened.matches
        self.finder = opened.finder
        self.highlights = opened.highlights
        self.passages = opened.passages
        self.minimap = Minimap(opened.document, opened.viewport, self.painter, opened.match_marks, opened.go_to_mark)
        self._scroll_position = ScrollPosition(self, opened.viewport)
        self._is_followed = False
        """Whether the border says that the end is kept in view."""
        self._key_names = KeyNames(self, "match(1)")

    def key_name(self, action: str) -> str | None:
        """Without a search there is no next match, and no previous one (`NamesKeys`)."""
        is_searched = self.passages.hit is not None or self.matches.pattern is not None
        return "" if action in {"match(1)", "match(-1)"} and not is_searched else None

    @property
    def session(self) -> Session | None:
        """The open session."""
        return self._opened.session

    @property
    def number(self) -> int:
        """`Turn.number` of the current turn; 0 if there is none."""
        return self.cursor.number

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
        self._opened.show(session, turns, at, words, hit, subagents)
        self._turns_changed()

    def bookmark(self) -> Bookmark | None:
        """All that is shown; None if no session is."""
        return self._opened.bookmark()

    def return_to(self, bookmark: Bookmark, turns: Sequence[Turn]) -> None:
        """Show what was shown when the bookmark was made; `turns` may lack blocks far from its place."""
        self.set_reactive(TranscriptPane.tools_level, bookmark.tools)
        self.set_reactive(TranscriptPane.thinking_level, bookmark.thinking)
        self._opened.return_to(bookmark, turns)
        self._turns_changed()
        # The pane may have another width than before.
        self.lay_out()

    def grow(self, session: Session, turns: Sequence[Turn], subagents: Sequence[Session] = ()) -> None:
        """Take the shown session and all its turns after it has grown; the line at the top or the end stays."""
        self._opened.grow(session, turns, subagents)
        self._turns_changed()

    def draw_last_turn(self) -> None:
        """Draw the last turn again, whose state depends on the time."""
        self._opened.draw_last_turn()

    def watch_expected(self, title: str) -> None:
        """Show the title without a text, or again what is open."""
        self.minimap.is_blank = bool(title)
        if title:
            self.border_title, self.border_subtitle = Content(title), ""
            self.refresh()
        else:
            self._turns_changed()

    def _turns_changed(self) -> None:
        self.set_reactive(TranscriptPane.expected, "")
        self.minimap.is_blank = False
        self.minimap.turns_changed()
        if self.session is not None:
            session = self.session
            title = f"{PIN if session.pinned else ''}{session.title}"
            archived = ARCHIVED if session.archived else ""
            facts = (title, owner_mark(session), archived, tags_text(session.tags))
            self.border_title = Content(" · ".join(filter(None, facts)))
        self._show_facts()
        self.refresh()

    def _show_facts(self) -> None:
        self._is_followed = is_following(self._opened)
        self._key_names.update()
        self.border_subtitle = border_facts(self._opened) if not self.expected else ""

    def supply(self, session: int, blocks: Mapping[int, tuple[Block, ...]]) -> None:
        """Take blocks by turn number, as requested by `BlocksRequested`; those of another session are ignored."""
        self._opened.supply(session, blocks)

    def go_to(self, target: Target) -> None:
        """Go to the call, passage or match that a target names, as soon as the blocks of its turn are loaded."""
        self._opened.go_to(target)

    def watch_tools_level(self, level: ToolsLevel) -> None:
        """Fold the tools; the line at the top stays."""
        self._opened.show_as(replace(self.document.options, tools=level))
        self._show_facts()

    def watch_thinking_level(self, level: ThinkingLevel) -> None:
        """Fold the thinking; the line at the top stays."""
        self._opened.show_as(replace(self.document.options, thinking=level))
        self._show_facts()

    def mark(self, words: Sequence[str]) -> None:
        """Highlight other words, without scrolling."""
        if tuple(words) != self.matches.words:
            self._opened.mark(words)
            self._marks_changed()

    def clear_marks(self) -> None:
        """Highlight no words and no passage of a search; nothing moves."""
        self.mark(())
        if self.passages.hit is not None:
            self._opened.clear_hit()
            self._marks_changed()

    def _marks_changed(self) -> None:
        self.minimap.matches_changed()
        self.refresh()

    def fold_opened(self) -> None:
        """Fold what was unfolded for the current match or passage."""
        self._opened.fold.close()

    def visible_call(self) -> RenderedCall | None:
        """The current call, or that of the current match or passage, or the first call on the screen."""
        return self._opened.visible_call.find()

    # -- what the open session asks for ------------------------------------------------------------------------

    def request_blocks(self, first: int, last: int) -> None:
        """Post a request to load the blocks of turns `first` to `last`."""
        if self.session is not None:
            self.post_message(self.BlocksRequested(self.session.key, first, last))

    def request_hit(self, direction: int) -> None:
        """Post a request for the next hit (1) or the previous one (-1)."""
        self.post_message(self.NextHitRequested(direction))

    def turn_changed(self) -> None:
        """Mark the current turn."""
        if self.session is not None:
            self._show_facts()
            self.refresh()
            self.post_message(self.TurnChanged(self.session.key, self.number))

    def match_changed(self) -> None:
        """Show which match is current; the marks wait until all are counted."""
        if not self.finder.counting:
            self.minimap.matches_changed()
        self._show_facts()

    def passage_changed(self) -> None:
        """Show which passage is current."""
        self.minimap.matches_changed()
        self._show_facts()

    def new_turns_changed(self) -> None:
        """Show how many new turns are below the screen."""
        self._show_facts()

    def count_later(self, count: Callable[[], None]) -> None:
        """Count more matches after a pause in which the screen is drawn."""
        call_after(self, _COUNT_PAUSE, count)

    @property
    def text_width(self) -> int:
        """The width of a line of text in cells."""
        return max(1, self.scrollable_content_region.width - _MARGIN - _GAP)

    @property
    def has_size(self) -> bool:
        """Whether the widget has a size for which to lay out the document."""
        return self.size.width > 0

    @property
    def is_laid_out(self) -> bool:
        """Whether the lines have the width of the pane."""
        return not self.viewport.ready or self.document.width == self.text_width

    def lay_out(self) -> None:
        """Lay out for the size of the screen; the line at the top stays."""
        self._fit_minimap()
        if self.viewport.ready:
            self.viewport.lay_out()
            self.passages.show_pending()

    def viewport_moved(self) -> None:
        """Draw the document from another place."""
        self._scroll_position.follow()
        self.refresh()
        self._opened.loader.load_near()
        self._opened.new_turns.update()
        if self._is_followed:
            # The user may have gone elsewhere.
            self._show_facts()

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The minimap."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = self.minimap
            self.minimap.display = False
            self.app._start_widget(self, self.minimap)
        return self.minimap

    def watch_virtual_size(self, size: Size) -> None:
        """Fit the scroll bar."""
        self._scroll_update(size)

    def watch_shows_minimap(self, shown: bool) -> None:
        """Show or hide the marks in the scroll bar."""
        self.minimap.has_marks = shown
        self._fit_minimap()
        self.minimap.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new height, or for a size that was not known when the session was opened."""
        self.lay_out()

    def _fit_minimap(self) -> None:
        is_wide = self.shows_minimap and self.outer_size.width >= _WIDE
        # Textual lays out the whole screen again also for the same width.
        if is_wide != self.styles.inline.has_rule("scrollbar_size_vertical"):
            self.styles.scrollbar_size_vertical = 2 if is_wide else None

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Take a new size."""
        # Textual fits the scroll position to the estimated height. No user scrolled, so the line at the top stays.
        with self._scroll_position.held():
            return super()._size_updated(size, virtual_size, container_size, layout)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the wheel and the scroll bar."""
        super().watch_scroll_y(old_value, new_value)
        if self._scroll_position.take(old_value, new_value):
            self._opened.scrolled()

    def scroll_lines(self, count: int) -> None:
        """Scroll by an exact number of lines."""
        self._opened.scroll(count)

    def render_line(self, y: int) -> Strip:
        """Render a line of the screen: the mark of the current turn or passage, and the text."""
        width = self.scrollable_content_region.width
        if self.expected or not self.document.turns:
            return self._empty_line(y, width)
        key, line = self.document.keyed_line(round(self.scroll_y) + y)
        if line is None:
            return self.painter.blank(key, width)
        strip = self.painter.paint(line, key, width - _MARGIN, self.selected_span(key))
        return Strip([self.painter.margin(*self._mark(TranscriptPlace.of_key(key)), key), *strip], width)

    def _mark(self, place: TranscriptPlace) -> tuple[str, str]:
        """The mark before a line and its style: a bar for the current turn, thicker for the current passage or call."""
        if self.passages.includes(place) or self._opened.calls.is_current(place):
            return "▌", "passage"
        if self.document.turns[place.turn].turn.number == self.number:
            return "▎", "cursor"
        return " ", ""

    def _empty_line(self, y: int, width: int) -> Strip:
        if y != max(0, (self.size.height - 1) // 3):
            return Strip.blank(width, self.painter.base_style)
        text = _LOADING if self.expected else _NO_SESSION if self.session is None else _NO_TURNS
        return Strip([Segment(text.center(width)[:width], self.painter.style("muted"))], width)

    def text_select_all(self) -> None:
        """Select nothing on a double click: a whole session would be too much."""

    def on_click(self, event: events.Click) -> None:
        """Select the clicked turn, and fold or unfold what was clicked."""
        document = self.document
        y = round(self.scroll_y) + event.get_content_offset_capture(self).y
        if not self.viewport.ready or self.text_selection is not None or y >= document.height:
            return
        place = document.at(y)
        self.cursor.select(document.turns[place.turn].turn.number)
        line = document.line(place)
        if line is not None and line.fold is not None:
            self._opened.flip(place.turn, line.fold)

    def action_top(self) -> None:
        """Go to the first turn."""
        self.cursor.go_to_first()

    def action_bottom(self) -> None:
        """Go to the end, and keep it in view."""
        self.cursor.go_to_end()
        self._show_facts()

    def action_turn(self, direction: int) -> None:
        """Go to the next turn, or to the heading of the current turn and then to the previous turn."""
        self.cursor.step(direction)

    def action_human(self, direction: int) -> None:
        """Go to the next or the previous prompt of the user."""
        self.cursor.step(direction, PROMPTS)

    def action_compaction(self, direction: int) -> None:
        """Go to the next or the previous compaction."""
        self.cursor.step(direction, _COMPACTIONS)

    def action_edit(self, direction: int) -> None:
        """Go to the next or the previous edit of a file."""
        self._opened.calls.step(direction)

    def action_call(self, direction: int) -> None:
        """Go to the next or the previous tool call."""
        self._opened.calls.step(direction, CALLS)

    def action_match(self, direction: int) -> None:
        """Go to the next or the previous passage or match; after the last passage to the next hit."""
        self._opened.step_match(direction)

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

    def action_copy(self) -> None:
        """Copy the current turn."""
        document = self.document
        if (index := document.index.get(self.number)) is not None:
            box = document.turns[index]
            text = turn_text(box.turn, box.blocks, document.options)
            self.post_message(CopyRequested(text, f"Turn {self.number}"))

    def action_annotate(self, kind: AnnotationAction) -> None:
        """Ask to annotate the current turn, or the session where only that can be."""
        session = self.session
        if session is None:
            self.post_message(AnnotationRequested(kind, ()))
        else:
            self.post_message(AnnotationRequested(kind, (session.key,), session.title, self.number))

    def action_find(self) -> None:
        """Open the bar to find in this session."""
        if self.session is not None:
            self.post_message(self.FindRequested())

    def action_subagent(self) -> None:
        """Open the session of the visible call's subagent, from a subagent's session go to its call, or find a call."""
        call = self._opened.visible_call.find(lambda call: call.subagent is not None)
        if call is not None and call.subagent is not None:
            self.post_message(self.SubagentRequested(call.subagent))
        elif self.session is not None and self.session.parent is not None:
            self.post_message(self.SubagentRequested(self.session))
        else:
            self._opened.calls.go_to_any(SUBAGENTS)

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

    def action_blame(self) -> None:
        """Show who wrote each line of the file of the visible tool call, from the first line of this turn on."""
        call = self.visible_call()
        if call is None or self.session is None or not call.written_path:
            self.notify("No file is visible. } goes to the next edit.")
        else:
            file = editor_request(call.written_path, self.session, call.line)
            self.post_message(BlameRequested(file, call.path, self.session.key, self.number))
