"""Add files outside the project to turns that were stored by a version of memtui which left such files out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from memtui_core.text.paths import is_absolute

if TYPE_CHECKING:
    from memtui_core.ingest.turns.project_files import ProjectFiles
    from memtui_core.store.work.database import WorkDatabase

_TURNS: Final = 500
"""How many turns are looked at in one transaction."""
_KEY: Final = "outside_files"
"""The value in the table `meta`: the last turn that was looked at, or `_ALL`."""
_ALL: Final = "all"


class OutsideFiles:
    """Goes once through all turns that an earlier version stored."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work
        done = work.scalar("SELECT value FROM meta WHERE key = ?", [_KEY]) or "0"
        self._is_done = done == _ALL
        self._looked_at = 0 if self._is_done else int(done)
        self._last = 0 if self._is_done else int(work.scalar("SELECT coalesce(max(id), 0) FROM turns"))
        """The last turn that may have been stored by an earlier version."""

    @property
    def is_due(self) -> bool:
        """Whether there are turns to look at."""
        return self._looked_at < self._last

    def mark_new(self) -> None:
        """Record that a new index has no such turns, as soon as it has turns."""
        if not (self._is_done or self.is_due) and self._work.may_have("turns"):
            with self._work.transaction():
                self._record(_ALL)

    def catch_up(self, files: ProjectFiles, stopped: Callable[[], bool]) -> list[int]:
        """Add the missing mentions; the turns that got some. What is done when `stopped` returns True is kept."""
        changed: list[int] = []
        while self.is_due and not stopped():
            last = min(self._looked_at + _TURNS, self._last)
            with self._work.transaction():
                rows = self._work.connection.execute(
                    "SELECT s.root, t.id FROM turns t JOIN sessions s ON s.key = t.session"
                    " WHERE t.id > ? AND t.id <= ? ORDER BY ALL",
                    [self._looked_at, last],
                ).fetchall()
                for root, turns in groupby(rows, key=itemgetter(0)):
                    changed += files.add_missing(root, [turn for _, turn in turns], is_absolute)
                self._record(str(last) if last < self._last else _ALL)
            self._looked_at = last
        return changed

    def _record(self, value: str) -> None:
        self._work.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [_KEY, value])
        self._is_done = value == _ALL
