"""Checks for newer snapshots while the app runs."""

from __future__ import annotations

import time

from textual.screen import Screen

from memtui.services.index_service import IndexService
from memtui.system.timers import call_after

POLL = 0.25
"""Seconds between two checks for a newer snapshot. A check is the `stat` of four files."""
IDLE_POLL = 1.0
"""The same after nothing has changed for some time: the checks are most of what an idle app costs."""
_IDLE_AFTER = 40
"""Checks without a change."""


class IndexPoll:
    """Refreshes the index service whenever the indexer has published."""

    def __init__(self, screen: Screen[None], index: IndexService) -> None:
        self._screen = screen
        self._index = index
        self._state: object = None
        self._unchanged_checks = 0

    def start(self) -> None:
        """Check now, and then regularly."""
        self._unchanged_checks += 1
        if (state := self._index.changed_state(self._state)) is not None:
            self._state, self._unchanged_checks = state, 0
            self._index.refresh()
        self._index.drop_idle_model(time.monotonic())
        call_after(self._screen, POLL if self._unchanged_checks < _IDLE_AFTER else IDLE_POLL, self.start)
