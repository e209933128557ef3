from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.wording.formatting import (
    age,
    agent_name,
    cut,
    date_and_year,
    day,
    day_and_month,
    duration,
    plural,
    size,
    stamp,
    tokens,
)
from memtui_core.text.names import ProjectName

NOW = datetime(2026, 2, 13, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 s"),
        (3, "3 s"),
        (59, "59 s"),
        (60, "1 m"),
        (7200, "2 h"),
        (5 * 86_400, "5 d"),
        (364 * 86_400, "364 d"),
        (800 * 86_400, "2 y"),
    ],
)
def test_ages_have_one_unit(seconds: int, text: str) -> None:
    assert age(NOW - timedelta(seconds=seconds), NOW) == text


def test_days_have_no_leading_zero() -> None:
    on = date(2026, 2, 3)
    assert (day_and_month(on), date_and_year(on)) == ("3 Feb", "3 Feb 2026")
    assert (day(NOW), day(None)) == ("13 Feb 2026", "")


def test_an_unknown_time_has_no_age() -> None:
    assert age(None, NOW) == ""
    assert stamp(None) == "unknown"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.42, "0.4 s"),
        (48, "48 s"),
        (192, "3 m 12 s"),
        (180, "3 m"),
        (7500, "2 h 5 m"),
        (100_800, "1 d 4 h"),
    ],
)
def test_durations_have_at_most_two_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (21, "example-shop · site-b"),
        (20, "example-sh… · site-b"),
        (13, "exa… · site-b"),
        (12, "exa… · site…"),
        (6, "ex… ·…"),
        (1, "…"),
        (0, ""),
    ],
)
def test_a_cut_name_of_a_project_keeps_its_folder(width: int, text: str) -> None:
    assert cut(ProjectName("example-shop", "site-b"), width) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (950, "950"), (3100, "3.1k"), (3000, "3k"), (9_960, "10k"), (999_600, "1M"), (1_200_000, "1.2M")],
)
def test_token_counts_are_short(count: int, text: str) -> None:
    assert tokens(count) == text


def test_sizes_are_decimal() -> None:
    assert [size(n) for n in (512, 12_000, 1_240_000)] == ["512 B", "12 kB", "1.2 MB"]


def test_plurals() -> None:
    assert [plural(1, "tool"), plural(1204, "tool"), plural(2, "match", "matches")] == [
        "1 tool",
        "1,204 tools",
        "2 matches",
    ]


@given(st.text(), st.integers(1, 40))
def test_cut_texts_fit(text: str, width: int) -> None:
    assert cell_len(cut(text, width)) <= width


def test_agents_have_short_names() -> None:
    assert [agent_name(name) for name in ("claude-code", "codex", "")] == ["claude", "codex", "agent"]
