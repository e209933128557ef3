"""`memtui forget` removes what the settings exclude, and asks first."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui_core.index.index import Index
from support.indexes import update
from support.transcripts import OTHER_SESSION, Script

SHOWN = "pay: 1 session of claude-code\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Transcripts of two projects in `src`, and their index in `data`; read only."""
    folder = tmp_path_factory.mktemp("built")
    for script in (Script(cwd="/home/ana/private/pay"), Script(OTHER_SESSION, prefix="f")):
        script.user("Round the amounts")
        script.write(folder / "src" / script.cwd.rpartition("/")[2])
    update(folder / "data", folder / "src")
    return folder


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the index; the settings exclude one of its projects since."""
    data = Path(shutil.copytree(built / "data", tmp_path / "data"))
    config = Path(os.environ["MEMTUI_CONFIG"])
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('exclude = ["/home/ana/private/**"]\n')
    return data


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--data-dir", str(data)])


def projects(data: Path) -> list[str]:
    return sorted(project.name for project in Index.open(data).sessions.projects())


def test_what_would_go_is_shown(data: Path) -> None:
    result = run(data, "forget", "--dry-run")
    assert (result.exit_code, result.stdout, result.stderr) == (0, SHOWN, "")
    assert projects(data) == ["pay", "shop"]


def test_nothing_goes_without_an_answer(data: Path) -> None:
    result = run(data, "forget")
    assert (result.exit_code, result.stdout) == (2, SHOWN)
    assert result.stderr.startswith("Cannot ask: standard input is not a terminal.")
    assert projects(data) == ["pay", "shop"]


def test_the_excluded_sessions_go_and_stay_away(built: Path, data: Path) -> None:
    result = run(data, "forget", "--yes")
    assert (result.exit_code, result.stdout) == (0, SHOWN)
    assert result.stderr == "1 session removed, subagents included.\n"
    assert projects(data) == ["shop"]
    run(data, "index", "--source", str(built / "src"), "--no-embed")
    assert projects(data) == ["shop"]
    again = run(data, "forget")
    assert (again.exit_code, again.stdout, again.stderr) == (0, "", "The index contains nothing that is excluded.\n")


def test_without_the_setting_there_is_nothing_to_do(data: Path) -> None:
    config = Path(os.environ["MEMTUI_CONFIG"])
    config.unlink()
    result = run(data, "forget", "--yes")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"Nothing is excluded: {config} has no setting exclude.\n"


@pytest.mark.parametrize("line", ['exclude = "~/private"', "exclude = [1]", 'exclude = [""]', "sources = {}"])
def test_a_setting_of_another_type_is_refused_before_anything_is_read(line: str, built: Path, data: Path) -> None:
    Path(os.environ["MEMTUI_CONFIG"]).write_text(line)
    result = run(data, "index", "--source", str(built / "src"))
    assert result.exit_code == 1
    assert f'{line.split()[0]} must be a list of texts, such as ["~/private"], and is ' in result.stderr


@pytest.mark.parametrize("name", ["exclude", "sources"])
def test_a_home_folder_that_is_not_known_is_refused(name: str, data: Path) -> None:
    config = Path(os.environ["MEMTUI_CONFIG"])
    config.write_text(f'{name} = ["~nobody-here/private"]')
    result = run(data, "index")
    assert (result.exit_code, result.stderr) == (
        1,
        f"memtui: {config}: {name}: the home folder in '~nobody-here/private' is not known.\n",
    )


def test_folders_in_the_settings_are_read_besides_the_agents_own(built: Path, data: Path, tmp_path: Path) -> None:
    Path(os.environ["MEMTUI_CONFIG"]).write_text(f'sources = ["{built}/src/pay"]')
    fresh = tmp_path / "fresh"
    assert run(fresh, "index", "--no-embed").exit_code == 0
    assert projects(fresh) == ["pay"]
