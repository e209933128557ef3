"""`memtui rewind`: what it prints and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from support.indexes import update
from support.transcripts import SESSION, Script


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a file that one turn wrote and the next one changed; the index is in `data` beside it."""
    root = tmp_path / "shop"
    root.mkdir()
    script = Script(cwd=str(root))
    script.user("Write the prices")
    script.calls("Write", {"file_path": "prices.py", "content": "one\n"}, "t1")
    script.result("File created successfully", "t1")
    script.says("Written.")
    script.user("Change the prices")
    script.calls("Edit", {"file_path": "prices.py", "old_string": "one", "new_string": "two"}, "t2")
    script.result("The file has been updated", "t2")
    script.says("Changed.")
    (root / "prices.py").write_text("two\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    script.write(tmp_path / "claude" / "projects" / "shop")
    update(tmp_path / "data", tmp_path / "claude" / "projects")
    return root


def run(shop: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["rewind", *arguments, "--data-dir", str(shop.parent / "data")])


def transcripts(shop: Path) -> set[str]:
    return {path.name for path in (shop.parent / "claude").rglob("*.jsonl")}


def test_a_session_is_written_and_the_command_printed(shop: Path) -> None:
    result = run(shop, f"{SESSION}:1", "--yes")
    [new] = transcripts(shop) - {f"{SESSION}.jsonl"}
    path = shop.parent / "claude" / "projects" / "shop" / new
    assert (result.exit_code, result.stdout.splitlines()) == (
        0,
        [
            "Write the prices · up to turn 1 of 2 · Claude Code · about 23 tokens",
            "",
            "changed  prices.py  +1 −1  edited in turn 2",
            "",
            str(path),
            f"cd {shop} && claude --resume {path.stem}",
        ],
    )
    assert result.stderr == f"Written. {SESSION} is as it was.\n"


def test_a_dry_run_writes_nothing_and_shows_diffs(shop: Path) -> None:
    result = run(shop, f"{SESSION}:2", "--before", "--dry-run", "--diff")
    assert transcripts(shop) == {f"{SESSION}.jsonl"}
    assert result.stderr == "Nothing was written.\n"
    lines = result.stdout.splitlines()
    assert lines[0] == "Write the prices · before turn 2 of 2 · Claude Code · about 23 tokens"
    assert lines[4:9] == ["--- a/prices.py", "+++ b/prices.py", "@@ -1 +1 @@", "-one", "+two"]


def test_without_an_answer_nothing_is_written(shop: Path) -> None:
    result = run(shop, f"{SESSION}:1")
    assert (result.exit_code, transcripts(shop)) == (2, {f"{SESSION}.jsonl"})
    assert result.stderr.startswith("Cannot ask: standard input is not a terminal.")


def test_json_has_everything(shop: Path) -> None:
    made = json.loads(run(shop, f"{SESSION}:1", "--yes", "--json").stdout)
    new, path = made.pop("session_id"), Path(made.pop("path"))
    assert path.stem == new
    assert path.exists()
    diff = "--- a/prices.py\n+++ b/prices.py\n@@ -1 +1 @@\n-one\n+two"
    assert made == {
        "agent": "claude-code",
        "origin": SESSION,
        "turn": 1,
        "before": False,
        "folder": str(shop),
        "command": f"cd {shop} && claude --resume {new}",
        "tokens": 23,
        "archived": False,
        "written": True,
        "files": [
            {
                "path": "prices.py",
                "state": "changed",
                "added": 1,
                "removed": 1,
                "reason": "",
                "later_turns": [2],
                "diff": diff,
            }
        ],
    }


def test_what_is_not_one_turn_is_refused(shop: Path) -> None:
    said = {argument: run(shop, argument) for argument in (SESSION, f"{SESSION}:1-2", f"{SESSION}:3")}
    assert {argument: result.exit_code for argument, result in said.items()} == dict.fromkeys(said, 2)
    assert [result.stderr.rpartition("SESSION: ")[2].strip() for result in said.values()] == [
        "name one turn: SESSION:3.",
        "name one turn: SESSION:3.",
        f"{SESSION} has 2 turns.",
    ]
    before = run(shop, f"{SESSION}:1", "--before")
    assert (before.exit_code, before.stderr) == (1, "memtui: The session has nothing before this turn.\n")


def test_a_session_without_turns_of_its_own_says_what_it_repeats(shop: Path) -> None:
    new = json.loads(run(shop, f"{SESSION}:1", "--yes", "--json").stdout)["session_id"]
    projects, data = shop.parent / "claude" / "projects", shop.parent / "data"
    update(data, projects)
    said = f"{new} repeats {SESSION} up to turn 1 and has no turns of its own yet. memtui show {SESSION}:1 shows what"
    asked = [["show", new[:8]], ["show", f"{new}:1"], ["handoff", new], ["rewind", f"{new}:1", "--dry-run"]]
    asked += [["compactions", new], ["export", new], ["open", new]]
    for arguments in asked:
        result = CliRunner().invoke(cli, [*arguments, "--data-dir", str(data)])
        assert (result.exit_code, result.stderr, result.stdout) == (1, f"memtui: {said} it repeats.\n", "")
    script = Script(new, prefix="n", cwd=str(shop))
    script.count = 60
    script.user("Go on")
    path = projects / "shop" / f"{new}.jsonl"
    path.write_bytes(path.read_bytes() + b"".join(line + b"\n" for line in script.lines))
    update(data, projects)
    shown = CliRunner().invoke(cli, ["show", new, "--data-dir", str(data)])
    assert (shown.exit_code, "Go on" in shown.stdout) == (0, True)


def test_a_folder_that_does_not_exist_is_named(shop: Path) -> None:
    assert "does not exist" not in run(shop, f"{SESSION}:1", "--dry-run").stderr
    (shop / "prices.py").unlink()
    shop.rmdir()
    first, last = run(shop, f"{SESSION}:1", "--dry-run").stderr.splitlines()
    assert first == f"{shop} does not exist: make it first, because the agent looks for sessions by folder."
    assert last == "Nothing was written."
