"""Looks for newer snapshots while the app runs."""

from __future__ import annotations

from textual.screen import Screen

from memtui.services.index_service import IndexService
from memtui.timers import call_after

POLL = 0.25
"""Seconds between two looks at whether there is a newer snapshot. A look is the `stat` of two files."""
IDLE_POLL = 1.0
"""The same once nothing has changed for a while: looking costs more than all else that an idle app does."""
_IDLE_AFTER = 40
"""Looks without a change."""


class IndexPoll:
    """Refreshes the index service whenever something new was published."""

    def __init__(self, screen: Screen[None], index: IndexService) -> None:
        self._screen = screen
        self._index = index
        self._state: object = None
        self._unchanged_looks = 0

    def look(self) -> None:
        """Look now, and from now on again and again."""
        self._unchanged_looks += 1
        if (state := self._index.changed_state(self._state)) is not None:
            self._state, self._unchanged_looks = state, 0
            self._index.refresh()
        call_after(self._screen, POLL if self._unchanged_looks < _IDLE_AFTER else IDLE_POLL, self.look)
