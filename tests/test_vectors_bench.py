"""What is compared with the matrix in memory is what it says: the plan of the query tells."""

from __future__ import annotations

from bench.vectors import _recall, add_index, invented, measure, statement, store


def test_the_scan_scans_and_the_index_is_used() -> None:
    connection = store(invented(1000, 1))
    asked = f"EXPLAIN {statement(invented(1, 2)[0])}"

    def plan() -> str:
        return "".join(text for _, text in connection.execute(asked).fetchall())

    assert "SEQ_SCAN" in plan()
    assert "HNSW_INDEX_SCAN" not in plan()
    add_index(connection)
    assert "HNSW_INDEX_SCAN" in plan()


def test_the_matrix_misses_nothing() -> None:
    rows = {row.way: row for row in measure(1000)}
    assert (rows["scan in the store"].recall, rows["matrix in memory"].recall) == (1.0, 1.0)
    # It is 0.993; which neighbours are found depends on the threads that built the index.
    assert 0.97 < rows["HNSW of vss"].recall <= 1.0


def test_recall_is_the_share_of_the_ten_nearest() -> None:
    right = list(range(20))
    assert _recall([right, [*range(5), *range(10, 20)]], [right, right]) == 0.75
    assert _recall([right[::-1]], [right]) == 0.0
