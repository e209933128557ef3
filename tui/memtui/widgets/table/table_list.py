"""A list whose rows are in columns below a line of headings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, ClassVar, Final, Generic

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.content import Content
from textual.css.styles import RulesMap
from textual.geometry import Region
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

from memtui.keys.declarations import Key, keys
from memtui.system.complete import refuse_incomplete
from memtui.widgets.row_list import RowList
from memtui.widgets.table.columns import Layout, Order, Row, TableColumn, ordered

_HEADING: Final = "heading"
"""The name in the meta data of a style under which a heading has the name of its column."""


class TableRow(Visual, Generic[Row]):
    """A row of a table on one line, which is drawn when it comes in sight."""

    def __init__(self, key: Hashable, layout: Layout[Row], row: Row) -> None:
        self.key = key
        self._layout = layout
        self._row = row

    def __str__(self) -> str:
        return self.content.plain

    @property
    def content(self) -> Content:
        """The line."""
        return self._layout.line(self._row)

    @property
    def is_heading(self) -> bool:
        """Whether it names the rows below it; the headings of the columns are no row."""
        return False

    @property
    def visual(self) -> Visual:
        """Itself."""
        return self

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        """The line in a width."""
        return self.content.render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """The cells of the line."""
        return self.content.cell_length

    def get_height(self, rules: RulesMap, width: int) -> int:
        """One line."""
        return 1


class TableList(RowList, Generic[Row], is_base=True):
    """The base of lists with columns: subclasses have `columns`, `lines` and `key_of` besides `HELP` and `choose`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"table--heading", "table--sorted"}
    DEFAULT_CSS = """
    TableList {
        & > .table--heading { color: $text-muted; }
        & > .table--sorted { color: $text; text-style: bold; }
    }
    """
    BINDINGS = keys(
        "tables",
        Key("s", "sort", "Sort", "Sort by the next column", "table.sort", synonyms="order column", show=True),
        Key("I", "reverse", "Reverse", "Sort the other way round", "table.reverse",
            synonyms="invert order ascending descending"),
    )  # fmt: skip

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        refuse_incomplete(cls, TableList)

    def __init__(self, order: Order, order_changed: Callable[[], None], *, id: str | None = None) -> None:  # noqa: A002
        """`order_changed` is called when the user has chosen another order."""
        super().__init__(id=id)
        self.order = order
        self._first_sorted = order.name
        self._order_changed = order_changed
        self.table: Layout[Row] = Layout((), order)
        """The columns as they are shown now."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[TableColumn[Row]]:
        """All columns, from the left."""

    @abstractmethod
    def lines(self) -> Sequence[Row]:
        """The rows in their order."""

    @abstractmethod
    def key_of(self, row: Row) -> Hashable:
        """What identifies a row."""

    def rows(self, width: int) -> list[TableRow[Row]]:
        """One line for each row."""
        lines = self.lines()
        self.table = Layout.of(self.columns, lines, width, self.order)
        return [TableRow(self.key_of(line), self.table, line) for line in lines]

    def ordered(self, rows: Iterable[Row]) -> list[Row]:
        """Rows in the order that the user has chosen."""
        return ordered(self.columns, self.order, rows)

    def sort_by(self, name: str) -> None:
        """Sort by a column, or the other way round if the table is sorted by it."""
        self._sort(Order(name, name == self.order.name and not self.order.is_reversed))

    def action_sort(self) -> None:
        """Sort by the next column: after the one with which the table began, those with figures, then the others."""
        columns = [column for column in self.columns if column.order is not None]
        columns.sort(key=lambda column: (column.name != self._first_sorted, not column.descending))
        names = [column.name for column in columns]
        current = names.index(self.order.name) if self.order.name in names else -1
        self._sort(Order(names[(current + 1) % len(names)]))

    def action_reverse(self) -> None:
        """Sort the other way round."""
        self.sort_by(self.order.name)

    def _sort(self, order: Order) -> None:
        self.order = order
        self.fill()
        self.refresh()
        self._order_changed()

    # -- the headings, in the line above the rows that the padding leaves free -------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows, and above them the headings."""
        strips = super().render_lines(crop)
        top = self.gutter.top - 1
        if self.styles.padding.top and crop.y <= top < crop.bottom:
            strips[top - crop.y] = self._heading_line().crop(*crop.column_span)
        return strips

    def _heading_line(self) -> Strip:
        plain, heading, is_sorted = (
            self.get_visual_style(*classes).rich_style
            for classes in ((), ("table--heading",), ("table--heading", "table--sorted"))
        )
        indent = self.gutter.left + self.get_component_styles("option-list--option").padding.left
        segments = [Segment(" " * indent, plain)]
        for column, text in self.table.heads():
            style = is_sorted if column.name == self.order.name else heading
            meta = {_HEADING: column.name} if column.order is not None else {}
            segments.append(Segment(text, style + RichStyle.from_meta(meta)))
        return Strip(segments).adjust_cell_length(self.region.width, plain)

    def on_click(self, event: events.Click) -> None:
        """Sort by a clicked heading."""
        name = event.style.meta.get(_HEADING)
        if name is None:
            super().on_click(event)
        else:
            event.prevent_default()
            self.sort_by(name)
