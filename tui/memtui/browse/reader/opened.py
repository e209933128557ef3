"""What the transcript pane shows or showed: the values that are kept for each list, and in the history."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memtui.widgets.requests.target import Target
from memtui.widgets.transcript.bookmark import Bookmark


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
