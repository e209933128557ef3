"""When an agent deletes its own transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.readers.base import Retention
from memtui_core.readers.locations import Location, retention


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        (None, 30),
        ("{}", 30),
        ('{"cleanupPeriodDays": 365}', 365),
        ('{"cleanupPeriodDays": 0}', 0),
        ('{"cleanupPeriodDays": -1}', 30),
        ('{"cleanupPeriodDays": true}', 30),
        ('{"cleanupPeriodDays": "x"}', 30),
        ("[1]", 30),
        ("{", 30),
    ],
)
def test_the_setting_is_read_beside_the_transcripts(tmp_path: Path, settings: str | None, days: int) -> None:
    (tmp_path / "projects").mkdir()
    if settings is not None:
        (tmp_path / "settings.json").write_text(settings)
    expected = Retention("claude-code", "Claude Code", days, tmp_path / "settings.json", "cleanupPeriodDays")
    assert retention(Location("claude-code", tmp_path / "projects")) == expected


def test_of_other_places_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert retention(Location("claude-code", tmp_path / "elsewhere")) is None
    assert retention(Location("claude-code", tmp_path / "projects")) is None
    (tmp_path / "projects").mkdir()
    assert retention(Location("codex", tmp_path / "projects")) is None


def test_a_folder_that_was_named_is_an_agents_own_when_its_settings_are_there(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    assert retention(Location(None, tmp_path / "projects")) is None
    (tmp_path / "settings.json").write_text("{}")
    expected = Retention("claude-code", "Claude Code", 30, tmp_path / "settings.json", "cleanupPeriodDays")
    assert retention(Location(None, tmp_path / "projects")) == expected
