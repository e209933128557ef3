"""The turns that were read, with a way back and forward, as in an editor."""

from __future__ import annotations

from dataclasses import dataclass, field

HistoryEntry = tuple[int, int | None]
"""The key of a session, and the number of a turn or None for the beginning."""
_MAX_ENTRIES = 100


@dataclass
class NavigationHistory:
    """A list of entries, the newest last, with a current position."""

    _entries: list[HistoryEntry] = field(default_factory=list)
    _position: int = -1

    def visit(self, entry: HistoryEntry) -> None:
        """Add an entry after the current one and make it the current one; the entries after it are removed."""
        if self._position >= 0 and self._entries[self._position] == entry:
            return
        del self._entries[self._position + 1 :]
        self._entries = [*self._entries, entry][-_MAX_ENTRIES:]
        self._position = len(self._entries) - 1

    def update(self, entry: HistoryEntry) -> None:
        """Replace the current entry by another turn of the same session, so that `step` returns to the turn last read.

        An entry of another session is ignored.
        """
        if self._position >= 0 and self._entries[self._position][0] == entry[0]:
            self._entries[self._position] = entry

    def step(self, direction: int) -> HistoryEntry | None:
        """Go to the previous entry (-1) or the next (1) and return it; None if there is none."""
        if not 0 <= self._position + direction < len(self._entries):
            return None
        self._position += direction
        return self._entries[self._position]
