"""The sessions that were opened last."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.store.data_folder import DataDir
from memtui_core.store.opened import MOST, OpenedSessions, note_opened, opened_sessions


def test_the_last_ones_are_remembered_each_once_and_the_newest_first(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    assert opened_sessions(data) == ()
    for number in (*range(MOST + 2), 5):
        note_opened(data, f"s{number}")
    assert opened_sessions(data) == ("s5", *(f"s{number}" for number in range(MOST + 1, 1, -1) if number != 5))


@pytest.mark.parametrize("content", ["", "{}", "3", "[1, null]"])
def test_a_damaged_file_names_none_and_is_written_again(content: str, tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.opened.write_text(content, "utf-8")
    assert opened_sessions(data) == ()
    note_opened(data, "one")
    assert opened_sessions(data) == ("one",)


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "missing")
    note_opened(data, "one")
    assert opened_sessions(data) == ()


def test_whoever_looks_again_sees_only_what_has_changed(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    seen = OpenedSessions(data)
    assert seen.changed() is None
    note_opened(data, "one")
    assert seen.changed() == ("one",)
    assert seen.changed() is None
    note_opened(data, "one")
    assert seen.changed() is None
    note_opened(data, "two")
    assert seen.changed() == ("two", "one")
