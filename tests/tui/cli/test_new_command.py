"""A command is added by one module and one line in the list of commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui.cli.commands import COMMANDS
from memtui.cli.group import CommandEntry
from memtui_core.index.index import Index

BRANCHES = CommandEntry("branches", "support.branches_command")


@pytest.fixture
def _registered() -> Iterator[None]:
    COMMANDS.append(BRANCHES)
    yield
    COMMANDS.remove(BRANCHES)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


@pytest.mark.usefixtures("_registered")
def test_a_new_command_is_listed_has_help_is_suggested_and_runs(sample_index: Path) -> None:
    listed = run("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert ["branches", "List the branches that sessions worked on."] in [line.split(maxsplit=1) for line in listed]
    assert len(listed) == len(COMMANDS)
    assert "  List the branches that sessions worked on.\n" in run("branches", "--help").stdout
    assert "Did you mean branches?" in run("branchs").stderr
    expected = sorted({each.branch for each in Index.open(sample_index).sessions.all() if each.branch})
    assert len(expected) > 2
    assert run("branches", "--data-dir", str(sample_index)).stdout.split() == expected
    answer = run("--data-dir", str(sample_index), "branches", "--json").stdout
    assert json.loads(answer) == [{"branch": name} for name in expected]
    assert run("--or-demo", "branches").stderr.endswith("Error: memtui branches has no option --or-demo.\n")


def test_a_command_that_is_not_whole_is_refused() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'module'"):
        CommandEntry("branches")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^The command silent has no help: its function needs a docstring\.$"):
        CommandEntry("silent", "support.branches_command").command()
