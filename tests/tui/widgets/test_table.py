"""Tables: which columns have room, how rows are sorted, and the line of headings."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult

from memtui.widgets.table.columns import Layout, Order, TableColumn, ordered
from memtui.widgets.table.table_list import TableList


class Fruit(NamedTuple):
    name: str
    origin: str
    weight: int


FRUIT = [Fruit("apple", "the old garden", 12), Fruit("passion fruit", "Peru", 3), Fruit("fig", "", 1_200)]
COLUMNS: list[TableColumn[Fruit]] = [
    TableColumn("name", lambda fruit: fruit.name, lambda fruit: fruit.name, least=5, enough=8, spills=True),
    TableColumn(
        "origin", lambda fruit: fruit.origin, lambda fruit: fruit.origin, rank=2, least=6, enough=10, grows=True
    ),
    TableColumn(
        "count", lambda fruit: f"{fruit.weight:,}", lambda fruit: fruit.weight, descending=True, rank=1, right=True
    ),
    TableColumn("never", lambda _: "", rank=3),
]  # fmt: skip


BY_COUNT = Order("count")


def drawn(width: int, order: Order = BY_COUNT) -> list[str]:
    """The headings and the rows in a width."""
    layout = Layout.of(COLUMNS, FRUIT, width, order)
    return ["".join(text for _, text in layout.heads()), *(layout.line(fruit).plain for fruit in FRUIT)]


def test_columns_share_the_width_and_disappear_by_their_rank() -> None:
    assert drawn(40) == [
        "name           origin            count ▼",
        "apple          the old garden         12",
        "passion fruit  Peru                    3",
        "fig                                1,200",
    ]
    # A long name takes the cells of its neighbour before it is cut itself.
    assert drawn(30) == [
        "name       origin      count ▼",
        "apple      the old g…       12",
        "passion fruit  Peru          3",
        "fig                      1,200",
    ]
    assert drawn(26) == [
        "name      origin   count ▼",
        "apple     the ol…       12",
        "passion fruit  …         3",
        "fig                  1,200",
    ]
    assert drawn(18) == ["name       count ▼", "apple           12", "passion …        3", "fig          1,200"]
    assert drawn(10) == ["name      ", "apple", "passion f…", "fig"]
    assert drawn(18, Order("origin", is_reversed=True))[0] == "name      origin ▼"


PRICED: list[TableColumn[Fruit]] = [
    TableColumn("name", lambda fruit: fruit.name, least=6, enough=30, grows=True),
    TableColumn("count", lambda fruit: f"{fruit.weight}" if fruit.weight else "", right=True),
    TableColumn("origin", lambda fruit: fruit.origin, rank=1, least=6, enough=20),
]


def test_a_column_has_enough_before_those_of_a_higher_rank_are_shown_at_all() -> None:
    rows = [Fruit("a very ripe passion fruit", "Peru in the south", 3), Fruit("fig", "", 40)]

    def lines(width: int) -> list[str]:
        return [Layout.of(PRICED, rows, width, Order("name")).line(row).plain for row in rows]

    # Those of its own rank have room before it has enough.
    assert {width: lines(width) for width in (16, 32, 39, 40, 52)} == {
        16: ["a very r…      3", "fig           40"],
        32: ["a very ripe passion fruit      3", "fig                           40"],
        39: ["a very ripe passion fruit             3", "fig                                  40"],
        40: ["a very ripe passion fruit      3  Peru …", "fig                           40"],
        52: ["a very ripe passion fruit       3  Peru in the south", "fig                            40"],
    }


def test_a_long_cell_takes_the_blank_cells_behind_it() -> None:
    rows = [Fruit("a very ripe passion fruit", "", 0), Fruit("a very ripe passion fruit", "", 7)]
    layout = Layout.of(PRICED, rows, 20, Order("name"))
    assert [layout.line(row).plain for row in rows] == ["a very ripe passion…", "a very ripe …      7"]


FILES: list[TableColumn[Fruit]] = [
    TableColumn("name", lambda fruit: fruit.name, least=4, enough=6, spills=True),
    TableColumn("origin", lambda fruit: fruit.origin, rank=2, least=6, grows=True),
    TableColumn("kg", lambda fruit: f"{fruit.weight}" if fruit.weight else "", rank=1, right=True),
    TableColumn("age", lambda _: "99 d", lambda _: 0, rank=1, right=True),
]


def test_figures_that_would_cut_a_long_cell_that_spills_are_left_out() -> None:
    def lines(weight: int, width: int) -> list[str]:
        rows = [*[Fruit("fig", "Izmir", 5)] * 11, Fruit("a long passion fruit", "Peru", weight)]
        layout = Layout.of(FILES, rows, width, Order("age"))
        return ["".join(text for _, text in layout.heads()), *(layout.line(row).plain for row in rows[-2:])]

    head, fig = "name  origin      kg  age ▲", "fig   Izmir        5   99 d"
    assert lines(0, 27) == [head, fig, "a long passion fruit   99 d"]
    assert lines(7, 27) == ["name  origin          age ▲", "fig   Izmir            99 d", "a long passion fruit   99 d"]
    # Nothing is left out for a cell that is cut in any case, or is whole with it.
    assert lines(7, 26) == ["name  origin     kg  age ▲", "fig   Izmir       5   99 d", "a long passion…   7   99 d"]
    assert lines(7, 34)[-1] == "a long passion fruit  …   7   99 d"


def test_rows_are_sorted_either_way_and_equal_ones_stay() -> None:
    rows = [*FRUIT, Fruit("date", "Peru", 12)]

    def names(order: Order) -> list[str]:
        return [fruit.name for fruit in ordered(COLUMNS, order, rows)]

    assert names(Order("count")) == ["fig", "apple", "date", "passion fruit"]
    assert names(Order("count", is_reversed=True)) == ["passion fruit", "apple", "date", "fig"]
    assert names(Order("origin")) == ["fig", "passion fruit", "date", "apple"]
    assert names(Order("gone")) == ["apple", "date", "fig", "passion fruit"]
    assert names(Order("never")) == [fruit.name for fruit in rows]


@given(st.integers(1, 90), st.lists(st.builds(Fruit, st.text("ab日 "), st.text("ab日 "), st.integers(0, 10**9))))
def test_no_line_is_wider_than_the_table(width: int, rows: list[Fruit]) -> None:
    for name in ("name", "origin", "count"):
        layout = Layout.of(COLUMNS, rows, width, Order(name))
        heads = "".join(text for _, text in layout.heads())
        lines = [layout.line(fruit).plain for fruit in rows]
        assert max(map(cell_len, [heads, *lines])) <= width


class FruitList(TableList[Fruit]):
    HELP: ClassVar[str] = "Fruit"
    read_rows: ClassVar[list[str]] = []

    @property
    def columns(self) -> list[TableColumn[Fruit]]:
        return COLUMNS

    def lines(self) -> Sequence[Fruit]:
        self.listed = self.ordered(FRUIT * 40)
        return self.listed

    def key_of(self, row: Fruit) -> Hashable:
        return row

    def choose(self, index: int, *, read: bool) -> None:
        if read:
            self.read_rows.append(self.listed[index].name)


class Market(App[None]):
    CSS = "TableList { padding: 1 0 0 1; border: none; border-top: solid red; height: 1fr; }"

    def compose(self) -> ComposeResult:
        self.orders: list[Order] = []
        yield FruitList(Order("count"), lambda: self.orders.append(self.query_one(FruitList).order))

    def on_mount(self) -> None:
        self.query_one(FruitList).fill()


def lines_of(app: App[None]) -> list[str]:
    """The lines of the screen."""
    return [line.text.rstrip() for line in app.screen._compositor.render_strips()]


async def test_the_headings_stay_at_the_top_and_a_click_sorts() -> None:
    async with Market().run_test(size=(44, 8)) as pilot:
        app = pilot.app
        assert isinstance(app, Market)
        fruit = app.query_one(FruitList)
        head = lines_of(app)[1]
        assert head.split() == ["name", "origin", "count", "▼"]
        assert head.index("count") + len("count ▼") == lines_of(app)[2].index("1,200") + len("1,200")
        await pilot.press("G")
        assert (lines_of(app)[1], fruit.scroll_y > 0) == (head, True)
        assert "passion fruit" in lines_of(app)[-1]
        await pilot.press("g")
        await pilot.click(FruitList, offset=(head.index("origin") + 1, 1))
        assert lines_of(app)[1].split() == ["name", "origin", "▲", "count"]
        assert lines_of(app)[2].split() == ["fig", "1,200"]
        await pilot.click(FruitList, offset=(head.index("origin") + 1, 1))
        assert lines_of(app)[1].split() == ["name", "origin", "▼", "count"]
        # What has no order, and the gap at the end, does nothing; a row is chosen as in every list.
        await pilot.click(FruitList, offset=(43, 1))
        await pilot.click(FruitList, offset=(3, 4))
        assert fruit.highlighted == 2
        await pilot.click(FruitList, offset=(3, 3), times=2)
        assert FruitList.read_rows == ["apple"]
        await pilot.press("s", "I")
        assert app.orders == [Order("origin"), Order("origin", True), Order("count"), Order("count", True)]


def test_a_table_without_what_it_needs_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Headless is no complete TableList: columns, lines, key_of$"):

        class Headless(TableList[Fruit]):
            HELP: ClassVar[str] = "Nothing"

            def choose(self, index: int, *, read: bool) -> None:
                pass
