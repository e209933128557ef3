"""Rows of one table, held as columns: cheap to send to another process, to renumber and to insert."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Row = Sequence[Any]


class Columns:
    """The rows of a table as one list for each column; `len` is the number of rows."""

    __slots__ = ("columns",)

    def __init__(self, columns: list[list[Any]] | None = None) -> None:
        self.columns = columns or []
        """The values of each column; empty before the first row."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Columns:
        """The columns of some rows."""
        return cls([list(values) for values in zip(*rows, strict=True)])

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def rows(self) -> list[Row]:
        """The rows, each with its values in the order of the columns."""
        return list(zip(*self.columns, strict=True))

    def append(self, row: Row) -> None:
        """Add a row."""
        if not self.columns:
            self.columns = [[] for _ in row]
        for values, value in zip(self.columns, row, strict=True):
            values.append(value)

    def extend(self, other: Columns) -> None:
        """Add the rows of the same table."""
        if not self.columns:
            self.columns = [list(values) for values in other.columns]
            return
        for values, added in zip(self.columns, other.columns, strict=False):
            values += added

    def part(self, first: int, last: int | None = None) -> Columns:
        """A copy of the rows from index `first` up to `last`."""
        return Columns([values[first:last] for values in self.columns])

    def truncate(self, count: int) -> None:
        """Keep only the first `count` rows."""
        for values in self.columns:
            del values[count:]
