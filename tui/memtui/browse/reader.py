"""The panes for the open session: its transcript, and the inspector beside it or in its place."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from memtui.formatting import plural
from memtui.navigation_history import NavigationHistory
from memtui.pane_widths import PaneWidths
from memtui.render.inspect import TurnCounts, turn_counts
from memtui.services.index_service import IndexService
from memtui.target import Target
from memtui.widgets.inspector import Inspector
from memtui.widgets.inspector_rail import InspectorRail
from memtui.widgets.pane_visibility import set_pane_class
from memtui.widgets.splitter import Splitter
from memtui.widgets.transcript import Transcript
from memtui_core.model import Block, FileTouch, Session, Turn

if TYPE_CHECKING:
    from memtui_core.index import Index

PREVIEW_PAUSE = 0.12
"""Seconds for which the cursor rests on a row before its preview is loaded: a key that is held down loads none."""
TYPING_PAUSE = 0.3
"""Seconds after a key in the search bar during which no preview is loaded."""
_BLOCKS_BEFORE, _BLOCKS_AFTER = 2, 20
"""Turns around the requested one whose blocks are loaded with the session, enough for the first screen."""


@dataclass(frozen=True, slots=True)
class _LoadedSession:
    """A session with its turns, and the blocks for the first screen."""

    session: Session
    turns: list[Turn]
    blocks: Mapping[int, tuple[Block, ...]]
    has_details: bool
    """Whether a turn has something for the inspector."""


@dataclass(frozen=True, slots=True)
class _LoadedTurn:
    """A turn with its blocks and touches, for the inspector."""

    session: Session
    turn: Turn
    touches: list[FileTouch]


class SessionReader(Horizontal):
    """Opens sessions, loads blocks while the user scrolls, and shows the current turn in the inspector.

    `details` are the detail panes of the views; see `show_detail`.
    """

    @dataclass
    class SessionShown(Message):
        """Another session is shown, or the same one has grown."""

        session: Session

    def __init__(self, index: IndexService, details: Sequence[Widget]) -> None:
        super().__init__(id="reader")
        self._index = index
        self._details = details
        self.session: Session | None = None
        """The open session."""
        self.has_details = True
        """Whether the open session has something for the inspector."""
        self.detail: Widget | None = None
        """The detail pane in the place of the transcript."""
        self.transcript = Transcript(id="transcript")
        self.line = Splitter(id="inspector-line")
        self.inspector = Inspector(id="inspector")
        self.rail = InspectorRail(id="rail")
        self._target: Target | None = None
        """The target requested last."""
        self._history = NavigationHistory()
        self._preview_pending = False
        """Whether a preview waits until the cursor rests."""
        self._pending_steps = 0
        """Turns to go on or back as soon as the requested session is shown."""
        self._match_text = ""
        """The part of the border that counts the matches."""
        self._typed_at = -TYPING_PAUSE
        """Time of the last key in the search bar, in seconds of the monotonic clock."""

    def compose(self) -> ComposeResult:
        """The transcript, the detail panes, and the inspector with the rail in its place."""
        yield self.transcript
        for pane in self._details:
            pane.add_class("detail")
            yield pane
        yield self.line
        yield self.inspector
        yield self.rail

    # -- visible panes -----------------------------------------------------------------------------------------

    @property
    def focus_target(self) -> Widget:
        """The transcript, or the detail pane in its place."""
        return self.detail or self.transcript

    @property
    def is_peeking(self) -> bool:
        """Whether the inspector is shown in the place of the transcript."""
        return self.inspector.display and self.has_class("-peeking")

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

    def open(self, target: Target, *, at_once: bool) -> None:
        """Show a session, `at_once` or else as a preview: when the cursor rests and nothing else was requested."""
        if at_once:
            self._history.visit((target.session, target.turn))
        self._show(target, at_once=at_once)

    def jump(self, direction: int) -> None:
        """Go to the turn that was read previously (-1) or next (1)."""
        entry = self._history.step(direction)
        if entry is None:
            self.notify("There is no previous turn." if direction < 0 else "There is no next turn.")
        else:
            self._show(Target(*entry), at_once=True)

    def step_turn(self, direction: int) -> None:
        """Go to the next turn (1) or the previous one (-1); a preview that waits is loaded first."""
        if self._preview_pending and self._target is not None:
            self._pending_steps += direction
            self._show(self._target, at_once=True)
        elif self._pending_steps:
            self._pending_steps += direction
        else:
            self.transcript.action_turn(direction)

    def delay_previews(self) -> None:
        """Load no preview for a short time after a key in the search bar: it would slow down the search."""
        self._typed_at = time.monotonic()

    def _show(self, target: Target, *, at_once: bool) -> None:
        is_same = target == self._target
        if not is_same:
            self._pending_steps = 0
        self._target = target
        if not is_same or (at_once and self._preview_pending):
            self._preview_pending = not at_once
            self.run_worker(self._load(target, 0 if at_once else PREVIEW_PAUSE))

    async def _load(self, target: Target, pause: float) -> None:
        await asyncio.sleep(pause)
        while pause and (seconds_left := self._typed_at + TYPING_PAUSE - time.monotonic()) > 0:
            await asyncio.sleep(seconds_left)
        if target == self._target and self._preview_pending == bool(pause):
            self._preview_pending = False
            self._index.query(
                "open", lambda index: _load_session(index, target), lambda loaded: self._show_session(target, loaded)
            )

    def _show_session(self, target: Target, loaded: _LoadedSession) -> None:
        if target != self._target:
            return
        self.session = loaded.session
        self.has_details = loaded.has_details
        transcript = self.transcript
        turns = [replace(turn, blocks=loaded.blocks.get(turn.number, ())) for turn in loaded.turns]
        transcript.show(loaded.session, turns, target.turn, target.words, target.hit)
        transcript.supply(loaded.session.key, loaded.blocks)
        transcript.border_title = Content(loaded.session.title)
        if target.turn is not None and target.call is not None:
            transcript.go_to_call(target.turn, *target.call)
        elif target.hit is not None:
            transcript.show_passage(0)
        elif target.turn is not None and target.words:
            transcript.seek(target.turn)
        steps, self._pending_steps = self._pending_steps, 0
        for _ in range(abs(steps)):
            transcript.action_turn(1 if steps > 0 else -1)
        self._set_position()
        if not turns:
            self.inspector.clear()
            self.rail.counts = TurnCounts()
        self.post_message(self.SessionShown(loaded.session))

    def grow(self) -> None:
        """Load what was added to the open session."""
        if (session := self.session) is not None:
            self._index.query("grow", lambda index: _load_growth(index, session), self._show_growth)

    def _show_growth(self, grown: tuple[Session, list[Turn]] | None) -> None:
        if grown is None or self.session is None or grown[0].key != self.session.key:
            return
        self.session, turns = grown
        self.transcript.grow(turns)
        self.transcript.border_title = Content(self.session.title)
        self._set_position()
        self.inspect()
        self.post_message(self.SessionShown(self.session))

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
        text = f"match {message.current} of {message.total}" if message.current else ""
        if not text and self.transcript.matches.words and (message.total or message.complete):
            text = plural(message.total, "match", "matches") if message.total else "no match"
        self._match_text = text
        self._set_position()

    @on(Transcript.LevelChanged)
    @on(Transcript.PassageChanged)
    def _set_position(self) -> None:
        """Show the fold levels that are not the defaults, the current turn, and the current passage or match."""
        transcript = self.transcript
        levels = (("tools", transcript.tools_level, "summary"), ("thinking", transcript.thinking_level, "line"))
        changed_levels = [f"{name} {level}" for name, level, default in levels if level != default]
        count = len(transcript.document.turns)
        turn = f"turn {transcript.number} of {count}" if transcript.number and count > 1 else ""
        position = transcript.position or self._match_text
        transcript.border_subtitle = " · ".join(filter(None, (*changed_levels, turn, position)))

    @on(Transcript.TurnChanged)
    def _turn_changed(self, message: Transcript.TurnChanged) -> None:
        # A preview is no turn that was read: it is not added to the history.
        if self.session is not None and self.transcript.has_focus:
            self._history.update((self.session.key, message.number))
        self._set_position()
        self.inspect()

    def inspect(self) -> None:
        """Load the current turn for the inspector or its rail, if one of them is visible."""
        session, number = self.session, self.transcript.number
        if session is not None and number and (self.inspector.display or self.rail.display):
            self._index.query("turn", lambda index: _load_turn(index, session.key, number), self._show_turn)

    def _show_turn(self, loaded: _LoadedTurn | None) -> None:
        if loaded is None or self.session is None:
            return
        if (loaded.session.key, loaded.turn.number) == (self.session.key, self.transcript.number):
            self.rail.counts = turn_counts(loaded.turn, loaded.touches)
            if self.inspector.display:
                self.inspector.show(loaded.session, loaded.turn, loaded.touches)


def _load_session(index: Index, target: Target) -> _LoadedSession:
    turns = index.turns(target.session)
    first = target.turn or 1
    blocks = index.blocks(target.session, first - _BLOCKS_BEFORE, first + _BLOCKS_AFTER) if turns else {}
    has_details = any(turn.tool_summary for turn in turns) or index.has_thinking(target.session)
    return _LoadedSession(index.session(target.session), turns, blocks, has_details)


def _load_growth(index: Index, before: Session) -> tuple[Session, list[Turn]] | None:
    """The session and its turns without blocks; None if it has not changed."""
    session = index.session(before.key)
    return (session, index.turns(session.key)) if session != before else None


def _load_turn(index: Index, session: int, number: int) -> _LoadedTurn | None:
    turn = index.turn(session, number)
    if turn is None:
        return None
    return _LoadedTurn(index.session(session), turn, index.touches(session, number))
