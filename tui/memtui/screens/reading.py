"""A screen with a transcript and an inspector beside it: opens sessions and follows the turn that is read."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from textual import on
from textual.content import Content
from textual.reactive import var

from memtui import messages
from memtui.formatting import plural
from memtui.navigation_history import NavigationHistory
from memtui.screens.index_screen import IndexScreen
from memtui.screens.pane_visibility import set_pane_class
from memtui.services.preload import IndexPreload
from memtui.target import Target
from memtui.widgets.inspector import Inspector
from memtui.widgets.transcript import Transcript
from memtui_core.model import Session

PREVIEW_PAUSE = 0.12
"""Seconds that the cursor rests on a row before its session is shown, so that holding a key costs no reading."""

TYPING_PAUSE = 0.3
"""Seconds after a key of a query in which no session is shown beside the hits."""


class ReadingScreen(IndexScreen):
    """Owns what is read."""

    inspecting = var(True, init=False)
    """In a wide terminal: the inspector stands beside the transcript."""
    peeking = var(False, init=False)
    """In a narrower one: it stands instead of the transcript."""

    def __init__(self, data_dir: Path, opening: IndexPreload | None = None) -> None:
        super().__init__(data_dir, opening)
        # Every change of a class after the screen is mounted costs a look at all styles.
        self.add_class("-inspecting")
        self.shown: Session | None = None
        self._target: Target | None = None
        """What was asked for last."""
        self._jumps = NavigationHistory()
        self._pausing = False
        """A preview waits for the cursor to rest."""
        self._matched = ""
        """What the border says of the matches."""
        self._typed_at = -TYPING_PAUSE
        """When the last key of a query was typed, in seconds."""

    def watch_inspecting(self) -> None:
        """The inspector comes or goes beside the transcript."""
        set_pane_class(self, self.inspecting, "-inspecting")

    def watch_peeking(self) -> None:
        """The inspector comes or goes instead of the transcript."""
        set_pane_class(self, self.peeking, "-peeking")

    def open_session(self, target: Target, *, at_once: bool) -> None:
        """Show a session; `at_once` when it is to be read, else when no other was wanted in the meantime."""
        if at_once:
            self._jumps.visit((target.session, target.turn))
        self._show(target, at_once=at_once)

    def _show(self, target: Target, *, at_once: bool) -> None:
        same = target == self._target
        self._target = target
        if not same or (at_once and self._pausing):
            self._pausing = not at_once
            self.run_worker(self._load(target, 0 if at_once else PREVIEW_PAUSE))

    def action_jump(self, direction: int) -> None:
        """To what was read before, or after that."""
        place = self._jumps.step(direction)
        if place is None:
            self.notify("Nothing was read before." if direction < 0 else "Nothing was read after.")
        else:
            self._show(Target(*place), at_once=True)

    def hold_previews(self) -> None:
        """A key was typed: reading a session now would take the processor from the search."""
        self._typed_at = time.monotonic()

    async def _load(self, target: Target, pause: float) -> None:
        await asyncio.sleep(pause)
        while pause and (left := self._typed_at + TYPING_PAUSE - time.monotonic()) > 0:
            await asyncio.sleep(left)
        if target == self._target and self._pausing == bool(pause):
            self._pausing = False
            self.run_newest("open", lambda: self.library.open(target))

    @on(messages.SessionLoaded)
    def _session_loaded(self, message: messages.SessionLoaded) -> None:
        target = message.target
        if target != self._target:
            return
        self.shown = message.session
        transcript = self.query_one(Transcript)
        turns = [replace(turn, blocks=message.blocks.get(turn.number, ())) for turn in message.turns]
        transcript.show(message.session, turns, target.turn, target.words, target.answer)
        transcript.supply(message.session.key, message.blocks)
        transcript.border_title = Content(message.session.title)
        if target.turn is not None and target.call is not None:
            transcript.go_to_call(target.turn, *target.call)
        elif target.answer is not None:
            transcript.show_passage(0)
        elif target.turn is not None and target.words:
            transcript.seek(target.turn)
        self._say_place()
        if not turns:
            self.query_one(Inspector).clear()

    @on(messages.IndexChanged)
    def _grow(self) -> None:
        if (shown := self.shown) is not None:
            self.run_newest("grow", lambda: self.library.grow(shown))

    @on(messages.SessionGrown)
    def _session_grown(self, message: messages.SessionGrown) -> None:
        if self.shown is not None and message.session.key == self.shown.key:
            self.shown = message.session
            transcript = self.query_one(Transcript)
            transcript.grow(message.turns)
            transcript.border_title = Content(message.session.title)
            self._say_place()
            self.inspect(transcript.number)

    @on(Transcript.BlocksRequested)
    def _blocks_wanted(self, message: Transcript.BlocksRequested) -> None:
        self.run_job(lambda: self.library.blocks(message.session, message.first, message.last))

    @on(messages.BlocksLoaded)
    def _blocks_loaded(self, message: messages.BlocksLoaded) -> None:
        self.query_one(Transcript).supply(message.session, message.blocks)

    @on(Transcript.MatchChanged)
    def _match_changed(self, message: Transcript.MatchChanged) -> None:
        transcript = self.query_one(Transcript)
        text = f"match {message.current} of {message.total}" if message.current else ""
        if not text and transcript.matches.words and (message.total or message.complete):
            text = plural(message.total, "match", "matches") if message.total else "no match"
        self._matched = text
        self._say_place()

    @on(Transcript.LevelChanged)
    @on(Transcript.PassageChanged)
    def _say_place(self) -> None:
        """How much is folded, where that was chosen, the turn that is read, of how many, and the match."""
        transcript = self.query_one(Transcript)
        levels = (("tools", transcript.tools_level, "summary"), ("thinking", transcript.thinking_level, "line"))
        chosen = [f"{name} {level}" for name, level, usual in levels if level != usual]
        count = len(transcript.document.turns)
        turn = f"turn {transcript.number} of {count}" if transcript.number and count > 1 else ""
        position = transcript.position or self._matched
        transcript.border_subtitle = " · ".join(filter(None, (*chosen, turn, position)))

    @on(Transcript.TurnChanged)
    def _turn_changed(self, message: Transcript.TurnChanged) -> None:
        # What is only previewed while a list is gone through is no place to come back to.
        if self.shown is not None and isinstance(self.focused, Transcript):
            self._jumps.reach((self.shown.key, message.number))
        self._say_place()
        self.inspect(message.number)

    @on(messages.TurnLoaded)
    def _turn_loaded(self, message: messages.TurnLoaded) -> None:
        shown, number = self.shown, self.query_one(Transcript).number
        if shown is not None and (message.session.key, message.turn.number) == (shown.key, number):
            self.query_one(Inspector).show(message.session, message.turn, message.touches)

    def inspect(self, number: int) -> None:
        """Load a turn for the inspector, if that is in sight."""
        shown = self.shown
        if shown is not None and number and (self.inspecting if self.has_class("-wide") else self.peeking):
            self.run_newest("turn", lambda: self.library.turn(shown.key, number))

    def action_copy_id(self) -> None:
        """Copy the reference of the current turn."""
        if self.shown is None:
            self.notify("No session is open.")
            return
        text = f"{self.shown.session_id}:{self.query_one(Transcript).number}"
        self.app.copy_to_clipboard(text)
        self.notify(f"{text} copied.", markup=False)
