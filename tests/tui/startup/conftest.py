from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _no_wait_for_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pilot would wait again and again for the thread that opens the index, which hangs until it may."""
    monkeypatch.setattr("support.screens._THREAD_CHECKS", 0)


@pytest.fixture
def data(sample_index: Path, tmp_path: Path) -> Path:
    shutil.copytree(sample_index, tmp_path / "data")
    return tmp_path / "data"
