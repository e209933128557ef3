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
from textual.reactive import var
from textual.widget import Widget

from memtui.navigation_history import NavigationHistory
from memtui.services.index_service import IndexService
from memtui.target import Target
from memtui.widgets.find_bar import match_text
from memtui.widgets.inspector import Inspector
from memtui.widgets.pane_visibility import set_pane_class
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
    subagents: list[Session]


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

    inspecting = var(True, init=False)
    """In a wide terminal: whether the inspector is shown beside the transcript."""
    peeking = var(False, init=False)
    """In a narrower terminal: whether the inspector is shown in the place of the transcript."""

    @dataclass
    class SessionShown(Message):
        """Another session is shown, or the same one has grown."""

        session: Session

    def __init__(self, index: IndexService, details: Sequence[Widget]) -> None:
        super().__init__(id="reader", classes="-inspecting")
        self._index = index
        self._details = details
        self.session: Session | None = None
        """The open session."""
        self.transcript = Transcript(id="transcript")
        self.inspector = Inspector(id="inspector")
        self._target: Target | None = None
        """The target requested last."""
        self._history = NavigationHistory()
        self._preview_pending = False
        """Whether a preview waits until the cursor rests."""
        self._match_text = ""
        """The part of the border that counts the matches."""
        self._typed_at = -TYPING_PAUSE
        """Time of the last key in the search bar, in seconds of the monotonic clock."""

    def compose(self) -> ComposeResult:
        """The transcript, the detail panes and the inspector."""
        yield self.transcript
        for pane in self._details:
            pane.add_class("detail")
            yield pane
        yield self.inspector

    # -- visible panes -----------------------------------------------------------------------------------------

    @property
    def focus_target(self) -> Widget:
        """The transcript, or the detail pane in its place."""
        return next((pane for pane in self._details if pane.has_class("-shown")), self.transcript)

    @property
    def _is_wide(self) -> bool:
        return self.screen.has_class("-wide")

    def show_detail(self, pane: Widget | None) -> None:
        """Show a detail pane in the place of the transcript; None shows the transcript."""
        set_pane_class(self, pane is not None, "-detail")
        for detail in self._details:
            set_pane_class(detail, detail is pane, "-shown")

    def watch_inspecting(self) -> None:
        """Show or hide the inspector beside the transcript."""
        set_pane_class(self, self.inspecting, "-inspecting")

    def watch_peeking(self) -> None:
        """Show or hide the inspector in the place of the transcript."""
        set_pane_class(self, self.peeking, "-peeking")

    def toggle_inspector(self) -> Widget | None:
        """Show or hide the inspector; return the pane to focus, or None if the focus may stay."""
        if not self._is_wide:
            return self.transcript if self.peeking else self.inspector
        self.inspecting = not self.inspecting
        return self.transcript if not self.inspecting and self.inspector.has_focus else None

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

    def delay_previews(self) -> None:
        """Load no preview for a short time after a key in the search bar: it would slow down the search."""
        self._typed_at = time.monotonic()

    def _show(self, target: Target, *, at_once: bool) -> None:
        is_same = target == self._target
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
        transcript = self.transcript
        turns = [replace(turn, blocks=loaded.blocks.get(turn.number, ())) for turn in loaded.turns]
        transcript.show(loaded.session, turns, target.turn, target.words, target.hit, loaded.subagents)
        transcript.supply(loaded.session.key, loaded.blocks)
        transcript.border_title = Content(loaded.session.title)
        if target.turn is not None and target.call is not None:
            transcript.go_to_call(target.turn, *target.call)
        elif target.turn is not None and target.tool_id is not None:
            transcript.go_to_call_id(target.turn, target.tool_id)
        elif target.hit is not None:
            transcript.show_passage(0)
        elif target.turn is not None and target.words:
            transcript.seek(target.turn)
        self._set_position()
        if not turns:
            self.inspector.clear()
        self.post_message(self.SessionShown(loaded.session))

    def grow(self) -> None:
        """Load what was added to the open session."""
        if (session := self.session) is not None:
            self._index.query("grow", lambda index: _load_growth(index, session), self._show_growth)

    def _show_growth(self, grown: _LoadedSession | None) -> None:
        if grown is None or self.session is None or grown.session.key != self.session.key:
            return
        self.session = grown.session
        self.transcript.grow(grown.turns, grown.subagents)
        self.transcript.border_title = Content(self.session.title)
        self._set_position()
        self.inspect()
        self.post_message(self.SessionShown(self.session))

    @on(Transcript.SubagentRequested)
    def _open_subagent(self, message: Transcript.SubagentRequested) -> None:
        self.open(Target(message.session.key), at_once=True)

    @on(Transcript.CallRequested)
    def _open_call(self, message: Transcript.CallRequested) -> None:
        session = message.session
        self._index.query(
            "open", lambda index: _load_call(index, session), lambda target: self.open(target, at_once=True)
        )

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
    def _set_position(self) -> None:
        """Show the fold levels that are not the defaults, the current turn, and the current passage or match."""
        transcript = self.transcript
        levels = (("tools", transcript.tools_level, "summary"), ("thinking", transcript.thinking_level, "line"))
        changed_levels = [f"{name} {level}" for name, level, default in levels if level != default]
        count = len(transcript.document.turns)
        turn = f"turn {transcript.number} of {count}" if transcript.number and count > 1 else ""
        position = transcript.position or self._match_text
        back = "S back to its call" if self.session is not None and self.session.parent is not None else ""
        transcript.border_subtitle = " · ".join(filter(None, (back, *changed_levels, turn, position)))

    @on(Transcript.TurnChanged)
    def _turn_changed(self, message: Transcript.TurnChanged) -> None:
        # A preview is no turn that was read: it is not added to the history.
        if self.session is not None and self.transcript.has_focus:
            self._history.update((self.session.key, message.number))
        self._set_position()
        self.inspect()

    def inspect(self) -> None:
        """Load the current turn for the inspector, if the inspector is visible."""
        session, number = self.session, self.transcript.number
        if session is not None and number and (self.inspecting if self._is_wide else self.peeking):
            self._index.query("turn", lambda index: _load_turn(index, session.key, number), self._show_turn)

    def _show_turn(self, loaded: _LoadedTurn | None) -> None:
        if loaded is None or self.session is None:
            return
        if (loaded.session.key, loaded.turn.number) == (self.session.key, self.transcript.number):
            self.inspector.show(loaded.session, loaded.turn, loaded.touches)


def _load_session(index: Index, target: Target) -> _LoadedSession:
    turns = index.turns(target.session)
    first = target.turn or 1
    blocks = index.blocks(target.session, first - _BLOCKS_BEFORE, first + _BLOCKS_AFTER) if turns else {}
    session = index.session(target.session)
    return _LoadedSession(session, turns, blocks, _subagents(index, session))


def _load_growth(index: Index, before: Session) -> _LoadedSession | None:
    """The session and its turns without blocks; None if it has not changed."""
    session = index.session(before.key)
    if session == before:
        return None
    return _LoadedSession(session, index.turns(session.key), {}, _subagents(index, session))


def _subagents(index: Index, session: Session) -> list[Session]:
    return index.subagents(session.key) if session.children else []


def _load_call(index: Index, session: Session) -> Target:
    """Where the parent of a subagent started it."""
    turn = index.calling_turn(session.key)
    return Target(session.parent or session.key, turn, tool_id=session.parent_tool_id)


def _load_turn(index: Index, session: int, number: int) -> _LoadedTurn | None:
    turn = index.turn(session, number)
    if turn is None:
        return None
    return _LoadedTurn(index.session(session), turn, index.touches(session, number))
