from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.reading.documents.export import export
from support.indexes import update
from support.transcripts import SESSION, Script

NAME = "retry-the-upload-11111111"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of one session; read only."""
    folder = tmp_path_factory.mktemp("built")
    script = Script()
    for text in ("Retry the upload", "Does it log?", "Ship it"):
        script.user(text)
        script.thinks("Hm, a loop.")
        script.calls("Bash", {"command": "make"})
        script.result("built")
        script.says("Done.")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(export, [*arguments, "--data-dir", str(folder.parent / "data")])


@pytest.mark.parametrize(
    ("arguments", "name", "begins"),
    [
        ([SESSION], f"{NAME}.md", "# Retry the upload\n"),
        (["1111:2"], f"{NAME}-turn-2.md", "# Retry the upload\n"),
        (["1111:2-3", "--format", "html"], f"{NAME}-turns-2-3.html", "<!doctype html>\n"),
        (["1111", "--format", "json"], f"{NAME}.json", '{\n  "session": {\n'),
        (["1111", "--output", "a.html"], "a.html", "<!doctype html>\n"),
        (["1111", "--output", "a.json", "--format", "markdown"], "a.json", "# Retry the upload\n"),
        (["1111", "--output", "a"], "a", "# Retry the upload\n"),
        (["1111", "--output", ".."], f"../{NAME}.md", "# Retry the upload\n"),
    ],
)
def test_the_path_of_the_new_file_is_printed(folder: Path, arguments: list[str], name: str, begins: str) -> None:
    result = run(folder, *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{name}\n", "")
    assert (folder / name).read_text("utf-8").startswith(begins)


def test_the_turns_that_were_asked_for(folder: Path) -> None:
    document = json.loads(run(folder, "1111:2-9", "--format", "json", "--output", "-").stdout)
    assert [turn["user"] for turn in document["turns"]] == ["Does it log?", "Ship it"]
    assert list(folder.iterdir()) == []


def test_no_file_is_overwritten(folder: Path) -> None:
    assert [run(folder, "1111").stdout for _ in range(3)] == [f"{NAME}.md\n", f"{NAME}-2.md\n", f"{NAME}-3.md\n"]


def test_without_tools_and_thinking(folder: Path) -> None:
    for option, left_out in (("--no-tools", "built"), ("--no-thinking", "Hm, a loop.")):
        text = run(folder, "1111", "--output", "-", option).stdout
        assert left_out not in text
        assert {"built", "Hm, a loop."} - {left_out} <= set(text.splitlines())


def test_failures(folder: Path) -> None:
    unknown = run(folder, "zebra")
    assert (unknown.exit_code, unknown.stderr) == (1, "memtui: There is no session whose id begins with 'zebra'.\n")
    nowhere = run(folder, "1111", "--output", "no/a.md")
    assert (nowhere.exit_code, nowhere.stderr) == (1, "memtui: no/a.md cannot be written: No such file or directory.\n")
    for arguments in (["1111:9"], ["1111:x"], ["1111", "--format", "pdf"], []):
        wrong = run(folder, *arguments)
        assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert list(folder.iterdir()) == []
