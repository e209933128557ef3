"""When snapshots are due, by times that are given."""

from __future__ import annotations

import pytest

from memtui_core.ingest.publish_schedule import PublishSchedule


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
        (0.0, [0.25, 1.25, 2.25, 3.25, 4.25, 5.25, 6.25, 7.25, 8.25, 9.25, 10.25, 11.25]),
        (0.125, [0.25, 1.375, 3.0, 5.625, 8.25, 10.875]),
        (0.5, [0.25, 1.75, 4.5, 10.0, 20.5, 31.0, 41.5]),
        (4.0, [0.25, 8.5, 22.5, 36.5]),
    ],
)
def test_the_first_snapshot_comes_at_once_and_the_pauses_grow_to_what_their_cost_allows(
    takes: float, expected: list[float]
) -> None:
    clock = Clock()
    assert snapshots(12 if takes < 0.5 else 45, takes, clock, PublishSchedule(clock)) == expected


def test_what_is_read_later_is_soon_seen_too() -> None:
    clock = Clock()
    schedule = PublishSchedule(clock)
    assert snapshots(45, 0.5, clock, schedule)[-1] == 41.5
    clock.now += 600
    assert snapshots(12, 0.5, clock, schedule) == [0.25, 1.75, 4.5, 10.0]
