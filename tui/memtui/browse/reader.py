"""The panes for the open session: its transcript, and the inspector beside it or in its place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from memtui import clock
from memtui.browse.opened import HistoryEntry, Opened
from memtui.formatting import plural
from memtui.navigation_history import NavigationHistory
from memtui.pane_widths import PaneWidths
from memtui.render.inspect import TurnCounts, turn_counts
from memtui.services.index_service import IndexService
from memtui.target import Target
from memtui.timers import PREVIEW_PAUSE
from memtui.widgets.find_bar import match_text
from memtui.widgets.inspector import Inspector
from memtui.widgets.inspector_rail import InspectorRail
from memtui.widgets.pane_visibility import set_pane_class
from memtui.widgets.splitter import Splitter
from memtui.widgets.transcript import Transcript
from memtui.widgets.transcript.bookmark import Bookmark
from memtui_core.model import Block, FileTouch, Session, Turn
from memtui_core.queries.activity import ACTIVE

if TYPE_CHECKING:
    from memtui_core.index import Index

TYPING_PAUSE = 0.3
"""Seconds after a key in the search line during which no preview is loaded."""
_BLOCKS_BEFORE, _BLOCKS_AFTER = 2, 20
"""Turns around the requested one whose blocks are loaded with the session, enough for the first screen."""


@dataclass(frozen=True, slots=True)
class _LoadedSession:
    """A session with its turns, and the blocks for the first screen; without blocks after it has grown."""

    session: Session
    turns: list[Turn]
    blocks: Mapping[int, tuple[Block, ...]]
    has_details: bool
    """Whether a turn has something for the inspector."""
    subagents: list[Session]

    @property
    def turns_with_blocks(self) -> list[Turn]:
        """The turns, those near the first screen with their blocks."""
        return [replace(turn, blocks=self.blocks.get(turn.number, ())) for turn in self.turns]


@dataclass(frozen=True, slots=True)
class _LoadedTurn:
    """A turn with its blocks and touches, for the inspector."""

    session: Session
    turn: Turn
    touches: list[FileTouch]


class SessionReader(Horizontal):
    """Opens sessions, loads blocks while the user scrolls, and shows the current turn in the inspector.

    What is open is kept for each view; `switch` shows that of another view.

    A view can show a detail pane in the place of the transcript: `add_details`, `show_detail`.
    """

    @dataclass
    class SessionShown(Message):
        """Another session is shown, or the same one has grown."""

        session: Session

    def __init__(self, index: IndexService) -> None:
        super().__init__(id="reader")
        self._index = index
        self._details: list[Widget] = []
        self.session: Session | None = None
        """The open session."""
        self.has_details = True
        """Whether the open session has something for the inspector."""
        self._detailed: dict[int, bool] = {}
        """`has_details` of the sessions that were opened, by their keys."""
        self.detail: Widget | None = None
        """The detail pane in the place of the transcript."""
        self.transcript = Transcript(id="transcript")
        self.line = Splitter(id="inspector-line")
        self.inspector = Inspector(id="inspector")
        self.rail = InspectorRail(id="rail")
        self._target: Target | None = None
        """The target requested last."""
        self._entry: HistoryEntry | None = None
        """The entry of the target requested last; None if it is a preview."""
        self._origin: Opened | None = None
        """The session from which `S` opened the target requested last; None if that was opened from a list."""
        self._shown: Target | None = None
        """The target that is shown."""
        self._shown_entry: HistoryEntry | None = None
        self._history = NavigationHistory[HistoryEntry]()
        self._view = ""
        """Name of the chosen view."""
        self._owner = ""
        """Name of the view, or of the hits, whose session is open."""
        self._opened: dict[str, Opened] = {}
        """What is open in the views that are not shown, by their names."""
        self._read_last: tuple[str, HistoryEntry] | None = None
        """The session that was read last, with its owner; None after it was revealed."""
        self._preview_pending = False
        """Whether a preview waits until the cursor rests."""
        self._pending_steps = 0
        """Turns to go on or back as soon as the requested session is shown."""
        self._inspected: tuple[int, int] | None = None
        """The session and the turn that the inspector shows or waits for."""
        self._match_text = ""
        """The part of the border that counts the matches."""
        self._rest: Timer | None = None
        """Goes off when the open session no longer counts as active."""
        self._typed_at = -TYPING_PAUSE
        """Time of the last key in the search line, in seconds of the event loop's clock."""

    def compose(self) -> ComposeResult:
        """The transcript, and the inspector with the rail in its place."""
        yield self.transcript
        yield self.line
        yield self.inspector
        yield self.rail

    # -- visible panes -----------------------------------------------------------------------------------------

    @property
    def is_peeking(self) -> bool:
        """Whether the inspector is shown in the place of the transcript."""
        return self.inspector.display and self.has_class("-peeking")

    async def add_details(self, panes: Iterable[Widget]) -> None:
        """Mount the detail panes of a view, which are not shown yet."""
        details = list(panes)
        for pane in details:
            pane.add_class("detail")
        await self.mount(*details, after=self.transcript)
        self._details += details

    def show_detail(self, pane: Widget | None) -> None:
        """Show a detail pane in the place of the transcript; None shows the transcript."""
        self.detail = pane
        set_pane_class(self, pane is not None, "-detail")
        for detail in self._details:
            set_pane_class(detail, detail is pane, "-shown")

    def set_widths(self, widths: PaneWidths) -> None:
        """Show the text, the inspector or its rail in their widths."""
        set_pane_class(self, not widths.text, "-peeking")
        inspector, rail = self.inspector, self.rail
        was_shown = inspector.display, rail.display
        self.line.display = widths.text > 0 and widths.inspector + widths.rail > 0
        inspector.display, rail.display = widths.inspector > 0, widths.rail > 0
        inspector.styles.width, rail.styles.width = widths.inspector, widths.rail
        if (inspector.display, rail.display) != was_shown:
            self.inspect()

    # -- opening -----------------------------------------------------------------------------------------------

    def step_turn(self, direction: int) -> None:
        """Go to the next turn (1) or the previous one (-1); a preview that waits is loaded first."""
        if self._preview_pending and self._target is not None:
            self._pending_steps += direction
            self._request(self._target, at_once=True)
        elif self._pending_steps:
            self._pending_steps += direction
        else:
            self.transcript.action_turn(direction)

    def open(self, target: Target, *, at_once: bool) -> None:
        """Show a session, `at_once` or else as a preview: when the cursor rests and nothing else was requested."""
        is_same = target == self._target
        if at_once or not is_same:
            self._origin = None
        if at_once:
            self._visit(target, is_same=is_same)
        elif not is_same:
            self._entry = None
        self._request(target, at_once=at_once)

    def _request(self, target: Target, *, at_once: bool) -> None:
        is_same = target == self._target
        if not is_same:
            self._pending_steps = 0
        self._target = target
        if is_same and self._shown == target:
            self._shown_entry = self._entry
        if not is_same or (at_once and self._preview_pending):
            self._preview_pending = not at_once
            self.run_worker(self._load(target, 0 if at_once else PREVIEW_PAUSE))

    def _visit(self, target: Target, *, is_same: bool) -> None:
        """Add a target to the history, unless it is its current entry."""
        if not (is_same and self._entry is not None and self._entry is self._history.current):
            self._keep()
            self._entry = HistoryEntry(self._view, target)
            self._history.visit(self._entry)
        assert self._entry is not None
        self._read_last = self._owner, self._entry

    def step(self, direction: int) -> HistoryEntry | None:
        """The session that was read previously (-1) or next (1); None if there is none."""
        self._keep()
        current = self._history.current
        # From a preview, the way back leads to what was read last.
        return current if direction < 0 and self._shown_entry is not current else self._history.step(direction)

    def step_back(self) -> bool:
        """Return to where the user left for the open session by `S`; False if it was opened from a list."""
        origin = self._origin
        if origin is None:
            return False
        self._keep()
        self._history.return_to(origin.entry)
        if origin.entry is not None:
            self._read_last = self._owner, origin.entry
        self._show_opened(origin)
        return True

    def return_to(self, entry: HistoryEntry) -> None:
        """Show what was read, as it was."""
        self._show_opened(Opened(entry.target, entry.bookmark, entry))

    def _keep(self) -> None:
        """Keep in the history where the user is in what was read, in the view in which it was opened."""
        if self._shown_entry is not None and self._shown_entry.view == self._view:
            self._shown_entry.keep(self.transcript.bookmark())

    def _current(self) -> Opened:
        bookmark = self.transcript.bookmark() if self._shown == self._target else None
        return Opened(self._target, bookmark, self._entry, self._origin)

    # -- one for each view -------------------------------------------------------------------------------------

    def switch(self, owner: str, view: str) -> None:
        """Show what was open when `owner` was shown last: the chosen `view`, or the hits in its place."""
        if view != self._view:
            self._keep()
        self._view = view
        if owner == self._owner:
            return
        if self._owner:
            self._opened[self._owner] = self._current()
        self._owner = owner
        opened = self._opened.get(owner)
        if opened is not None and opened.target is not None:
            self._show_opened(opened)
        else:
            # What is still being loaded is for the other view.
            self._target, self._entry, self._preview_pending = self._shown, self._shown_entry, False
            self._origin, self._pending_steps = None, 0
            self.transcript.clear_marks()

    def prepare(self, owner: str, target: Target) -> None:
        """Show a target when a view is shown the next time."""
        self._opened[owner] = Opened(target, None, None)

    def forget(self, owner: str) -> None:
        """Forget what was open for hits that are no longer shown."""
        self._opened.pop(owner, None)

    def take_over(self, owner: str) -> Session | None:
        """Open what was read last in `owner`, if it was read elsewhere since `owner` was shown; return its session.

        Its marks stay in the view in which it was read.
        """
        read, self._read_last = self._read_last, None
        if read is None or read[0] == owner:
            return None
        entry = read[1]
        self._keep()
        bookmark = self.transcript.bookmark() if self._shown_entry is entry else entry.bookmark
        if bookmark is None:
            return None
        self._opened[owner] = Opened(entry.target, bookmark.without_marks(), entry)
        return bookmark.session

    def forget_read(self) -> None:
        """Leave what was read so far where it is: `take_over` no longer returns it."""
        self._read_last = None

    def _show_opened(self, opened: Opened) -> None:
        self._target, self._entry, self._preview_pending, self._pending_steps = opened.target, opened.entry, False, 0
        self._origin = opened.origin
        target, bookmark = opened.target, opened.bookmark
        assert target is not None
        if bookmark is None:
            self.run_worker(self._load(target, 0))
        elif bookmark.turns or bookmark.top is None:
            self._show_bookmark(target, bookmark, bookmark.turns)
        else:
            top = bookmark.top.number

            def show(loaded: _LoadedSession) -> None:
                if target == self._target:
                    self._show_bookmark(target, replace(bookmark, session=loaded.session), loaded.turns_with_blocks)

            self._index.query("open", lambda index: _load_session(index, target.session, top), show)

    def _show_bookmark(self, target: Target, bookmark: Bookmark, turns: Sequence[Turn]) -> None:
        self._take_shown(target, bookmark.session)
        self.transcript.return_to(bookmark, turns)
        self._set_position()
        self.inspect()
        self.post_message(self.SessionShown(bookmark.session))
        self.grow()

    def _take_shown(self, target: Target, session: Session) -> None:
        if self._shown_entry is not self._entry:
            self._keep()
        self._shown, self._shown_entry, self.session = target, self._entry, session
        self.has_details = self._detailed.get(session.key, True)
        self.transcript.border_title = Content(session.title)
        self._await_rest(session)

    def _await_rest(self, session: Session) -> None:
        """Draw the last turn again as soon as nothing was written for so long that it does not count as running."""
        if self._rest is not None:
            self._rest.stop()
        left = session.ended_at + ACTIVE - clock.now() if session.ended_at is not None else timedelta()
        seconds = left.total_seconds()
        self._rest = self.set_timer(seconds, self.transcript.draw_last_turn) if seconds > 0 else None

    # -- loading -----------------------------------------------------------------------------------------------

    def delay_previews(self) -> None:
        """Load no preview for a short time after a key in the search line: it would slow down the search."""
        self._typed_at = asyncio.get_running_loop().time()

    async def _load(self, target: Target, pause: float) -> None:
        await asyncio.sleep(pause)
        clock = asyncio.get_running_loop()
        while pause and (seconds_left := self._typed_at + TYPING_PAUSE - clock.time()) > 0:
            await asyncio.sleep(seconds_left)
        if target == self._target and self._preview_pending == bool(pause):
            self._preview_pending = False
            self._index.query(
                "open",
                lambda index: _load_session(index, target.session, target.turn or 1),
                lambda loaded: self._show_session(target, loaded),
            )

    def _show_session(self, target: Target, loaded: _LoadedSession) -> None:
        if target != self._target:
            return
        self._detailed[loaded.session.key] = loaded.has_details
        self._take_shown(target, loaded.session)
        transcript, turns = self.transcript, loaded.turns_with_blocks
        transcript.show(loaded.session, turns, target.turn, target.words, target.hit, loaded.subagents)
        transcript.supply(loaded.session.key, loaded.blocks)
        transcript.go_to(target)
        steps, self._pending_steps = self._pending_steps, 0
        for _ in range(abs(steps)):
            transcript.action_turn(1 if steps > 0 else -1)
        self._set_position()
        if not turns:
            self._inspected = None
            self._clear_inspector("No turn is open.")
        self.post_message(self.SessionShown(loaded.session))

    def job_failed(self) -> None:
        """Forget the turns to go on or back: what has failed may be the load of the session that has them."""
        self._pending_steps = 0

    def grow(self) -> None:
        """Load what was added to the open session."""
        if (session := self.session) is not None:
            self._index.query("grow", lambda index: _load_growth(index, session), self._show_growth)

    def _show_growth(self, grown: _LoadedSession | None) -> None:
        if grown is None or self.session is None or grown.session.key != self.session.key:
            return
        self.session = grown.session
        self.has_details = self._detailed[grown.session.key] = grown.has_details
        self.transcript.grow(grown.session, grown.turns, grown.subagents)
        self.transcript.border_title = Content(self.session.title)
        self._await_rest(self.session)
        self._set_position()
        self.inspect()
        self.post_message(self.SessionShown(self.session))

    def _follow(self, target: Target) -> None:
        """Open what `S` leads to; `step_back` returns to what is shown now.

        Back in the session from which the shown one was opened, it goes on as it did there.
        """
        bookmark = self.transcript.bookmark()
        # Without its turns, as many such places may be kept.
        kept = replace(bookmark, turns=()) if bookmark is not None else None
        left, before = Opened(self._shown, kept, self._shown_entry, self._origin), self._origin
        is_return = before is not None and before.target is not None and before.target.session == target.session
        self.open(target, at_once=True)
        self._origin = before.origin if before is not None and is_return else left

    @on(Transcript.SubagentRequested)
    def _open_subagent(self, message: Transcript.SubagentRequested) -> None:
        self._follow(Target(message.session.key))

    @on(Transcript.CallRequested)
    def _open_call(self, message: Transcript.CallRequested) -> None:
        session, asked_in = message.session, (self._owner, self._target)

        def follow(call: Target) -> None:
            # In the meantime something else may have been opened, or another view.
            if (self._owner, self._target) == asked_in:
                self._follow(call)

        self._index.query("open", lambda index: _load_call(index, session), follow)

    @on(Transcript.BlocksRequested)
    def _load_blocks(self, message: Transcript.BlocksRequested) -> None:
        session = message.session
        self._index.query(
            "",
            lambda index: index.blocks(session, message.first, message.last),
            lambda blocks: self.transcript.supply(session, blocks),
        )

    # -- the current turn --------------------------------------------------------------------------------------

    @on(Transcript.MatchChanged)
    def _match_changed(self, message: Transcript.MatchChanged) -> None:
        is_known = self.transcript.matches.words and (message.total or message.complete)
        self._match_text = match_text(message.current, message.total) if is_known else ""
        self._set_position()

    @on(Transcript.LevelChanged)
    @on(Transcript.PassageChanged)
    @on(Transcript.NewTurnsChanged)
    def _set_position(self) -> None:
        """Show new turns, the fold levels that are not the defaults, the current turn, and passage or match."""
        transcript = self.transcript
        levels = (("tools", transcript.tools_level, "summary"), ("thinking", transcript.thinking_level, "line"))
        changed_levels = [f"{name} {level}" for name, level, default in levels if level != default]
        count = len(transcript.document.turns)
        turn = f"turn {transcript.number} of {count}" if transcript.number and count > 1 else ""
        position = transcript.position or self._match_text
        back = "S back to its call" if self.session is not None and self.session.parent is not None else ""
        facts = [Content(fact) for fact in (back, *changed_levels, turn, position) if fact]
        if transcript.new_turns:
            facts.insert(0, Content(f"↓ {plural(transcript.new_turns, 'new turn')}").stylize("@click=bottom"))
        transcript.border_subtitle = Content(" · ").join(facts)

    @on(Transcript.TurnChanged)
    def _turn_changed(self) -> None:
        self._set_position()
        self.inspect()

    def inspect(self) -> None:
        """Load the current turn for the inspector or its rail, if one of them is visible; until then both are blank."""
        session, number = self.session, self.transcript.number
        if session is None or not number:
            return
        if self._inspected != (session.key, number):
            self._inspected = session.key, number
            self._clear_inspector("")
        if self.inspector.display or self.rail.display:
            self._index.query("turn", lambda index: _load_turn(index, session.key, number), self._show_turn)

    def _clear_inspector(self, text: str) -> None:
        self.inspector.clear(text)
        self.rail.counts = TurnCounts()

    def _show_turn(self, loaded: _LoadedTurn | None) -> None:
        if loaded is None or self.session is None:
            return
        if (loaded.session.key, loaded.turn.number) == (self.session.key, self.transcript.number):
            self.rail.counts = turn_counts(loaded.turn, loaded.touches)
            if self.inspector.display:
                self.inspector.show(loaded.session, loaded.turn, loaded.touches)


def _load_session(index: Index, key: int, first: int) -> _LoadedSession:
    loaded = _load_turns(index, index.session(key))
    blocks = index.blocks(key, first - _BLOCKS_BEFORE, first + _BLOCKS_AFTER) if loaded.turns else {}
    return replace(loaded, blocks=blocks)


def _load_growth(index: Index, before: Session) -> _LoadedSession | None:
    """The session without blocks; None if it has not changed."""
    session = index.session(before.key)
    return _load_turns(index, session) if session != before else None


def _load_turns(index: Index, session: Session) -> _LoadedSession:
    turns = index.turns(session.key)
    has_details = any(turn.tool_summary for turn in turns) or index.has_thinking(session.key)
    subagents = index.subagents(session.key) if session.children else []
    return _LoadedSession(session, turns, {}, has_details, subagents)


def _load_call(index: Index, session: Session) -> Target:
    """Where the parent of a subagent started it."""
    turn = index.calling_turn(session.key)
    return Target(session.parent or session.key, turn, tool_id=session.parent_tool_id)


def _load_turn(index: Index, session: int, number: int) -> _LoadedTurn | None:
    turn = index.turn(session, number)
    if turn is None:
        return None
    return _LoadedTurn(index.session(session), turn, index.touches(session, number))
