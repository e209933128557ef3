"""The entries that were visited, with a way back and forward, as in an editor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

Entry = TypeVar("Entry")
_MAX_ENTRIES = 100


@dataclass
class NavigationHistory(Generic[Entry]):
    """A list of entries, the newest last, with a current position."""

    _entries: list[Entry] = field(default_factory=list)
    _position: int = -1

    @property
    def current(self) -> Entry | None:
        """The entry at the current position; None while there is none."""
        return self._entries[self._position] if self._position >= 0 else None

    def visit(self, entry: Entry) -> None:
        """Add an entry after the current one and make it the current one; the entries after it are removed."""
        del self._entries[self._position + 1 :]
        self._entries = [*self._entries, entry][-_MAX_ENTRIES:]
        self._position = len(self._entries) - 1

    def return_to(self, entry: Entry | None) -> None:
        """Make an earlier entry the current one; what is not in the history is ignored."""
        if entry is not None and entry in self._entries:
            self._position = self._entries.index(entry)

    def step(self, direction: int) -> Entry | None:
        """Go to the previous entry (-1) or the next (1) and return it; None if there is none."""
        if not 0 <= self._position + direction < len(self._entries):
            return None
        self._position += direction
        return self._entries[self._position]
