"""Rows of one table, held as columns: cheap to send to another process, to renumber and to insert."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Row = Sequence[Any]


class TableRows:
    """The rows of a table as one list for each column; `len` is the number of rows."""

    __slots__ = ("_added", "_columns")

    def __init__(self, columns: list[list[Any]] | None = None) -> None:
        self._columns = columns or []
        self._added: list[Row] = []
        """Rows that are not in the columns yet: adding them one by one takes ten times as long."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> TableRows:
        """The columns of some rows."""
        columns = cls()
        columns._added.extend(rows)
        return columns

    @property
    def columns(self) -> list[list[Any]]:
        """The values of each column; empty if there was never a row."""
        if self._added:
            added, self._added = self._added, []
            if self._columns:
                for values, new in zip(self._columns, zip(*added, strict=True), strict=True):
                    values.extend(new)
            else:
                self._columns = [list(values) for values in zip(*added, strict=True)]
        return self._columns

    def __len__(self) -> int:
        return (len(self._columns[0]) if self._columns else 0) + len(self._added)

    def rows(self) -> list[Row]:
        """The rows, each with its values in the order of the columns."""
        return list(zip(*self.columns, strict=True))

    def append(self, row: Row) -> None:
        """Add a row."""
        self._added.append(row)

    def extend(self, other: TableRows) -> None:
        """Add the rows of the same table."""
        columns = self.columns
        if not columns:
            self._columns = [list(values) for values in other.columns]
            return
        # Another table that never had a row has no columns.
        for values, added in zip(columns, other.columns, strict=False):
            values += added

    def part(self, first: int, last: int | None = None) -> TableRows:
        """A copy of the rows from index `first` up to `last`."""
        return TableRows([values[first:last] for values in self.columns])

    def truncate(self, count: int) -> None:
        """Keep only the first `count` rows."""
        for values in self.columns:
            del values[count:]
