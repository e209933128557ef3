"""The transcripts that are still to be read, in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui_core.ingest.discover import Pending


class ReadingQueue:
    """A queue in which a transcript is once: what is put first takes the place of an older entry for it.

    Each operation takes the same time, however many transcripts there are: a folder may have a copy of each.
    """

    def __init__(self, items: Iterable[Pending]) -> None:
        self._items = deque(items)
        self._valid = {item.transcript.name: item for item in self._items}
        """The only entry that counts for each transcript; others are skipped."""

    def __len__(self) -> int:
        return len(self._valid)

    def put_first(self, item: Pending) -> None:
        """Put a transcript before all others."""
        self._valid[item.transcript.name] = item
        self._items.appendleft(item)

    def put_last(self, item: Pending) -> None:
        """Put a transcript after all others."""
        self._valid[item.transcript.name] = item
        self._items.append(item)

    def take(self) -> Pending:
        """Remove and return the first transcript. Raises IndexError if there is none."""
        item = self.first
        self._items.popleft()
        del self._valid[item.transcript.name]
        return item

    @property
    def first(self) -> Pending:
        """The transcript that is taken next. Raises IndexError if there is none."""
        while self._valid.get((item := self._items[0]).transcript.name) is not item:
            self._items.popleft()
        return item
