"""Rows of a table as columns, and the hashes of entries, compared with plain lists and sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.ingest import known_entries
from memtui_core.ingest.known_entries import KnownEntries
from memtui_core.store.columns import Columns

Rows = list[tuple[int, str | None]]
ROWS = st.lists(st.tuples(st.integers(), st.one_of(st.none(), st.text(max_size=3))), max_size=6)
HASHES = st.lists(st.one_of(st.integers(0, 9), st.integers(-(2**63), 2**63 - 1)), max_size=30)


@settings(deadline=None)
@given(ROWS, ROWS, ROWS, st.integers(0, 20))
def test_columns_are_the_rows(first: Rows, second: Rows, third: Rows, count: int) -> None:
    columns = Columns.of(first)
    for row in second:
        columns.append(row)
    columns.extend(Columns.of(third))
    rows = [*first, *second, *third]
    assert (columns.rows(), len(columns)) == (rows, len(rows))
    assert columns.part(count).rows() == rows[count:]
    assert columns.part(0, count).rows() == rows[:count]
    columns.truncate(count)
    assert (columns.rows(), bool(columns)) == (rows[:count], bool(rows[:count]))


def test_columns_that_are_added_to_others_do_not_change_with_them() -> None:
    empty, added = Columns(), Columns.of([(1, "a")])
    empty.extend(added)
    empty.append((2, "b"))
    assert (empty.rows(), added.rows()) == ([(1, "a"), (2, "b")], [(1, "a")])


@settings(deadline=None)
@given(HASHES, HASHES, HASHES, st.integers(1, 4))
def test_known_entries_are_those_that_were_added(
    stored: list[int], added: list[int], others: list[int], most_recent: int
) -> None:
    before, known_entries.MOST_RECENT = known_entries.MOST_RECENT, most_recent
    try:
        entries = KnownEntries(np.array(stored, np.int64))
        for entry in added:
            entries.add(entry)
        assert entries.among([*stored, *added, *others]) == {*stored, *added}
        assert entries.among(others) == {*others} & {*stored, *added}
    finally:
        known_entries.MOST_RECENT = before
