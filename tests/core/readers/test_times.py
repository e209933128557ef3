"""Times in transcripts: those that no agent can have written are unknown, since not every system can show them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui_core.readers.conversion.json_values import epoch, epoch_seconds, local_timestamp, timestamp

NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ("2026-11-27T12:00:00Z", NOON),
        ("2026-11-27T14:00:00+02:00", NOON),
        ("2026-11-27T12:00:00", NOON),
        ("1971-01-01T00:00:00Z", datetime(1971, 1, 1, tzinfo=UTC)),
        ("1970-12-31T23:59:59Z", None),
        ("1971-01-01T01:00:00+02:00", None),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("2999-12-31T23:59:59Z", datetime(2999, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("3000-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("yesterday", None),
        (3, None),
    ],
)
def test_a_text(value: object, at: datetime | None) -> None:
    assert (timestamp(value), local_timestamp(value)) == (at, at)


@pytest.mark.parametrize("value", [0, -1, -62_135_596_800, 10**15, float("inf"), float("nan"), True, "1"])
def test_a_number_of_milliseconds_or_seconds_that_is_no_time(value: object) -> None:
    assert (epoch(value), epoch_seconds(value)) == (None, None)


def test_a_number_is_a_time() -> None:
    seconds = NOON.timestamp()
    assert (epoch(seconds * 1000), epoch_seconds(seconds), epoch_seconds(seconds * 1000)) == (NOON, NOON, NOON)
