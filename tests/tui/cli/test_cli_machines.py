"""The commands name the machine of a session of another machine, and how it is resumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from memtui.cli import cli
from support.two_machines import three_machines

THEIRS, OURS, ALONE = (f"{number * 8}-{number * 4}-4{number * 3}-8{number * 3}-{number * 12}" for number in "315")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return three_machines(tmp_path_factory.mktemp("machines"))


def run(data: Path, *arguments: str) -> list[str]:
    result = CliRunner().invoke(cli, [*arguments, "--data-dir", str(data)])
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def test_show(data: Path) -> None:
    """Only of a session that is elsewhere the command that resumes it is printed."""
    place, _, _, session, resume = run(data, "show", THEIRS)[1:6]
    assert place.rpartition(" · ")[0] == "shop · Claude Code · branch main · laptop"
    assert session == THEIRS
    command = f"ssh -t -p 2222 me@host 'cd /home/me/shop && claude --resume {THEIRS}'"
    assert resume == f"resume on laptop: {command}"
    assert run(data, "show", ALONE)[5] == f"resume on desk: ssh -t desk 'cd /srv/infra && claude --resume {ALONE}'"
    assert [line for line in run(data, "show", OURS) if "resume" in line or "laptop" in line] == []


def test_search_files_and_timeline(data: Path) -> None:
    hits = {line.split(":")[0]: line.split(" · ")[1:-1] for line in run(data, "search", "prices") if " · 2026-" in line}
    facts = [" · ".join(hits[session]) for session in (THEIRS, OURS, ALONE)]
    assert facts == ["shop · laptop", "shop", "infra · desk"]
    touches = [line.split() for line in run(data, "files", "--sessions", "prices.py")]
    machines = {line[4].split(":")[0]: line[5] for line in touches}
    assert [machines[session] for session in (THEIRS, OURS, ALONE)] == ["laptop", "here", "desk"]
    timeline = {line.rpartition(" ")[2]: line for line in run(data, "timeline", "--everywhere") if "●" in line}
    named = [
        ("@laptop" in timeline[session[:8]], "@desk" in timeline[session[:8]]) for session in (THEIRS, OURS, ALONE)
    ]
    assert named == [(True, False), (False, False), (False, True)]


@pytest.mark.parametrize(
    "command", [("search", "prices"), ("files", "--sessions", "prices.py"), ("timeline", "--everywhere")]
)
def test_json(data: Path, command: tuple[str, ...]) -> None:
    found = json.loads("\n".join(run(data, *command, "--json")))
    machines = {one["session_id"]: one["machine"] for one in found}
    assert [machines[session] for session in (THEIRS, OURS, ALONE)] == ["laptop", "", "desk"]


def test_a_handoff_goes_on_in_a_folder_of_this_machine(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of the same repository, or else the current one; the paths in it are those below the repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    folders = []
    for session in (THEIRS, ALONE, OURS):
        lines = run(data, "handoff", session, "--as-session", "claude", "--dry-run")
        folders.append(Path(lines[0]).parent.name)
    assert folders == ["-home-ana-code-shop", str(tmp_path).replace("/", "-").replace("_", "-"), "-home-ana-code-shop"]
    assert "src/prices.py" in "\n".join(run(data, "handoff", ALONE))
