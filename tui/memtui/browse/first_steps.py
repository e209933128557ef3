"""The controller for the card of the first start."""

from __future__ import annotations

from textual.screen import Screen

from memtui.browse.controllers import handles
from memtui.services.messages import IndexChanged
from memtui.settings.app_state import AppState
from memtui.widgets.first_steps import NOTICE, FirstSteps


class FirstStepsController:
    """Shows, once for all starts, what to try, as soon as there are sessions; only if it is `due`."""

    def __init__(self, screen: Screen[None], state: AppState, *, due: bool) -> None:
        self._screen = screen
        self._state = state
        self._is_due = due

    @handles(IndexChanged)
    def index_changed(self, message: IndexChanged) -> None:
        """Show the card if the index has sessions."""
        if self._is_due and message.stats.sessions:
            self._is_due = False
            if self._state.first_time(NOTICE):
                self._screen.mount(FirstSteps(), before="#panes")

    def close(self) -> bool:
        """Remove the card; False if it is not shown."""
        cards = self._screen.query(FirstSteps)
        is_shown = bool(cards)
        cards.remove()
        return is_shown
