"""An export format is added by one module and one line in the list of formats."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from textual.widgets import OptionList

from memtui_core.export.formats import FORMATS
from support.indexes import update
from support.outline_format import OUTLINE
from support.screens import app_on, settled
from support.transcripts import SESSION, Script

NAME = "retry-the-upload-11111111.txt"
WHOLE = f"{SESSION}\n1 Retry the upload (user, thinking, tool_call, tool_result, text)"


@pytest.fixture
def export(monkeypatch: pytest.MonkeyPatch) -> Iterator[click.Command]:
    """The command, imported with one format more."""
    monkeypatch.delitem(sys.modules, "memtui.cli.reading.documents.export", raising=False)
    FORMATS.append(OUTLINE)
    command: click.Command = import_module("memtui.cli.reading.documents.export").export
    yield command
    FORMATS.remove(OUTLINE)


async def test_a_new_format_is_offered_and_written_by_the_command_and_the_app(
    export: click.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    script.user("Retry the upload")
    script.thinks("Hm, a loop.")
    script.calls("Bash", {"command": "make"})
    script.result("built")
    script.says("Done.")
    update(tmp_path / "data", script.write(tmp_path / "source"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(export, [SESSION, *arguments, "--data-dir", str(tmp_path / "data")])
        assert result.exit_code == 0, result.output
        return result.stdout

    assert f"--format [{'|'.join(each.name for each in FORMATS)}]" in CliRunner().invoke(export, ["--help"]).stdout
    assert run("--format", "outline", "--output", "-").rstrip("\n") == WHOLE
    short = run("--format", "outline", "--output", "-", "--no-tools", "--no-thinking").rstrip("\n")
    assert short == f"{SESSION}\n1 Retry the upload (user, text)"
    assert run("--output", "written.TXT") == "written.TXT\n"
    assert Path("written.TXT").read_text("utf-8") == WHOLE
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("enter", "e")
        await settled(pilot)
        offered = [str(option.prompt).strip() for option in pilot.app.screen.query_one(OptionList).options]
        assert offered == [f"{number} {each.title}" for number, each in enumerate(FORMATS, 1)]
        await pilot.press(str(len(FORMATS)))
        await settled(pilot)
    assert Path(NAME).read_text("utf-8") == WHOLE
