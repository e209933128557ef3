"""Values as TOML has them."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime, time
from pathlib import Path

import pytest

from memtui.settings.toml_text import toml_text

ROOT = Path(__file__).parents[3]
VALUES: list[object] = [
    True,
    3,
    1.5,
    1e300,
    float("inf"),
    float("-inf"),
    'a "b" \\ é\t\x7f',
    ["a", "b"],
    {"a b": ["x"], "c.d": "y"},
    [],
    {},
    datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    datetime(2026, 1, 2, 3, 4, 5, 600),
    date(2026, 1, 2),
    time(3, 4, 5),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_written_as_toml_reads_it(value: object) -> None:
    assert tomllib.loads(f"x = {toml_text(value)}") == {"x": value}


def test_toml_is_written_by_one_module() -> None:
    """The delete character is where TOML and JSON differ."""
    found = {
        path.name
        for top in ("core", "tui", "team")
        for path in (ROOT / top).rglob("*.py")
        if "u007f" in path.read_text("utf-8")
    }
    assert found == {"toml_text.py"}
