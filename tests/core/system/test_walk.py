"""Which files a location has, and what in it is none."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.watch import FileWatcher
from memtui_core.readers.locations import Location
from memtui_core.system.walk import FileWalk, Obstacle, RegularFile
from support.indexes import build, update
from support.systems import drops_root, unix_only
from support.transcripts import SESSION, Script

OTHER = "22222222-2222-4222-8222-222222222222"


def session(folder: Path, session_id: str = SESSION, prompt: str = "Hello") -> Path:
    script = Script(session_id, prefix=session_id[:4])
    script.user(prompt)
    return script.write(folder)


def look(top: Path) -> tuple[list[str], dict[str, str]]:
    """The files, and what is no file with the reason; paths from the top."""
    found = list(FileWalk().below(top))
    files = [str(one.path.relative_to(top)) for one in found if isinstance(one, RegularFile)]
    return files, {str(one.path.relative_to(top)): one.reason for one in found if isinstance(one, Obstacle)}


def states(index: Index, top: Path) -> dict[str, tuple[str, str | None]]:
    return {os.path.relpath(one.path, top): (one.state, one.error) for one in index.statistics.sources()}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "projects" / "shop").mkdir(parents=True)
    (tmp_path / "projects" / "shop" / "a.jsonl").write_text("1")
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    (tmp_path / "elsewhere" / "deep" / "b.jsonl").write_text("22")
    return tmp_path / "projects"


def test_a_linked_folder_is_followed(top: Path) -> None:
    (top / "linked").symlink_to(top.parent / "elsewhere")
    assert look(top) == (["shop/a.jsonl", "linked/deep/b.jsonl"], {})


def test_a_folder_with_several_paths_is_read_once_by_its_own(top: Path) -> None:
    (top / "again").symlink_to(top / "shop")
    (top / "one").symlink_to(top.parent / "elsewhere")
    (top / "two").symlink_to(top.parent / "elsewhere" / "deep")
    assert look(top) == (["shop/a.jsonl", "one/deep/b.jsonl"], {})


def test_locations_share_what_was_visited(top: Path) -> None:
    walk = FileWalk()
    assert [one.path.name for one in walk.below(top)] == ["a.jsonl"]
    assert list(walk.below(top)) == []


def test_loops_end_and_are_named(top: Path) -> None:
    reason = "a link to a folder that holds it, not followed"
    (top / "shop" / "up").symlink_to("..")
    (top / "shop" / "here").symlink_to(".")
    (top / "home").symlink_to(top.parent)
    (top / "itself").symlink_to("itself")
    (top / "outside").symlink_to(top.parent / "elsewhere")
    (top.parent / "elsewhere" / "back").symlink_to(top)
    (top.parent / "elsewhere" / "above").symlink_to(top.parent.parent)
    files, obstacles = look(top)
    assert files == ["shop/a.jsonl", "outside/deep/b.jsonl"]
    assert obstacles == {
        "shop/up": reason,
        "shop/here": reason,
        "home": reason,
        "itself": "Too many levels of symbolic links",
        "outside/back": reason,
        "outside/above": reason,
    }


@unix_only
def test_what_is_no_file_is_named_and_not_opened(top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(top / "fifo.jsonl")
    (top / "dead.jsonl").symlink_to("nowhere.jsonl")
    (top / "dead").symlink_to("/nowhere")
    (top / "null.jsonl").symlink_to("/dev/null")
    monkeypatch.chdir(top)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("talk.jsonl")
        files, obstacles = look(top)
    assert files == ["shop/a.jsonl"]
    assert obstacles == {
        "fifo.jsonl": "a FIFO, not a file",
        "dead.jsonl": "a link to nowhere.jsonl, which is not there",
        "dead": "a link to /nowhere, which is not there",
        "null.jsonl": "a device, not a file",
        "talk.jsonl": "a socket, not a file",
    }
    assert list(FileWalk().below(top / "fifo.jsonl")) == [Obstacle(top / "fifo.jsonl", "a FIFO, not a file")]
    assert list(FileWalk().below(top / "none")) == []


@unix_only
def test_the_doctor_names_them_and_the_rest_is_read(tmp_path: Path) -> None:
    top, data = tmp_path / "projects", tmp_path / "data"
    session(top)
    session(tmp_path / "elsewhere", OTHER)
    (top / "linked").symlink_to(tmp_path / "elsewhere")
    (top / "loop").symlink_to(top)
    os.mkfifo(top / "fifo.jsonl")
    expected = {
        f"{SESSION}.jsonl": ("ok", None),
        f"linked/{OTHER}.jsonl": ("ok", None),
        "loop": ("error", "a link to a folder that holds it, not followed"),
        "fifo.jsonl": ("error", "a FIFO, not a file"),
    }
    index = build(data, top)
    assert states(index, top) == expected
    assert index.statistics.of_index().bad_sources == 2
    # Nothing is written where nothing changed.
    assert update(data, top).snapshots == 0
    (top / "loop").unlink()
    (top / "fifo.jsonl").unlink()
    (top / "fifo.jsonl").symlink_to("dead")
    del expected["loop"]
    assert states(build(data, top), top) == expected | {"fifo.jsonl": ("error", "a link to dead, which is not there")}
    (top / "fifo.jsonl").unlink()
    third = session(tmp_path, "33333333-3333-4333-8333-333333333333")
    third.rename(top / "fifo.jsonl")
    assert states(build(data, top), top) == expected | {"fifo.jsonl": ("ok", None)}


@unix_only
def test_a_transcript_that_becomes_unreadable_keeps_its_session(tmp_path: Path) -> None:
    top, data = tmp_path / "projects", tmp_path / "data"
    path = session(top)
    update(data, top)
    path.rename(tmp_path / "moved")
    os.mkfifo(path)
    index = build(data, top)
    assert states(index, top) == {path.name: ("error", "a FIFO, not a file")}
    assert [one.turns for one in index.sessions.all()] == [1]
    path.unlink()
    (tmp_path / "moved").rename(path)
    index = build(data, top)
    assert states(index, top) == {path.name: ("ok", None)}
    assert [one.turns for one in index.sessions.all()] == [1]


def test_a_folder_that_may_not_be_read_is_named_and_its_sessions_stay(tmp_path: Path) -> None:
    top, data = tmp_path / "projects", tmp_path / "data"
    path = session(top / "shop")
    session(top / "site", OTHER)
    update(data, top)
    inside = drops_root()
    command = [*inside, sys.executable, "-m", "memtui", "index", "--no-embed", "--source", str(top)]
    path.parent.chmod(0)
    try:
        subprocess.run([*command, "--data-dir", str(data)], check=True, capture_output=True)
    finally:
        path.parent.chmod(0o755)
    index = Index.open(data)
    assert states(index, top) == {
        "shop": ("error", "Permission denied"),
        f"shop/{SESSION}.jsonl": ("ok", None),
        f"site/{OTHER}.jsonl": ("ok", None),
    }
    assert states(build(data, top), top) == {
        f"shop/{SESSION}.jsonl": ("ok", None),
        f"site/{OTHER}.jsonl": ("ok", None),
    }


def test_what_changes_behind_a_link_is_read_once(tmp_path: Path) -> None:
    """The system may name a changed file by any of its paths; the index keeps it under one."""
    top, data = tmp_path / "projects", tmp_path / "data"
    path = session(top / "shop")
    (top / "again").symlink_to(top / "shop")
    location = Location("claude-code", top)
    with Indexer(data) as indexer:
        for changed in (None, [top / "again" / path.name], [top / "again"]):
            with path.open("a") as file:
                file.write("\n")
            for _ in indexer.update([location], changed=changed):
                pass
            rows = indexer.work.connection.execute("SELECT path, size FROM sources").fetchall()
            assert rows == [(str(path), path.stat().st_size)]


def test_a_change_behind_a_link_is_noticed(tmp_path: Path) -> None:
    top = tmp_path / "projects"
    top.mkdir()
    path = session(tmp_path / "elsewhere")
    (top / "linked").symlink_to(tmp_path / "elsewhere")
    watcher = FileWatcher([Location("claude-code", top)])
    stop = threading.Event()

    def write() -> None:
        while not stop.wait(0.05):
            with path.open("a") as file:
                file.write("\n")

    writer = threading.Thread(target=write)
    with watcher:
        writer.start()
        try:
            assert watcher.happened.wait(60)
        finally:
            stop.set()
            writer.join()
        assert watcher.take() in (None, [top / "linked" / path.name])
