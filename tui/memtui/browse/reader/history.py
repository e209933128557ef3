"""What the transcript pane shows or showed: kept for each list, and in the history, with a way back and forward."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from memtui.widgets.requests.target import Target
from memtui.widgets.transcript.bookmark import Bookmark

_MAX_ENTRIES: Final = 100


@dataclass(eq=False, slots=True)
class HistoryEntry:
    """A session that was read, with the view in which it was opened."""

    view_name: str
    target: Target
    bookmark: Bookmark | None = None
    """The place at which the user left it, without turns; None until it was left."""

    def keep(self, bookmark: Bookmark | None) -> None:
        """Keep a bookmark without its turns, as the history is long."""
        if bookmark is not None:
            self.bookmark = replace(bookmark, turns=())


@dataclass(frozen=True, slots=True)
class Opened:
    """A target that was opened, and the place of the user in it."""

    target: Target | None = None
    """None if nothing was opened."""
    entry: HistoryEntry | None = None
    """Its entry in the history; None for a preview, which nobody has read."""
    caller: Opened | None = None
    """The session from which `S` led here, to return to; None if this was opened from a list."""
    bookmark: Bookmark | None = None
    """The place to show again; None for the place that the target names."""


@dataclass
class NavigationHistory:
    """The entries that were visited, the newest last, with a current position, as in an editor."""

    _entries: list[HistoryEntry] = field(default_factory=list)
    _position: int = -1

    @property
    def current(self) -> HistoryEntry | None:
        """The entry at the current position; None while there is none."""
        return self._entries[self._position] if self._position >= 0 else None

    def visit(self, entry: HistoryEntry) -> None:
        """Add an entry after the current one and make it the current one; the entries after it are removed."""
        del self._entries[self._position + 1 :]
        self._entries = [*self._entries, entry][-_MAX_ENTRIES:]
        self._position = len(self._entries) - 1

    def return_to(self, entry: HistoryEntry | None) -> None:
        """Make an earlier entry the current one; what is not in the history is ignored."""
        if entry is not None and entry in self._entries:
            self._position = self._entries.index(entry)

    def step(self, direction: int) -> HistoryEntry | None:
        """Go to the previous entry (-1) or the next (1) and return it; None if there is none."""
        if not 0 <= self._position + direction < len(self._entries):
            return None
        self._position += direction
        return self._entries[self._position]
