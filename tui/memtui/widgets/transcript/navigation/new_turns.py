"""The turns that were added to a running session below what is on the screen."""

from __future__ import annotations

from collections.abc import Callable

from memtui.widgets.transcript.layout.viewport import Viewport


class NewTurns:
    """Counts the turns that were added and have not been on the screen; `changed` is called when the count changes."""

    def __init__(self, viewport: Viewport, changed: Callable[[], None]) -> None:
        self.count = 0
        self._viewport = viewport
        self._changed = changed
        self._known = 0
        """The number of turns from the first one on that are not new."""

    def begin(self) -> None:
        """Take all turns as known, as the session was opened."""
        self._known = len(self._viewport.document.turns)
        self.update()

    def update(self) -> None:
        """Count again, as turns were added or the screen shows others."""
        viewport, turns = self._viewport, self._viewport.document.turns
        self._known = min(self._known, len(turns))
        if viewport.ready:
            for index in range(max(self._known, viewport.place.turn), viewport.bottom.turn + 1):
                self._known = index + 1
                # What is below a turn leaves the screen when its blocks are loaded.
                if turns[index].blocks is None:
                    break
        if (count := len(turns) - self._known) != self.count:
            self.count = count
            self._changed()
