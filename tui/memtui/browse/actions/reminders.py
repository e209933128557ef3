"""The controller for what memtui told the agent of the open session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen

from memtui.browse.controllers import handles
from memtui.browse.frame import ViewFrame
from memtui.services.index_service import IndexService
from memtui.system import clock
from memtui.widgets.requests.panes import RemindersRequested
from memtui.widgets.requests.target import Target

if TYPE_CHECKING:
    from memtui_core.index.recall import Reminder


class ReminderController:
    """Shows the reminders of a session, and goes to the turn that the user opens from there."""

    def __init__(self, screen: Screen[None], index: IndexService, frame: ViewFrame) -> None:
        self._screen = screen
        self._index = index
        self._frame = frame

    @handles(RemindersRequested)
    def list_reminders(self, request: RemindersRequested) -> None:
        """List what hooks gave the agents of a session to read."""
        session_id = request.session.session_id
        self._index.query("reminders", lambda index: index.recall.reminders(session_id), self._show)

    def _show(self, reminders: list[Reminder]) -> None:
        if not reminders:
            self._screen.notify("memtui has told this session nothing: its hooks do that, see `memtui enable`.")
            return
        from memtui.screens.reminders import RemindersScreen

        def closed(target: Target | None) -> None:
            if target is not None:
                self._frame.text_view.request_turn(target, read=True)

        self._screen.app.push_screen(RemindersScreen(reminders, clock.now()), closed)
