"""Loading sessions for the transcript: at once, or as previews while the user goes through a list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from memtui.browse.controllers import handles
from memtui.services.index_service import IndexService
from memtui.services.messages import JobFailed
from memtui.system.timers import PREVIEW_PAUSE
from memtui.widgets.requests.target import Target
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.errors import SessionUnknown
from memtui_core.model import Block, Session, Turn

if TYPE_CHECKING:
    from memtui_core.index.index import Index

_GONE: Final = "This session is not in the index any more"
"""The title of an open session that was forgotten."""
_TYPING_PAUSE: Final = 0.3
"""Seconds after a key in the search line during which no preview is loaded."""
_BLOCKS_BEFORE, _BLOCKS_AFTER = 2, 20
"""Turns around the requested one whose blocks are loaded with the session, enough for the first screen."""


@dataclass(frozen=True, slots=True)
class LoadedSession:
    """A session with its turns."""

    session: Session
    turns: list[Turn]
    """Without blocks."""
    blocks: Mapping[int, tuple[Block, ...]]
    """The blocks of the turns near the requested one, by `Turn.number`."""
    has_details: bool
    """Whether a turn has something for the inspector."""
    subagents: list[Session]
    annotated: object = None
    """The state of the annotations when it was read."""

    @property
    def turns_with_blocks(self) -> list[Turn]:
        """The turns, those near the requested one with their blocks."""
        return [replace(turn, blocks=self.blocks.get(turn.number, ())) for turn in self.turns]


ShowSession = Callable[[LoadedSession], None]


@dataclass(eq=False, slots=True)
class _Request:
    """A session that is to be shown."""

    session: int
    """`Session.key`."""
    turn: int
    """Number of the turn that is needed first."""
    show: ShowSession
    is_preview: bool = False
    """Whether it waits until the cursor rests."""
    steps: int = 0
    """Turns to go on, or back if negative, when the session is shown."""


class SessionLoader:
    """Loads the session that was requested last; what was requested before it is not shown any more."""

    def __init__(self, index: IndexService, transcript: TranscriptPane) -> None:
        self._index = index
        self._transcript = transcript
        self._request: _Request | None = None
        """What is to be shown; None when it is shown, or no longer wanted."""
        self._typed_at = -_TYPING_PAUSE
        """Time of the last key in the search line, in seconds of the event loop's clock."""
        self._annotated: dict[int, object] = {}
        """The state of the annotations when sessions were read last, by `Session.key`."""
        self._with_details: dict[int, bool] = {}
        """`LoadedSession.has_details` of the sessions that were loaded, by `Session.key`."""

    def has_details(self, session: Session | None) -> bool:
        """Whether a session has something for the inspector; yes as long as it is not known."""
        return session is None or self._with_details.get(session.key, True)

    def load(self, target: Target, show: ShowSession) -> None:
        """Load the session of a target at once, and call `show` with it."""
        self._start(_Request(target.session, target.turn or 1, show))

    def load_around(self, session: Session, turn: int, show: ShowSession) -> None:
        """Load a session that was shown before, with the blocks around a turn."""
        self._request = _Request(session.key, turn, show)
        self._query(self._request)

    def load_preview(self, target: Target, show: ShowSession) -> None:
        """Load the session of a target when the cursor rests, unless something else is requested before that."""
        self._start(_Request(target.session, target.turn or 1, show, is_preview=True))

    def note_opened(self, session: int) -> None:
        """Let the indexer know that the user reads a session, by its key."""
        self._index.query("", lambda index: index.sessions.note_opened(session), lambda _: None)

    def hurry(self) -> None:
        """Load a preview that waits until the cursor rests now."""
        if self._request is not None and self._request.is_preview:
            self._start(replace(self._request, is_preview=False))

    def cancel(self) -> None:
        """Show nothing of what is being loaded."""
        self._request = None

    def delay_previews(self) -> None:
        """Load no preview for a short time after a key in the search line: it would slow down the search."""
        self._typed_at = asyncio.get_running_loop().time()

    def step_turn(self, direction: int) -> None:
        """Go to the next turn (1) or the previous one (-1); of a preview that waits, as soon as it is shown."""
        request = self._request
        if request is not None and (request.is_preview or request.steps):
            request.steps += direction
            self.hurry()
        else:
            self._transcript.action_turn(direction)

    @handles(JobFailed)
    def drop_steps(self) -> None:
        """Forget the turns to go on, as a job has failed: it may have been the one that loads their session."""
        if self._request is not None:
            self._request.steps = 0

    def _start(self, request: _Request) -> None:
        self._request = request
        self._transcript.run_worker(self._wait(request))

    async def _wait(self, request: _Request) -> None:
        """Load a session after the pause for a preview, if it is still wanted then."""
        await asyncio.sleep(PREVIEW_PAUSE if request.is_preview else 0)
        loop = asyncio.get_running_loop()
        while request.is_preview and (seconds_left := self._typed_at + _TYPING_PAUSE - loop.time()) > 0:
            await asyncio.sleep(seconds_left)
        if request is self._request:
            request.is_preview = False
            self._query(request)

    def _query(self, request: _Request) -> None:
        self._index.query(
            "open", lambda index: _load_session(index, request.session, request.turn), partial(self._loaded, request)
        )

    def _loaded(self, request: _Request, loaded: LoadedSession) -> None:
        if request is not self._request:
            return
        self._request = None
        self._remember(loaded)
        request.show(loaded)
        for _ in range(abs(request.steps)):
            self._transcript.action_turn(1 if request.steps > 0 else -1)

    def load_growth(self, session: Session, show: ShowSession) -> None:
        """Load a session and call `show` with it, if it has changed in a newer snapshot: with the blocks that are new.

        One that is not in the index any more has no turns.
        """

        def loaded(growth: LoadedSession | None) -> None:
            if growth is not None:
                self._remember(growth)
                show(growth)

        annotated = self._annotated.get(session.key)
        self._index.query("grow", lambda index: _load_growth(index, session, annotated), loaded)

    def _remember(self, loaded: LoadedSession) -> None:
        self._with_details[loaded.session.key] = loaded.has_details
        self._annotated[loaded.session.key] = loaded.annotated

    @handles(TranscriptPane.BlocksRequested)
    def load_blocks(self, request: TranscriptPane.BlocksRequested) -> None:
        """Load the blocks that the transcript needs."""
        session = request.session
        self._index.query(
            "",
            lambda index: index.sessions.blocks(session, request.first, request.last),
            lambda blocks: self._transcript.supply(session, blocks),
        )

    def find_call(self, subagent: Session, show: Callable[[Target], None]) -> None:
        """Call `show` with the tool call that started a subagent."""
        self._index.query("open", lambda index: _find_call(index, subagent), show)


