"""`memtui machine` and what other commands say of machines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui_core.index.index import Index
from support.transcripts import SESSION, Script


@pytest.fixture
def laptop(tmp_path: Path) -> Path:
    """The home folder of another machine, with a session of Claude Code."""
    home = tmp_path / "laptop-home"
    script = Script()
    script.user("Retry the upload")
    script.says("It retries now.")
    script.write(home / ".claude" / "projects" / "-home-ana-code-shop")
    (home / ".claude" / ".credentials.json").write_text("hunter2")
    return home


def run(tmp_path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--data-dir", str(tmp_path / "data")])


def told(result: Result) -> tuple[int, str, str]:
    return result.exit_code, result.stdout, result.stderr


def sessions(tmp_path: Path) -> list[str]:
    return [str(one.session_id) for one in Index.open(tmp_path / "data").sessions.all()]


def test_a_machine_from_its_declaration_to_its_end(tmp_path: Path, laptop: Path) -> None:
    size = (laptop / f".claude/projects/-home-ana-code-shop/{SESSION}.jsonl").stat().st_size
    assert told(run(tmp_path, "machine", "list")) == (
        0,
        "",
        "No machine is declared: memtui machine add NAME ADDRESS\n",
    )
    assert told(run(tmp_path, "machine", "add", "laptop", str(laptop))) == (
        0,
        f"laptop was added: claude 1 file, {size} B.\n",
        "Run: memtui machine pull laptop\n",
    )
    index = "Run: memtui index, unless the app or memtui index --watch is running.\n"
    assert told(run(tmp_path, "machine", "pull", "laptop")) == (
        0,
        f"laptop: 1 file, {size} B new, 1 file there.\n",
        index,
    )
    assert told(run(tmp_path, "machine", "pull")) == (0, "laptop: nothing new, 1 file there.\n", index)
    assert run(tmp_path, "index", "--no-embed").exit_code == 0
    assert sessions(tmp_path) == [SESSION]
    shown = run(tmp_path, "machine", "list").stdout
    head, line = shown.splitlines()
    assert head.split("  ")[0] == "name"
    assert re.fullmatch(rf"laptop +{laptop} +{size} B +\d{{4}}-\d\d-\d\d \d\d:\d\d", line)
    [row] = json.loads(run(tmp_path, "machine", "list", "--json").stdout)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", row["last_seen"])
    assert {**row, "last_seen": "", "last_tried": ""} == {
        "name": "laptop",
        "address": str(laptop),
        "bytes": size,
        "last_seen": "",
        "last_tried": "",
        "error": "",
    }
    assert re.search(rf"\nmachines\n +laptop  {laptop}, last seen \d{{4}}-", run(tmp_path, "doctor").stdout)
    assert json.loads(run(tmp_path, "doctor", "--json").stdout)[-1]["machines"] == [row]
    refused = run(tmp_path, "machine", "remove", "laptop")
    assert (refused.exit_code, refused.stderr.startswith("Cannot ask")) == (2, True)
    assert told(run(tmp_path, "machine", "remove", "laptop", "--yes")) == (
        0,
        "",
        "laptop was removed; its sessions stay in the index, as those of deleted transcripts.\n",
    )
    assert not (tmp_path / "data/machines/laptop").exists()
    assert run(tmp_path, "index", "--no-embed").exit_code == 0
    assert sessions(tmp_path) == [SESSION]


def test_what_was_copied_can_be_kept(tmp_path: Path, laptop: Path) -> None:
    run(tmp_path, "machine", "add", "laptop", str(laptop), "--pull")
    copied = tmp_path / f"data/machines/laptop/home/.claude/projects/-home-ana-code-shop/{SESSION}.jsonl"
    assert copied.exists()
    assert told(run(tmp_path, "machine", "remove", "laptop", "--yes", "--keep")) == (
        0,
        "",
        "laptop was removed; what was copied is kept.\n",
    )
    assert copied.exists()


def test_a_machine_that_is_not_to_be_reached_is_added_and_named(tmp_path: Path) -> None:
    there = tmp_path / "not" / "there"
    assert told(run(tmp_path, "machine", "add", "laptop", str(there))) == (
        0,
        "",
        f"laptop was added, but nothing can be pulled now: {there}: No such file or directory\n",
    )
    assert told(run(tmp_path, "machine", "pull")) == (
        1,
        "",
        f"laptop: {there}: No such file or directory\n"
        "Run: memtui index, unless the app or memtui index --watch is running.\n",
    )
    [row] = json.loads(run(tmp_path, "machine", "list", "--json").stdout)
    assert (row["last_seen"], row["error"]) == (None, f"{there}: No such file or directory")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("machine", "add", ".x", "ssh://host"), "memtui: '.x' is no name: "),
        (("machine", "add", "Here", "ssh://host"), "memtui: 'Here' is what this machine is called."),
        (("machine", "add", "x", "ssh://-oProxyCommand=x"), "memtui: 'ssh://-oProxyCommand=x' is no address. "),
        (("machine", "add", "x", "ssh://me:pw@host"), "memtui: An address has no password: ssh uses your keys."),
        (("machine", "pull", "x"), "memtui: There is no machine 'x'. None is declared."),
        (("machine", "remove", "x"), "memtui: There is no machine 'x'. None is declared."),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    result = run(tmp_path, *arguments)
    assert (result.exit_code, result.stdout, result.stderr[: len(said)]) == (1, "", said)
    assert not (tmp_path / "data/machines/machines.json").exists()


def test_a_host_that_does_not_answer_can_be_tried_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTUI_SSH", "no-such-program")
    result = run(tmp_path, "machine", "add", "laptop", "ssh://me@host:2222")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[1:] == ["Try: ssh -p 2222 me@host"]


def test_a_folder_without_any_agent_says_what_it_must_be(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = run(tmp_path, "machine", "add", "laptop", str(tmp_path / "empty"))
    assert told(result) == (
        0,
        "",
        f"laptop was added, but nothing can be pulled now: {tmp_path}/empty has no transcripts of any agent where a"
        " home folder has them\n",
    )


def test_an_index_can_begin_with_a_pull(tmp_path: Path, laptop: Path) -> None:
    run(tmp_path, "machine", "add", "laptop", str(laptop))
    run(tmp_path, "machine", "add", "gone", str(tmp_path / "not" / "there"))
    assert run(tmp_path, "index", "--no-embed").exit_code == 0
    assert sessions(tmp_path) == []
    pulled = run(tmp_path, "index", "--no-embed", "--pull")
    assert pulled.exit_code == 0
    assert pulled.stderr.startswith(f"gone: {tmp_path}/not/there: No such file or directory\n")
    assert sessions(tmp_path) == [SESSION]
    assert run(tmp_path, "index", "--pull", "--source", str(laptop)).exit_code == 2
