"""The controller for the earlier cases of the errors of a turn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.screen import Screen

from memtui.browse.focus import PaneFocus
from memtui.browse.reader.pane import SessionReader
from memtui.services.index_service import IndexService
from memtui.widgets.requests.target import Target

if TYPE_CHECKING:
    from memtui_core.index.recall import KnownError


class FixController:
    """Shows where the errors of the visible turn came up before, and goes to the turn that mended one."""

    def __init__(self, screen: Screen[None], index: IndexService, focus: PaneFocus, reader: SessionReader) -> None:
        self._screen = screen
        self._index = index
        self._focus = focus
        self._reader = reader

    def action_fixes(self) -> None:
        """Show the cases of the errors of the visible turn."""
        session, turn = self._reader.session, self._reader.transcript.number
        if session is None:
            self._screen.notify("No session is open.")
            return
        key = session.key
        self._index.query("fixes", lambda index: index.recall.fixes_of_turn(key, turn), partial(self._show, turn))

    def _show(self, turn: int, errors: list[KnownError]) -> None:
        from memtui.screens.origin.known_errors import KnownErrorsScreen

        if not errors:
            self._screen.notify(f"No command or tool of turn {turn} failed with an error that can be recognized.")
        elif self._screen.is_current:
            self._screen.app.push_screen(KnownErrorsScreen(errors), self._open)

    def _open(self, error: KnownError | None) -> None:
        if error is None:
            return
        turn = error.mended.turn if error.mended is not None else error.turn
        self._reader.reading.open(Target(error.session.key, turn, title=error.session.title), read=True)
        self._focus.go_to(self._reader.transcript)
