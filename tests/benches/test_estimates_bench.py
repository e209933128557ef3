"""The bench of the time left: which reports count, and how far they are from the truth."""

from __future__ import annotations

import pytest

from bench.estimates import Report, errors, rows

REPORTS = [
    Report(4.9, 100.0),
    Report(5.0, 18.0),
    Report(6.0, None),
    Report(10.0, 11.0),
    Report(15.0, 6.5),
    Report(19.5, 9.0),
    Report(20.0, None),
]
"""A reading of 20 seconds."""


def test_an_estimate_counts_after_five_seconds_and_while_a_second_is_left() -> None:
    assert errors(REPORTS) == pytest.approx([0.2, 0.1, 0.3])


def test_the_rows_have_the_median_and_how_many_are_believed() -> None:
    found = rows(REPORTS)
    assert [row.name for row in found] == ["time left, median error after 5 s", "time left, estimates within 20 %"]
    assert [row.value for row in found] == pytest.approx([20.0, 200 / 3])


def test_a_short_reading_has_no_rows() -> None:
    assert (rows([]), rows(REPORTS[:1])) == ([], [])
