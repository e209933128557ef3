"""What the app was started for: to show a turn, to search, or to let the user choose a session for another program."""

from __future__ import annotations

from textual.screen import Screen

from memtui.browse.controllers import handles
from memtui.browse.focus import PaneFocus
from memtui.browse.frame import ViewFrame
from memtui.browse.search.line import SearchLineController
from memtui.services.index_service import IndexService
from memtui.services.messages import IndexChanged
from memtui.widgets.requests.target import AppStart, Target
from memtui_core.model import Session


class StartController:
    """Does it as soon as the index is open; then opens what is to be read, unless it is to be chosen."""

    def __init__(
        self,
        screen: Screen[None],
        index: IndexService,
        frame: ViewFrame,
        focus: PaneFocus,
        line: SearchLineController,
        start: AppStart,
    ) -> None:
        self._screen = screen
        self._index = index
        self._frame = frame
        self._focus = focus
        self._line = line
        self._start = start
        self._is_due = True

    @property
    def chooses(self) -> bool:
        """Whether what the user opens is the answer to another program."""
        return self._start.chooses

    @property
    def keeps_turn(self) -> bool:
        """Whether a list that is shown for the first time must not replace the turn to be read by a preview."""
        return self._start.target is not None and self._frame.reader.transcript.has_focus

    @handles(IndexChanged)
    def index_changed(self) -> None:
        """Show the turn, or search."""
        target = self._start.target
        if not self._is_due:
            return
        self._is_due = False
        if target is not None:
            self._index.query("start", lambda index: index.sessions.get(target.session), self._show)
        elif self._start.query:
            self._line.search_for(self._start.query)

    def _show(self, session: Session) -> None:
        target = self._start.target
        if target is not None:
            self._frame.chosen_view.reveal(session)
            self._frame.reader.reading.open(target, read=True)
            self._focus.go_to(self._frame.reader.transcript)

    def choose(self, target: Target) -> None:
        """End the app with a session as the answer."""

        def chosen(ids: dict[int, str]) -> None:
            turn = f":{target.first_turn}" if self._start.with_turn else ""
            self._end(f"{ids[target.session]}{turn}")

        self._index.query("start", lambda index: index.sessions.ids([target.session]), chosen)

    def leave(self) -> None:
        """End the app without an answer."""
        self._end("")

    def _end(self, answer: str) -> None:
        self._screen.app.exit(answer)
