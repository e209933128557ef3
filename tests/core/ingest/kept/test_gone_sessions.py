"""What is gone from its source is in the archive, once, and comes from there into an empty index."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conftest import SAMPLES
from memtui_core.ingest.kept.gone_sessions import ArchiveFigures, archive_figures, archived_rows
from memtui_core.store.archive.records import RecordFile
from memtui_core.store.data_folder import DataDir
from support.indexes import update
from support.table_values import index_values
from support.transcripts import OTHER_SESSION, SESSION, Script


def script(session: str, prefix: str, *prompts: str) -> Script:
    made = Script(session, prefix=prefix)
    for prompt in prompts:
        made.user(prompt)
        made.says(f"answer to {prompt}")
    return made


@pytest.fixture
def two(tmp_path: Path) -> tuple[DataDir, Path, Path]:
    """An index of two sessions, and their transcripts."""
    paths = [script(name, name[0], "apples", "pears").write(tmp_path / "src") for name in (SESSION, OTHER_SESSION)]
    update(tmp_path / "data", tmp_path / "src")
    return DataDir(tmp_path / "data"), paths[0], paths[1]


def archived(data: DataDir) -> list[tuple[list[list[str]], list[str]]]:
    """The sessions and the sources of each record."""
    records = RecordFile(data.session_archive).records()
    return [(record.head["sessions"], list(record.head["sources"])) for record in records]


@pytest.mark.spec("S6.1")
def test_a_session_is_archived_once_when_its_transcript_is_gone(two: tuple[DataDir, Path, Path]) -> None:
    data, path, _ = two
    assert (archived(data), archive_figures(data)) == ([], ArchiveFigures(0, 0, 0))
    path.unlink()
    assert update(data.path, path.parent).records_archived == 1
    assert archived(data) == [([["claude-code", SESSION]], [str(path)])]
    assert archive_figures(data) == ArchiveFigures(1, 1, data.session_archive.stat().st_size)
    assert [update(data.path, path.parent).records_archived for _ in range(2)] == [0, 0]
    (rows,) = archived_rows(data)
    assert (rows.sessions, rows.turns, rows.paths) == ([("claude-code", SESSION)], 2, [str(path)])


def test_what_was_gone_before_is_archived_by_the_first_run(two: tuple[DataDir, Path, Path]) -> None:
    """As after an update from a version without an archive, or when somebody has removed it."""
    data, path, _ = two
    path.unlink()
    update(data.path, path.parent)
    before = archived(data)
    shutil.rmtree(data.archive)
    assert update(data.path, path.parent).records_archived == 1
    assert archived(data) == before


def test_a_run_that_died_before_it_could_note_the_archive_archives_nothing_twice(
    two: tuple[DataDir, Path, Path],
) -> None:
    """The note is in the work database, which is lost here: the archive itself says what is in it."""
    data, path, _ = two
    path.unlink()
    update(data.path, path.parent)
    before = archived(data)
    data.work.unlink()
    assert update(data.path, path.parent).records_archived == 0
    assert archived(data) == before


def test_changed_rows_are_archived_again(two: tuple[DataDir, Path, Path]) -> None:
    """Another transcript of the session, with an earlier turn, changes the numbers of the turns that are gone."""
    data, path, _ = two
    path.unlink()
    update(data.path, path.parent)
    earlier = script(SESSION, "early", "figs")
    earlier.lines = [line.replace(b"T09:00", b"T08:00") for line in earlier.lines]
    earlier.write(path.parent, "earlier.jsonl")
    update(data.path, path.parent)
    assert update(data.path, path.parent).records_archived + len(archived(data)) - 1 == 1
    assert archived(data)[-1] == ([["claude-code", SESSION]], [str(path)])
    (rows,) = archived_rows(data)
    assert [turn["number"] for turn in rows.named("turns")] == [2, 3]
    assert update(data.path, path.parent).records_archived == 0


def test_a_transcript_that_comes_back_is_read_as_any_other(two: tuple[DataDir, Path, Path]) -> None:
    data, path, _ = two
    whole = index_values(data.path)
    content = path.read_bytes()
    path.unlink()
    update(data.path, path.parent)
    path.write_bytes(content)
    update(data.path, path.parent)
    after = index_values(data.path)
    # It has another time, and nothing else has changed.
    assert {**after, "sources": []} == {**whole, "sources": []}


@pytest.mark.spec("S6.1")
@pytest.mark.parametrize("lost", ["work and snapshots", "everything but the archive"])
def test_what_is_gone_comes_back_into_an_index_that_was_deleted(tmp_path: Path, lost: str) -> None:
    """Half of the sample sessions are gone, among them subagents, forks and files with several sessions."""
    sources = shutil.copytree(SAMPLES, tmp_path / "src")
    update(tmp_path / "data", sources)
    for path in sorted(sources.rglob("*.jsonl"))[::2]:
        path.unlink()
    update(tmp_path / "data", sources)
    data, before = DataDir(tmp_path / "data"), index_values(tmp_path / "data")
    if lost == "work and snapshots":
        data.work.unlink()
        shutil.rmtree(data.snapshots)
    else:
        for path in data.path.iterdir():
            if path == data.archive:
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    update(tmp_path / "data", sources)
    assert index_values(tmp_path / "data") == before
    assert update(tmp_path / "data", sources).records_archived == 0
