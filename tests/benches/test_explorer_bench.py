"""The parts of the app's measurements that need no clock: percentiles, ratios, the table, what was painted."""

from __future__ import annotations

import pytest

pytest.importorskip("fcntl", reason="the app is measured in a terminal of Unix")

from bench.explorer.keys import Press, pieces, summed_up
from bench.explorer.table import HEAD, Row, line, percentiles


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([0.007], (7.0, 7.0)),
        ([0.001, 0.003], (2.0, 2.9)),
        ([number / 1000 for number in range(101)], (50.0, 95.0)),
    ],
)
def test_percentiles_are_milliseconds(seconds: list[float], expected: tuple[float, float]) -> None:
    assert percentiles(seconds) == pytest.approx(expected)


def test_a_ratio_compares_like_with_like() -> None:
    row = Row("a key", [number / 1000 for number in range(101)], [0.010] * 101, "a bare app")
    assert row.ratios == pytest.approx((5.0, 9.5))
    assert Row("a key", [0.010]).ratios is None


def test_the_table_marks_what_is_slow() -> None:
    rows = [
        Row("quick", [0.010, 0.010], [0.005, 0.005], "a bare Tree"),
        Row("slow", [0.030, 0.032], [0.010, 0.010], "a bare Tree"),
        Row("alone", [1.5]),
    ]
    assert [HEAD, *map(line, rows)] == [
        f"{'milliseconds':58}      p50      p95    beside      p95     p50     p95",
        f"{'quick':58}     10.0     10.0       5.0      5.0    2.0x    2.0x   a bare Tree",
        f"{'slow':58}     31.0     31.9      10.0     10.0    3.1x    3.2x ! a bare Tree",
        f"{'alone':58}   1500.0   1500.0",
    ]


def test_what_was_painted_is_known_by_its_line() -> None:
    output = b"\x1b[1mlost\x1b[3;1H\x1b[38;5;12mone \x1b[0mrow\r\n\x1b[40;7H2 s ago\x1b[3;9H\xe2\x97\x8f\x1b[38;5;"
    assert pieces(output) == [(3, 1, "one row"), (40, 7, "2 s ago"), (3, 9, "●")]
    assert pieces(b"\x1b[40;7H3 s ago\x1b[2;1H\x1b[?25h") == [(40, 7, "3 s ago")]


def test_a_repaint_ends_at_the_first_pause() -> None:
    assert summed_up([0.010, 0.012, 0.015, 0.180, 0.190]) == Press(0.010, 0.015, 0.190)
    assert summed_up([0.010]) == Press(0.010, 0.010, 0.010)
    assert summed_up([0.010], still=0.250) == Press(0.010, 0.010, 0.250)
