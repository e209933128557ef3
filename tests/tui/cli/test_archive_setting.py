"""The setting `archive`: whether a run of `memtui index` keeps the bytes of transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from memtui.cli import cli
from memtui_core.store.archive.transcripts import TranscriptArchive
from memtui_core.store.data_folder import DataDir
from support.archives import age
from support.transcripts import OTHER_SESSION, SESSION, Script


@pytest.mark.parametrize(("setting", "archived"), [("", True), ("archive = true", True), ("archive = false", False)])
def test_a_later_run_archives_what_rests_unless_the_setting_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, archived: bool
) -> None:
    (tmp_path / "config.toml").write_text(setting)
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    paths = []
    for session_id in (SESSION, OTHER_SESSION):
        script = Script(session_id, prefix=session_id[0])
        script.user("Retry the upload")
        paths.append(script.write(tmp_path / "projects"))
        age(paths[-1], 2)
        arguments = [
            "index",
            "--no-embed",
            "--source",
            str(tmp_path / "projects"),
            "--data-dir",
            str(tmp_path / "data"),
        ]
        assert CliRunner().invoke(cli, arguments).exit_code == 0
        if session_id == SESSION:
            # The run that makes the index has no time for it.
            assert not DataDir(tmp_path / "data").archived_transcripts.exists()
    found = sorted(TranscriptArchive(DataDir(tmp_path / "data")).files())
    assert found == (sorted(paths) if archived else [])
