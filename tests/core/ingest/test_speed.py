"""The estimate of the time left, by times that are given."""

from __future__ import annotations

import pytest

from memtui_core.ingest.speed import ReadingSpeed, Speed


def test_there_is_no_estimate_before_enough_was_measured() -> None:
    speed = Speed()
    assert speed.seconds_left(1000) is None
    for _ in range(4):
        speed.add(100, 1.0)
    assert speed.seconds_left(1000) is None
    speed.add(100, 1.0)
    assert speed.seconds_left(1000) == pytest.approx(10.0)


def test_a_steady_speed_is_told_exactly_however_it_is_cut() -> None:
    coarse, fine = Speed(), Speed()
    for _ in range(10):
        coarse.add(500, 10.0)
    for _ in range(1000):
        fine.add(5, 0.1)
    assert coarse.seconds_left(600) == pytest.approx(12.0)
    assert fine.seconds_left(600) == pytest.approx(12.0)
    assert fine.seconds_left(0) == 0.0


def test_what_was_measured_lately_counts_more() -> None:
    speed = Speed()
    for _ in range(600):
        speed.add(100, 1.0)
    # Half as fast from now on: after 30 seconds half of that is known, after minutes all of it.
    for _ in range(30):
        speed.add(50, 1.0)
    assert speed.seconds_left(7500) == pytest.approx(100.0, rel=0.02)
    for _ in range(600):
        speed.add(50, 1.0)
    assert speed.seconds_left(7500) == pytest.approx(150.0, rel=0.001)


def test_one_odd_piece_does_not_throw_it_off() -> None:
    speed = Speed()
    for _ in range(600):
        speed.add(100, 1.0)
    speed.add(100, 3.0)
    assert speed.seconds_left(1000) == pytest.approx(10.0, rel=0.06)


def test_work_that_took_no_time_says_nothing() -> None:
    speed = Speed()
    speed.add(100, 0.0)
    assert speed.seconds_left(100) is None


def test_the_rate_is_known_after_enough_seconds_and_enough_work() -> None:
    speed = Speed(1.0, 1000.0)
    rates = []
    for work, seconds in ((20.0, 2.0), (970.0, 2.0), (20.0, 0.0)):
        speed.add(work, seconds)
        rates.append(speed.rate is not None)
    assert rates == [False, False, True]
    short = Speed(1.0, 1000.0)
    short.add(5000.0, 0.9)
    assert short.rate is None


def test_what_is_read_costs_its_share_of_publishing_too() -> None:
    """100 bytes are read in a second, and 1,000 bytes are published in five seconds: 4,000 bytes take a minute."""
    speed = ReadingSpeed(1.0, 0.0)
    assert (speed.rate, speed.seconds_left(100)) == (None, None)
    elapsed = 0.0
    ends: list[float] = []
    for read in range(100, 4100, 100):
        speed.read(100, 1.0)
        elapsed += 1.0
        ends.append(elapsed + (speed.seconds_left(4000 - read) or 0.0))
        if read % 1000 == 0:
            speed.published(5.0)
            elapsed += 5.0
    assert [elapsed, speed.rate] == pytest.approx([60.0, 1000 / 15])
    # Until something was published, a fifth of the time is expected for that instead of a third.
    assert ends == pytest.approx([50.0] * 10 + [60.0] * 30)
    # More than ever before at once takes as long as the longest time.
    speed.read(3000, 30.0)
    assert speed.seconds_left(0) == pytest.approx(5.0)
    speed.published(8.0)
    speed.read(9000, 90.0)
    assert speed.seconds_left(0) == pytest.approx(8.0)
