"""The columns of a table as values, and how they share the width of a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from math import ceil
from typing import Any, Final, Generic, TypeVar

from rich.cells import cell_len
from textual.content import Content

from memtui.wording.formatting import cut

Row = TypeVar("Row")

GAP: Final = 2
"""Cells between two columns."""
AGE_WIDTH: Final = 5
"""Cells of a column of ages."""
_LEAST_SQUEEZED: Final = 8
"""Cells that a cell is drawn in at least, where a long one has taken some of its own: less would tell nothing."""
_ASCENDING, _DESCENDING = "▲", "▼"
_MOST_WHOLE: Final = 0.9
"""The share of rows whose cells fit into a column that may spill; the longer ones take cells of the next column."""


@dataclass(frozen=True, slots=True)
class TableColumn(Generic[Row]):
    """A column: its heading, what a cell says, how much room it needs, and how rows are sorted by it."""

    name: str
    """The sort key, as the border of the list names it; also the heading, if there is no other."""
    text: Callable[[Row], str]
    """What a cell says in full, on one line."""
    order: Callable[[Row], Any] | None = None
    """The value by which rows are sorted in ascending order; None if they are not sorted by the column."""
    _: KW_ONLY
    heading: str = ""
    descending: bool = False
    """Whether the largest value comes first when the user chooses the column."""
    rank: int = 0
    """Columns with a higher rank disappear first where there is little room; of equal ones the right one does."""
    least: int = 0
    """Cells without which the column is not shown; 0 for as many as its longest cell has."""
    enough: int = 0
    """Cells that it gets before columns with a higher rank get any; 0 for `least`."""
    most: int = 0
    """Cells that it gets at most, unless it grows; 0 for as many as its longest cell has."""
    right: bool = False
    """Whether cells and heading stand at the right."""
    grows: bool = False
    """Whether it takes the cells that are left over; without such a column the first one does."""
    spills: bool = False
    """Whether a long cell takes cells of the next column, unless that has figures, instead of being cut.

    Figures that would cut such a cell all the same are left out.
    """
    style: str = ""
    """The style of a cell without content of its own."""
    content: Callable[[Row, int], Content] | None = None
    """A cell that is drawn in its own way, in at most some cells; None for the text in `style`, cut at its end."""

    def cell(self, row: Row, width: int) -> Content:
        """A cell of at most `width` cells."""
        if self.content is not None:
            return self.content(row, width)
        return Content.styled(cut(self.text(row), width), self.style)

    def titled(self, arrow: str = "") -> str:
        """The heading, with the sign of the order."""
        return f"{self.heading or self.name}{f' {arrow}' if arrow else ''}"


@dataclass(frozen=True, slots=True)
class Order:
    """The name of the column by which a table is sorted, and whether the other way round than usual."""

    name: str
    is_reversed: bool = False

    def arrow(self, column: TableColumn[Any]) -> str:
        """The sign beside the heading of a column; empty if the table is not sorted by it."""
        if column.name != self.name:
            return ""
        return _DESCENDING if self.is_descending(column) else _ASCENDING

    def is_descending(self, column: TableColumn[Any]) -> bool:
        """Whether the largest value of the column comes first."""
        return column.descending != self.is_reversed


@dataclass(frozen=True, slots=True)
class Layout(Generic[Row]):
    """The columns that are shown, in order, each with its cells, for lists of one width."""

    columns: tuple[tuple[TableColumn[Row], int], ...]
    order: Order

    @classmethod
    def of(cls, columns: Sequence[TableColumn[Row]], rows: Sequence[Row], width: int, order: Order) -> Layout[Row]:
        """Share `width` cells: columns appear by their rank, get enough, then what their cells need, then the rest.

        A column with nothing to say is left out; that by which the rows are sorted never, if the first one leaves room.
        """
        needs = {column.name: _needed(column, rows) for column in columns}
        leasts = {
            column.name: max(
                cell_len(column.titled(order.arrow(column))),
                min(needs[column.name], column.least or needs[column.name]),
            )
            for column in columns
            if needs[column.name] or column.name == order.name
        }
        filled = [column for column in columns if column.name in leasts]
        enough = {column.name: max(leasts[column.name], min(column.enough, needs[column.name])) for column in filled}
        shown: list[TableColumn[Row]] = []
        is_full = cuts = False
        """Whether a column had no room, and whether figures would have cut a cell that spills."""
        reserved = GAP + leasts[order.name] if order.name in leasts else 0
        for column in sorted(filled, key=lambda column: column.rank):
            is_sorted, least = column.name == order.name, leasts[column.name]
            reserved = 0 if is_sorted else reserved
            taken = sum(
                GAP + (enough if other.rank < column.rank and not is_sorted else leasts)[other.name] for other in shown
            )
            if shown and (taken + least + reserved > width or (is_full and not is_sorted)):
                is_full = True
                continue
            if column.right and not is_sorted:
                figures = sum(GAP + leasts[other.name] for other in shown if other.right)
                cuts = cuts or _cuts(column, GAP + least, filled, rows, width - reserved - figures)
                if cuts:
                    continue
            shown.append(column)
        cells = {column.name: min(leasts[column.name], width) for column in shown}
        spare = width - sum(cells.values()) - GAP * (len(cells) - 1)
        for goal in (enough, needs):
            for column in shown:
                more = max(0, min(spare, goal[column.name] - cells[column.name]))
                cells[column.name] += more
                spare -= more
        for column in ([column for column in shown if column.grows] or shown)[:1]:
            cells[column.name] += max(0, spare)
        return cls(tuple((column, cells[column.name]) for column in columns if column.name in cells), order)

    def shows(self, name: str) -> bool:
        """Whether a column is shown."""
        return any(column.name == name for column, _ in self.columns)

    def heads(self) -> Iterable[tuple[TableColumn[Row], str]]:
        """The headings in order, filled with blanks to the cells of their columns and the gaps between them."""
        for index, (column, width) in enumerate(self.columns):
            title = cut(column.titled(self.order.arrow(column)), width)
            fill = " " * (width - cell_len(title))
            yield column, " " * (GAP if index else 0) + (fill + title if column.right else title + fill)

    def line(self, row: Row) -> Content:
        """A row: the cells beside each other; blanks at its end are left out.

        A cell that is too long takes the blank cells behind it; if it spills, those of the next column before.
        """
        parts: list[str | Content] = []
        filled = start = 0
        """Where the row ends so far, and where the column starts."""
        for index, (column, width) in enumerate(self.columns):
            begin, end = max(start, filled + GAP if filled else 0), start + width
            start = end + GAP
            if text := column.text(row):
                is_squeezed = end - begin < min(_LEAST_SQUEEZED, width) and cell_len(text) > end - begin
                room = (end if is_squeezed or column.right else self._end(row, index)) - begin
                cell = Content.styled("…" if room > 0 else "", "dim") if is_squeezed else column.cell(row, room)
                if used := cell.cell_length:
                    begin = end - used if column.right else begin
                    parts += [" " * (begin - filled), cell]
                    filled = begin + used
        return Content.assemble(*parts)

    def _end(self, row: Row, index: int) -> int:
        """Where the cell of a column must end."""
        behind = index + 1
        if self.columns[index][0].spills and behind < len(self.columns) and not self.columns[behind][0].right:
            behind += 1
        while behind < len(self.columns) and not self.columns[behind][0].text(row):
            behind += 1
        return sum(width for _, width in self.columns[:behind]) + GAP * (behind - 1)


def ordered(columns: Sequence[TableColumn[Row]], order: Order, rows: Iterable[Row]) -> list[Row]:
    """Rows sorted by a column, or by the first one if there is no such column; equal ones stay as they were."""
    column = next((column for column in columns if column.name == order.name), columns[0])
    if column.order is None:
        return list(rows)
    return sorted(rows, key=column.order, reverse=order.is_descending(column))


def _needed(column: TableColumn[Row], rows: Sequence[Row]) -> int:
    """The cells of the longest text of a column, or of most of them if it may spill."""
    lengths = sorted(cell_len(column.text(row)) for row in rows)
    if not lengths:
        return 0
    needed = lengths[ceil((len(lengths) - 1) * (_MOST_WHOLE if column.spills else 1))]
    return min(needed, column.most) if column.most else needed


def _cuts(
    column: TableColumn[Row], cells: int, columns: Sequence[TableColumn[Row]], rows: Sequence[Row], room: int
) -> bool:
    """Whether figures would take cells of a long cell that spills, and that is whole in `room` cells without them."""
    spilling = next((other for other in columns if other.spills), None)
    return spilling is not None and any(
        room - cells < cell_len(spilling.text(row)) <= room and column.text(row) for row in rows
    )
