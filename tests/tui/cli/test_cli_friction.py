"""`memtui friction`: what it prints of real sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.origin.friction import friction
from support.indexes import update
from support.mended_errors import Work

ROOT = "/home/ana/code/shop"
IDS = [f"{number}" * 8 + "-1111-4111-8111-111111111111" for number in range(1, 6)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five sessions in which the same command fails at first."""
    folder = tmp_path_factory.mktemp("friction")
    for number, session in enumerate(IDS):
        script = Work(session, prefix=f"p{number}-")
        script.count = 100 * number
        script.user("Test it")
        script.fails("pytest", "bash: line 1: \x1b[31mpytest: command not found")
        script.passes("python -m pytest")
        source = script.write(folder / "src")
    update(folder / "data", source.parent)
    return folder / "data"


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(friction, [*arguments, "--data-dir", str(data)])


def test_each_project_has_its_lists_and_what_follows_from_them(data: Path) -> None:
    cited = "55555555:1, 44444444, 33333333 and 2 more sessions"
    error = "bash: line 1: pytest: command not found"
    assert run(data).stdout.splitlines() == [
        f"shop  {ROOT}",
        "  Errors that come back",
        f"         5 times  {error}",
        f"                  {cited} · pytest",
        "  Commands that fail at first",
        "          5 of 5  pytest",
        f"                  {cited} · {error}",
        "                  Run `python -m pytest`, not `pytest`.",
    ]


def test_friction_as_json_names_every_session(data: Path) -> None:
    found = json.loads(run(data, "--json", "--project", "shop").stdout)
    assert found[1] == {
        "kind": "command",
        "name": "pytest",
        "text": "bash: line 1: pytest: command not found",
        "times": 5,
        "turn": 1,
        "of_sessions": 5,
        "advice": "Run `python -m pytest`, not `pytest`.",
        "project": "shop",
        "root": ROOT,
        "sessions": list(reversed(IDS)),
    }
    assert [one["kind"] for one in found] == ["error", "command"]


def test_without_friction_it_says_so(data: Path) -> None:
    result = run(data, "--since", "2026-11-20")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Nothing came back often enough.\n")
