"""`memtui doctor --secrets` lists where secrets were replaced, and never the secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION, Script

PASSWORD, TOKEN = "kx82" + "jdkq", "gh" + "p_" + 9 * "a1B2"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two transcripts with secrets, of which one is gone, and one without any."""
    folder = tmp_path_factory.mktemp("secrets")
    first = Script()
    first.user("Deploy it")
    first.says("Which password?")
    first.user(f"password: {PASSWORD}, and the token {TOKEN}")
    first.calls("Bash", {"command": f"PGPASSWORD={PASSWORD} psql; PGPASSWORD={PASSWORD} ls"})
    first.write(folder / "src")
    gone = Script(OTHER_SESSION, cwd="/home/ana/code/blog", prefix="f")
    gone.user(f"The token is {TOKEN}")
    gone.says("Thanks.")
    path = gone.write(folder / "src")
    plain = Script(SESSION.replace("1", "7"), prefix="g")
    plain.user("Paint the fence")
    plain.write(folder / "src")
    update(folder / "data", folder / "src")
    path.unlink()
    update(folder / "data", folder / "src")
    return folder / "data"


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["doctor", "--secrets", *arguments, "--data-dir", str(data)])


def test_each_turn_is_listed_with_the_kinds_and_the_place(data: Path) -> None:
    result = run(data)
    transcript = data.parent / "src" / f"{SESSION}.jsonl"
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        f"{OTHER_SESSION}:1  github-token  the transcript is gone\n"
        f"{SESSION}:2  github-token, 3 password  {transcript}:3\n"
        "\n5 secrets in 2 turns: 2 github-token, 3 password\n"
        "memtui stores none of them, but 1 transcript of your agents still contains them: replace those that are in"
        " use.\n"
    )


def test_as_json(data: Path) -> None:
    result = run(data, "--json")
    assert PASSWORD not in result.stdout
    assert json.loads(result.stdout) == [
        {
            "agent": "claude-code", "session_id": OTHER_SESSION, "project": "blog", "turn": 1,
            "kinds": {"github-token": 1}, "transcript": str(data.parent / "src" / f"{OTHER_SESSION}.jsonl"), "line": 1,
            "is_there": False,
        },
        {
            "agent": "claude-code", "session_id": SESSION, "project": "shop", "turn": 2,
            "kinds": {"github-token": 1, "password": 3}, "transcript": str(data.parent / "src" / f"{SESSION}.jsonl"),
            "line": 3, "is_there": True,
        },
    ]  # fmt: skip


def test_without_a_secret_it_says_so(tmp_path: Path) -> None:
    script = Script()
    script.user("Paint the fence")
    script.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    result = run(tmp_path / "data")
    assert (result.exit_code, result.stdout) == (0, "No secret was found in any transcript.\n")
    assert run(tmp_path / "data", "--json").stdout == "[]\n"
