"""Loading the current turn for the inspector and for its rail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.browse.controllers import handles
from memtui.render.inspect import InspectorCounts, turn_counts
from memtui.services.index_service import IndexService
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.inspector.rail import InspectorRail
from memtui.widgets.transcript.widget import TranscriptPane
from memtui.wording.usage_text import usage_facts
from memtui_core.model import FileTouch, Session, Turn

if TYPE_CHECKING:
    from memtui_core.index.index import Index


@dataclass(frozen=True, slots=True)
class _LoadedTurn:
    """A turn with its blocks, and the files that it touched."""

    session: Session
    turn: Turn
    touches: list[FileTouch]
    used: list[tuple[str, str]]
    """What the session used, as names and texts."""
    reminders: int
    """How often memtui told the session something."""


class InspectorFeed:
    """Shows the current turn of the transcript in the inspector, or its counts in the rail: in what is visible."""

    def __init__(
        self, index: IndexService, transcript: TranscriptPane, inspector: Inspector, rail: InspectorRail
    ) -> None:
        self._index = index
        self._transcript = transcript
        self._inspector = inspector
        self._rail = rail
        self._current = 0, 0
        """`Session.key` and `Turn.number` of the turn that was requested last; zeros for none."""

    @handles(TranscriptPane.TurnChanged)
    def follow(self) -> None:
        """Load the current turn if another one was loaded or requested before."""
        if self._place() != self._current:
            self.update()

    def update(self) -> None:
        """Load the current turn; both are blank until it is there. Without a turn the inspector says so."""
        current = self._place()
        if current != self._current:
            self._current = current
            self._inspector.clear("" if any(current) or self._transcript.expected else "No turn is open.")
            self._rail.counts = InspectorCounts()
        if any(current) and (self._inspector.display or self._rail.display):
            self._index.query("turn", lambda index: _load_turn(index, *current), self._show)

    def _place(self) -> tuple[int, int]:
        session, number = self._transcript.session, self._transcript.number
        is_shown = session is not None and number and not self._transcript.expected
        return (session.key, number) if session is not None and is_shown else (0, 0)

    def _show(self, loaded: _LoadedTurn | None) -> None:
        if loaded is None or (loaded.session.key, loaded.turn.number) != self._place():
            return
        self._rail.counts = turn_counts(loaded.turn, loaded.touches)
        if self._inspector.display:
            self._inspector.show(loaded.session, loaded.turn, loaded.touches, loaded.used, loaded.reminders)


def _load_turn(index: Index, session: int, number: int) -> _LoadedTurn | None:
    from memtui_core.index.statistics import load_prices
    from memtui_core.system.locations import prices_file

    turn = index.sessions.turn(session, number)
    if turn is None:
        return None
    used = usage_facts(index.statistics.of_session(session), load_prices(prices_file()))
    opened = index.sessions.get(session)
    reminders = index.recall.count_reminders(opened.session_id)
    return _LoadedTurn(opened, turn, index.files.of_turn(session, number), used, reminders)
