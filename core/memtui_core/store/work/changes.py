"""The changes of the work database since the last snapshot, recorded so that only these have to be published."""

from __future__ import annotations

from collections.abc import Sequence

from memtui_core.store.snapshot.journal import Row, encode_change


class ChangeRecorder:
    """Collects encoded changes in the order in which they are made.

    Beyond `max_bytes` they are discarded: `incomplete` means that the next snapshot needs a new base.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.incomplete = False
        self.size = 0
        """The number of bytes recorded."""
        self._changes: list[bytes] = []
        self._savepoint: tuple[int, int] | None = None
        """The number of changes and of bytes at the start of the transaction."""

    def record(self, table: str, keys: Sequence[int] = (), rows: Sequence[Row] = ()) -> None:
        """Record that the rows of some keys were deleted and then rows were added."""
        if self.incomplete or not (keys or rows):
            return
        try:
            change = encode_change(table, keys, rows)
        except TypeError:
            self.discard()
            return
        self._changes.append(change)
        self.size += len(change)
        if self.size > self.max_bytes:
            self.discard()

    def discard(self) -> None:
        """Discard all changes, so that the next snapshot needs a new base."""
        self.incomplete = True
        self._changes.clear()
        self.size = 0

    def begin(self) -> None:
        """Start a transaction."""
        self._savepoint = (len(self._changes), self.size)

    def roll_back(self) -> None:
        """Remove the changes of the current transaction."""
        if self._savepoint is not None:
            count, size = self._savepoint
            # Changes that were discarded because of their size cannot be restored.
            if not self.incomplete:
                del self._changes[count:]
                self.size = size

    def take(self) -> list[bytes]:
        """Return all recorded changes and start a new record."""
        changes = self._changes
        self._changes, self.size, self.incomplete, self._savepoint = [], 0, False, None
        return changes
