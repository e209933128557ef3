"""What tests of commands on a team share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli

Commands = Callable[..., Result]


@pytest.fixture
def memtui(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Runs a command with a data folder of the test; `at` names another machine, `said` is standard input."""
    monkeypatch.delenv("MEMTUI_TEAM_URL", raising=False)
    monkeypatch.delenv("MEMTUI_TEAM_ADMIN_URL", raising=False)

    def run(*arguments: str, at: str = "admin", said: str = "") -> Result:
        monkeypatch.setenv("MEMTUI_DATA_DIR", str(tmp_path / at))
        return CliRunner().invoke(cli, arguments, input=said)

    return run
