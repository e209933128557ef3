"""The disk is full at a step: one sentence, exit code 1, and the next run makes the index of one without trouble."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui_core.system.fault_points import arm
from support.pictures import picture
from support.transcripts import OTHER_SESSION, SESSION, Script

READING = (
    "rows-written", "batch-written", "documents-written", "documents-committed", "snapshot-written",
    "snapshot-published", "work-became-base",
)  # fmt: skip
FORGETTING = ("forgotten-kept", "forget-logged", "sessions-removed", "work-rewritten", "documents-written")


@pytest.fixture(autouse=True)
def _room_again() -> Iterator[None]:
    yield
    arm("")


def memtui(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for session, prefix in ((SESSION, "a"), (OTHER_SESSION, "b")):
        script = Script(session, prefix=prefix)
        script.user("Round the prices")
        script.says("Rounded.")
        script.write(tmp_path / "src")
    return tmp_path / "src"


def says_which_disk(result: Result, folder: Path | str) -> None:
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stderr == (
        f"memtui: The disk of {folder} is full. Make room there, or choose another data folder with --data-dir or"
        " MEMTUI_DATA_DIR.\n"
    )


@pytest.mark.parametrize("step", [*READING, "codes-written", "vectors-written"])
def test_reading(step: str, source: Path, tmp_path: Path) -> None:
    options = ["--source", str(source), "--quiet", *(["--no-embed"] if step in READING else [])]
    data, clean = str(tmp_path / "data"), str(tmp_path / "clean")
    arm(f"{step}:full")
    says_which_disk(memtui("index", *options, "--data-dir", data), data)
    for folder in (data, clean):
        assert memtui("index", *options, "--data-dir", folder).exit_code == 0
    assert picture(Path(data)) == picture(Path(clean))


@pytest.mark.parametrize("step", FORGETTING)
def test_forgetting(step: str, source: Path, tmp_path: Path) -> None:
    options = ["--source", str(source), "--quiet", "--no-embed"]
    data, clean = str(tmp_path / "data"), str(tmp_path / "clean")
    for folder in (data, clean):
        assert memtui("index", *options, "--data-dir", folder).exit_code == 0
    arm(f"{step}:full")
    says_which_disk(memtui("forget", SESSION, "--yes", "--data-dir", data), data)
    memtui("forget", SESSION, "--yes", "--data-dir", data)
    assert memtui("forget", SESSION, "--yes", "--data-dir", clean).exit_code == 0
    for folder in (data, clean):
        assert memtui("index", *options, "--data-dir", folder).exit_code == 0
    assert picture(Path(data)) == picture(Path(clean))


def test_a_backup(source: Path, tmp_path: Path) -> None:
    data, target = str(tmp_path / "data"), tmp_path / "backup"
    assert memtui("index", "--source", str(source), "--no-embed", "--quiet", "--data-dir", data).exit_code == 0
    arm("backup-written:full")
    failed = memtui("backup", str(target), "--data-dir", data)
    assert (failed.exit_code, failed.stderr.count("\n")) == (1, 1)
    assert " is full. Make room there" in failed.stderr
    assert not target.exists()
    assert memtui("backup", str(target), "--data-dir", data).exit_code == 0
