from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.readers.base import Transcript
from memtui_core.readers.locations import Location, Scan, chosen_locations, default_locations
from memtui_core.system.locations import config_file, data_dir
from support.indexes import update
from support.systems import HOME_VARIABLE
from support.transcripts import Script


def test_the_agents_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert Location("claude-code", tmp_path / ".claude" / "projects") in default_locations()


def test_the_configured_folder_of_claude_code_wins() -> None:
    locations = default_locations({"CLAUDE_CONFIG_DIR": "/x/claude"})
    assert [one.path for one in locations if one.agent == "claude-code"] == [Path("/x/claude/projects")]


def test_named_sources_stand_instead_of_the_default(tmp_path: Path) -> None:
    assert chosen_locations([tmp_path / "a.jsonl"]) == [Location(None, tmp_path / "a.jsonl")]


def test_a_location_is_a_folder_or_a_file(tmp_path: Path) -> None:
    (tmp_path / ".hidden" / "deep").mkdir(parents=True)
    deep = tmp_path / ".hidden" / "deep" / "s.jsonl"
    deep.write_bytes(b"12345")
    expected = [Transcript("claude-code", deep, 5, deep.stat().st_mtime_ns)]
    assert expected == list(Scan().below(Location("claude-code", tmp_path)))
    assert expected == list(Scan().below(Location(None, deep)))
    assert list(Scan().below(Location("claude-code", tmp_path / "none"))) == []


def test_where_memtui_keeps_its_own_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMTUI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "c.toml"))
    assert (data_dir(), data_dir(tmp_path)) == (tmp_path / "data", tmp_path)
    assert config_file() == tmp_path / "c.toml"


def test_a_folder_with_the_mark_of_parts_in_its_name_is_no_container(tmp_path: Path) -> None:
    script = Script()
    script.user("Hello")
    path = script.write(tmp_path / "c#" / "shop")
    update(tmp_path / "data", path)
    update(tmp_path / "data", tmp_path / "elsewhere")
    assert [one.state for one in Index.open(tmp_path / "data").statistics.sources()] == ["ok"]
    path.unlink()
    update(tmp_path / "data", tmp_path / "elsewhere")
    assert [one.state for one in Index.open(tmp_path / "data").statistics.sources()] == ["gone"]
