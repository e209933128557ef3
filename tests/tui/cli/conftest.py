"""What tests of commands share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder beside a copy of the index that the fixture `built` of the file has made."""
    shutil.copytree(built, tmp_path / "data")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here
