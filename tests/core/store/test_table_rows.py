"""Rows of a table that are held as columns, compared with plain lists."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.store.tables import TableRows

Rows = list[tuple[int, str | None]]
ROWS = st.lists(st.tuples(st.integers(), st.one_of(st.none(), st.text(max_size=3))), max_size=6)


@settings(deadline=None)
@given(ROWS, ROWS, ROWS, st.integers(0, 20))
def test_columns_are_the_rows(first: Rows, second: Rows, third: Rows, count: int) -> None:
    columns = TableRows.of(first)
    for row in second:
        columns.append(row)
    columns.extend(TableRows.of(third))
    rows = [*first, *second, *third]
    assert (columns.rows(), len(columns)) == (rows, len(rows))
    assert columns.part(count).rows() == rows[count:]
    assert columns.part(0, count).rows() == rows[:count]
    columns.truncate(count)
    assert (columns.rows(), bool(columns)) == (rows[:count], bool(rows[:count]))


def test_columns_that_are_added_to_others_do_not_change_with_them() -> None:
    empty, added = TableRows(), TableRows.of([(1, "a")])
    empty.extend(added)
    empty.append((2, "b"))
    assert (empty.rows(), added.rows()) == ([(1, "a"), (2, "b")], [(1, "a")])
