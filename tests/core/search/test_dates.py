from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.search.filters.times import parse_time

NOW = datetime.fromisoformat("2026-11-21T14:30:15+01:00")
"""A Saturday."""


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("3h", "2026-11-21T11:30:15+01:00"),
        ("3d", "2026-11-18T14:30:15+01:00"),
        ("2W", "2026-11-07T14:30:15+01:00"),
        ("1m", "2026-10-22T14:30:15+01:00"),
        ("1y", "2025-11-21T14:30:15+01:00"),
        ("today", "2026-11-21T00:00:00+01:00"),
        ("yesterday", "2026-11-20T00:00:00+01:00"),
        ("saturday", "2026-11-21T00:00:00+01:00"),
        ("Sunday", "2026-11-15T00:00:00+01:00"),
        ("2026", "2026-01-01T00:00:00+01:00"),
        ("2026-3", "2026-03-01T00:00:00+01:00"),
        ("2026-11-20", "2026-11-20T00:00:00+01:00"),
        ("2026-11-20T08:05", "2026-11-20T08:05:00+01:00"),
    ],
)
def test_what_a_person_writes_for_a_time(text: str, moment: str) -> None:
    assert parse_time(text, NOW) == datetime.fromisoformat(moment)


@pytest.mark.parametrize("text", ["", "3", "3x", "d", "2026-13", "2026-02-30", "26-11-20", "soon", "9999y", "0000"])
def test_what_is_no_time(text: str) -> None:
    assert parse_time(text, NOW) is None


@given(st.one_of(st.text(max_size=12), st.from_regex(r"\d{1,5}(-\d{1,3}){0,3}[hdwmy]?", fullmatch=True)))
def test_no_text_raises(text: str) -> None:
    moment = parse_time(text, NOW)
    assert moment is None or moment.tzinfo is not None