def _load_session(index: Index, key: int, turn: int) -> LoadedSession:
    loaded = _load_turns(index, index.sessions.get(key))
    blocks = index.sessions.blocks(key, turn - _BLOCKS_BEFORE, turn + _BLOCKS_AFTER) if loaded.turns else {}
    return replace(loaded, blocks=blocks)


def _load_growth(index: Index, before: Session, annotated: object) -> LoadedSession | None:
    try:
        session = index.sessions.get(before.key)
    except SessionUnknown:
        # It was forgotten, here or by a command.
        return LoadedSession(replace(before, title=_GONE), [], {}, False, [])
    is_same = session == before and index.annotations.stamp == annotated
    if is_same:
        return None
    # With the turn that has grown, so that the lines on the screen stay where they are.
    blocks = index.sessions.blocks(session.key, before.turns, before.turns + _BLOCKS_AFTER)
    return replace(_load_turns(index, session), blocks=blocks)


def _load_turns(index: Index, session: Session) -> LoadedSession:
    annotated = index.annotations.stamp
    turns = index.sessions.turns(session.key)
    has_details = any(turn.tool_summary for turn in turns) or index.sessions.has_thinking(session.key)
    subagents = index.sessions.subagents(session.key) if session.children else []
    return LoadedSession(session, turns, {}, has_details, subagents, annotated)


def _find_call(index: Index, subagent: Session) -> Target:
    turn = index.sessions.calling_turn(subagent.key)
    return Target(subagent.parent or subagent.key, turn, tool_id=subagent.parent_tool_id)
