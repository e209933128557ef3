"""Find in a text of which all rows are known: the matches, and the current one."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.render.marks import Pattern, mark, pattern
from memtui.render.rows import Row


class RowFinder:
    """The matches in rows; a transcript, which is loaded turn by turn, has `MatchFinder`."""

    def __init__(self) -> None:
        self.pattern: Pattern | None = None
        self.current = 0
        """The number of the current match, from 1; 0 if there is none."""
        self._places: list[tuple[int, int]] = []
        """The row and the character of each match."""

    @property
    def total(self) -> int:
        """The number of matches."""
        return len(self._places)

    @property
    def place(self) -> tuple[int, int] | None:
        """The row and the character of the current match; None if there is none."""
        return self._places[self.current - 1] if self.current else None

    def search_for(self, text: str, rows: Sequence[Row], first: int) -> None:
        """Find a text in rows; the first match from row number `first` on is the current one, or else the first."""
        self.pattern = search = pattern([text])
        self._places = (
            [(index, match.start()) for index, row in enumerate(rows) for match in search.finditer(row.text)]
            if search is not None
            else []
        )
        numbers = (number for number, (row, _) in enumerate(self._places, 1) if row >= first)
        self.current = next(numbers, min(1, self.total))

    def step(self, direction: int) -> None:
        """Go to the next match or the previous one, from the last to the first."""
        if self._places:
            self.current = (self.current - 1 + direction) % self.total + 1

    def marked(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows with all matches marked."""
        return mark(rows, self.pattern, self.current - 1) if self.pattern is not None else rows
