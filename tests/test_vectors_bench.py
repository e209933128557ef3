"""What is compared with the matrix in memory is what it says: the plan of the query tells."""

from __future__ import annotations

from bench.vectors import add_index, invented, measure, statement, store


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
    assert rows["matrix in memory"].recall == 1.0
    assert 0.5 < rows["HNSW of vss"].recall <= 1.0
