"""When an agent deletes its own transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.readers.cleanup import days_kept
from memtui_core.readers.places import Place


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
    assert days_kept(Place("claude-code", tmp_path / "projects")) == days


def test_of_other_places_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert days_kept(Place("claude-code", tmp_path / "elsewhere")) is None
    assert days_kept(Place("claude-code", tmp_path / "projects")) is None
    assert days_kept(Place("codex", tmp_path / "elsewhere")) is None
