"""When snapshots are due, by times that are given."""

from __future__ import annotations

import pytest

from memtui_core.store.snapshot.publisher import PublishSchedule


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def snapshots(seconds: int, takes: float, clock: Clock, schedule: PublishSchedule) -> list[float]:
    """The times at which snapshots are begun, from the start of reading files for some seconds, four each second."""
    begun, made = clock.now, []
    schedule.begin()
    while clock.now - begun < seconds:
        clock.now += 0.25
        if schedule.due:
            started = clock.now
            made.append(started - begun)
            clock.now += takes
            schedule.published(started)
    return made


@pytest.mark.parametrize(
    ("takes", "expected"),
    [
        (0.0, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5]),
        (0.125, [0.5, 1.625, 3.5, 6.125, 8.75, 11.375]),
        (0.5, [0.5, 2.0, 5.0, 11.0, 21.5, 32.0, 42.5]),
        (4.0, [0.5, 9.0, 26.0, 60.0, 124.0]),
    ],
)
def test_the_first_snapshot_comes_soon_and_the_pauses_grow_to_what_their_cost_allows(
    takes: float, expected: list[float]
) -> None:
    clock = Clock()
    assert snapshots({0.0: 12, 0.125: 12, 0.5: 45, 4.0: 150}[takes], takes, clock, PublishSchedule(clock)) == expected


def test_what_is_read_later_is_soon_seen_too() -> None:
    clock = Clock()
    schedule = PublishSchedule(clock)
    assert snapshots(45, 0.5, clock, schedule)[-1] == 42.5
    clock.now += 600
    assert snapshots(12, 0.5, clock, schedule) == [0.5, 2.0, 5.0, 11.0]


def test_an_index_that_nobody_reads_is_published_rarely() -> None:
    clock, read = Clock(), [False]
    schedule = PublishSchedule(clock, lambda: read[0])
    assert snapshots(12, 0.0, clock, schedule) == [5.0, 10.0]
    read[0] = True
    assert snapshots(3, 0.0, clock, schedule) == [0.5, 1.5, 2.5]
