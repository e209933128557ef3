"""What is compared with the exact products is what it says."""

from __future__ import annotations

from pathlib import Path

from bench.vectors import QUERIES, TOP, build, invented, measure, recall, write


def test_each_way_answers_all_queries_and_the_exact_ones_alike(tmp_path: Path) -> None:
    write(tmp_path, 1500, ("floats", "bytes", "scan"))
    rows = {way: measure(tmp_path, way) for way in ("floats", "bytes", "scan")}
    right = rows["floats"].answers
    assert [len(answer) for answer in right] == [TOP] * QUERIES
    assert recall(rows["scan"].answers, right) == 1.0
    assert recall(rows["bytes"].answers, right) > 0.98


def test_the_index_is_built_and_answers(tmp_path: Path) -> None:
    """A process of its own builds the index, and all queries are answered in two ways."""
    write(tmp_path, 2500, ())
    seconds, length = build(tmp_path)
    assert seconds > 0
    # Of so few vectors, 256 numbers with 32 bits in the index, and again in about a byte each in the table; the
    # database has large blocks.
    assert 256 * 4 < length / 2500 < 2 * 256 * 4
    # Which neighbours are found depends on the threads that built the index.
    assert 0.9 < recall(measure(tmp_path, "hnsw").answers, measure(tmp_path, "floats").answers) <= 1.0


def test_vectors_are_the_same_each_time_and_of_length_one() -> None:
    vectors = invented(50, 3)
    assert (vectors == invented(50, 3)).all()
    assert abs((vectors**2).sum(axis=1) - 1).max() < 1e-5
    assert (invented(50, 4) != vectors).any()


def test_recall_is_the_share_of_the_ten_nearest() -> None:
    right = list(range(20))
    assert recall([right, [*range(5), *range(10, 20)]], [right, right]) == 0.75
    assert recall([right[::-1]], [right]) == 0.0
