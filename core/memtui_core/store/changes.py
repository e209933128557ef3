"""What was changed in the work database since the last snapshot, kept so that only that has to be published."""

from __future__ import annotations

from collections.abc import Sequence

from memtui_core.store.journal import Row, encode


class ChangeRecorder:
    """Collects the changes of a batch in the order in which they are made.

    Beyond `room` bytes they are not kept: `whole` says that everything must be published anew.
    """

    def __init__(self, room: int) -> None:
        self.room = room
        self.whole = False
        self.size = 0
        self._ops: list[bytes] = []
        self._mark: tuple[int, int] | None = None

    def record(self, table: str, keys: Sequence[int] = (), rows: Sequence[Row] = ()) -> None:
        """The rows of some keys were dropped, then rows were added."""
        if self.whole or not (keys or rows):
            return
        try:
            op = encode(table, keys, rows)
        except TypeError:
            self.lose()
            return
        self._ops.append(op)
        self.size += len(op)
        if self.size > self.room:
            self.lose()

    def lose(self) -> None:
        """What changed is not known any more."""
        self.whole = True
        self._ops.clear()
        self.size = 0

    def begin(self) -> None:
        """A transaction begins."""
        self._mark = (len(self._ops), self.size)

    def roll_back(self) -> None:
        """What was recorded since its beginning did not happen."""
        if self._mark is not None:
            count, size = self._mark
            # What was dropped for want of room is gone, whether it happened or not.
            if not self.whole:
                del self._ops[count:]
                self.size = size

    def take(self) -> list[bytes]:
        """All that was recorded; it is forgotten here."""
        ops = self._ops
        self._ops, self.size, self.whole, self._mark = [], 0, False, None
        return ops
