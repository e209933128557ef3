"""What an agent is told of a file by the small files of the indexer: the same as by the index, or nothing."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.agents.hooks.reminder_text import reminder
from memtui_core.errors import IndexMissing
from memtui_core.index.index import Index
from memtui_core.ingest.writing import touched_files
from memtui_core.ingest.writing.touched_files import write_touched
from memtui_core.memory.recall.file_changes import file_changes
from memtui_core.memory.recall.file_recall import recall_of_file
from memtui_core.memory.recall.file_reminders import SnapshotConnection, turns_of_file
from memtui_core.queries.current_project import project_at
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.touched import TEXT, folders_file, packed, project_file
from support.indexes import update
from support.shop_and_blog import ROOT, edit, shop_and_blog
from support.transcripts import OTHER_SESSION, SESSION, Script

NOW = datetime(2026, 11, 1, tzinfo=UTC)
COMPACTED = "db9cde85-9adb-4762-985f-42e87f989d54"
"""A session of the samples that was compacted."""


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    """The index of two sessions of a shop and one of a blog."""
    update(tmp_path / "data", *shop_and_blog(tmp_path / "src"))
    return DataDir(tmp_path / "data")


def alone(data: DataDir, folder: Path) -> Path:
    """A folder with a copy of the small files and no index."""
    shutil.copytree(data.touched, DataDir(folder).touched)
    return folder


def told(folder: Path, file: str, cwd: str = ROOT, session: str = "", without: Collection[str] = ()) -> str | None:
    """What the agent reads; None if there is no index, and only that knows."""
    try:
        path, turns, changes = recall_of_file(folder, file, cwd, session, 3, without)
    except IndexMissing:
        return None
    return reminder(path, turns, TEXT, NOW, changes=changes)


def compared(folder: Path, data: Path, session: str, without: Collection[str] = ()) -> tuple[int, int, int]:
    """How many files were asked for, of how many something was said, and how many of all only the index knows."""
    asked = said = left = 0
    rows, snapshot = Index.open(data).files.find().rows, SnapshotConnection(data)
    for cwd in ("/home/ana/code/shop-api-worktrees/retry", "/", "", *sorted({row.root for row in rows})):
        project = project_at(snapshot, cwd)
        for row in rows:
            own = (f"{row.root}/{row.path}", f"{row.path}x", row.path.upper(), Path(row.path).name)
            for file in (row.path, *(own if row.root == cwd else ())):
                found = told(folder, file, cwd, session, without)
                path, turns = turns_of_file(snapshot, file, project, session, 3, without)
                changes = file_changes(snapshot, project, turns) if project is not None else {}
                expected = reminder(path, turns, TEXT, NOW, changes=changes)
                assert found in {None, expected}, (cwd, file)
                asked, said, left = asked + 1, said + bool(expected), left + (found is None)
    return asked, said, left


@pytest.mark.parametrize("session", ["", COMPACTED])
def test_the_files_say_what_the_index_says(sample_index: Path, tmp_path: Path, session: str) -> None:
    """Every file of the samples is asked for in every folder, with its path and with the end of it."""
    asked, said, left = compared(alone(DataDir(sample_index), tmp_path / "files"), sample_index, session)
    assert asked > 400
    assert said > 150
    # Ends of paths.
    assert left < asked / 8


def test_what_the_files_leave_out_only_the_index_knows(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(touched_files, "_PATHS", 5)
    monkeypatch.setattr(touched_files, "_TURNS", 3)
    small = DataDir(tmp_path / "small")
    shutil.copytree(sample_index, small.path, ignore=shutil.ignore_patterns("touched"))
    write_touched(small)
    sessions = Index.open(sample_index).sessions.all()
    without = {f"{one.session_id}:{number}" for one in sessions for number in range(1, one.turns, 2)}
    asked, said, left = compared(alone(small, tmp_path / "alone"), sample_index, "", without)
    assert said > 100
    assert asked / 4 < left < asked / 2


def test_the_end_of_a_known_path_is_asked_of_the_index(data: DataDir, tmp_path: Path) -> None:
    folder = alone(data, tmp_path / "alone")
    assert told(folder, f"{ROOT}/theme.py") is None
    assert told(folder, f"{ROOT}/heme.py") == ""
    assert told(folder, f"{ROOT}/lib/theme.py") == ""
    assert told(folder, "/etc/hosts") == ""
    assert told(folder, f"{ROOT}/src/theme.py", "/home/ana/other") == ""


def test_what_became_of_a_file_is_looked_up_on_the_disk(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    scripts = Script(cwd=str(root)), Script(OTHER_SESSION, str(root), "f")
    scripts[1].count = 500
    for number, script in enumerate(scripts):
        script.user(f"Paint {number}")
        for place, name in enumerate(("both.py", "gone.py") if number else ("both.py", "once.py")):
            fields = {"file_path": f"{root}/src/{name}", "old_string": "a", "new_string": "b"}
            script.calls("Edit", fields, f"t{number}{place}")
    for name in ("both.py", "once.py"):
        (root / "src" / name).write_text("b")
    update(tmp_path / "data", *(script.write(tmp_path / str(place)) for place, script in enumerate(scripts)))
    folder = alone(DataDir(tmp_path / "data"), tmp_path / "alone")
    changes = [
        list(recall_of_file(folder, f"{root}/src/{name}", str(root), "", 3, ()).changes.items())
        for name in ("both.py", "once.py", "gone.py")
    ]
    assert changes == [
        [(f"{OTHER_SESSION}:1", "file written since"), (f"{SESSION}:1", "file changed since")],
        [(f"{SESSION}:1", "file written since")],
        [(f"{OTHER_SESSION}:1", "no such file now")],
    ]


@pytest.mark.parametrize("broken", [b"", b"[]", b"{}", b'{"root": "/home/ana/code/blog"}', b'{"root": 1}', b"\xff"])
def test_the_index_answers_where_a_file_cannot_be_read(data: DataDir, broken: bytes) -> None:
    whole = told(data.path, f"{ROOT}/src/theme.py")
    assert whole
    for content in (broken, packed(broken)):
        project_file(data, ROOT).write_bytes(content)
        assert told(data.path, f"{ROOT}/src/theme.py") == whole
    folders_file(data).write_bytes(broken[:1] or b"[1]")
    assert told(data.path, f"{ROOT}/src/theme.py") == whole
    shutil.rmtree(data.touched)
    assert told(data.path, f"{ROOT}/src/theme.py") == whole


def test_a_session_that_was_compacted_is_told_what_it_lost(tmp_path: Path) -> None:
    script = Script()
    script.user("before")
    edit(script, "src/a.py", 1)
    script.compacts()
    script.user("after")
    edit(script, "src/a.py", 2)
    update(tmp_path / "data", script.write(tmp_path / "src"))
    folder = alone(DataDir(tmp_path / "data"), tmp_path / "alone")
    for session, turns in ((SESSION, [1]), (OTHER_SESSION, [3, 1])):
        found = recall_of_file(folder, f"{ROOT}/src/a.py", ROOT, session, 3, ())
        assert [turn.turn for turn in found.turns] == turns
