"""What is open in the transcript pane: kept for each view, and in the history."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memtui.target import Target
from memtui.widgets.transcript.bookmark import Bookmark


@dataclass(eq=False, slots=True)
class HistoryEntry:
    """A session that was read, in the view in which it was opened."""

    view: str
    target: Target
    bookmark: Bookmark | None = None
    """Where the user was when something else was opened, without turns; None while it is open."""

    def keep(self, bookmark: Bookmark | None) -> None:
        """Keep a bookmark without its turns, as the history is long."""
        if bookmark is not None:
            self.bookmark = replace(bookmark, turns=())


@dataclass(frozen=True, slots=True)
class Opened:
    """A target, and where the user is in it."""

    target: Target | None
    bookmark: Bookmark | None
    """None while the target is not loaded."""
    entry: HistoryEntry | None
    """None for a preview."""
    origin: Opened | None = None
    """The session from which `S` opened this one, to return to; None if it was opened from a list."""
