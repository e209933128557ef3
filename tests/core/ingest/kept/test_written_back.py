"""Deleted transcripts are written back as they were, and the index stays as it was."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from memtui_core.errors import MemtuiError
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.written_back import SessionFiles, files_of_session, write_files
from memtui_core.readers.locations import Location
from memtui_core.store.archive.transcripts import TranscriptArchive
from memtui_core.store.data_folder import DataDir
from support.archives import age, archived_index, keeper
from support.indexes import update
from support.table_values import index_values
from support.transcripts import OTHER_SESSION, SESSION, Script

ROOT = Path(__file__).parents[4]
AGENTS = {
    **{folder.name: folder for folder in (ROOT / "sample_sessions").iterdir() if folder.is_dir()},
    **{folder.name: folder for folder in (ROOT / "tests" / "samples").iterdir() if folder.is_dir()},
}
ROWS_ONLY = {"aider", "amazonq", "crush", "goose", "kilo", "kiro-cli", "opencode", "warp", "zed"}
"""The samples in databases, or in files with several conversations: of these only rows are kept."""


def script(session_id: str = SESSION, prefix: str = "e") -> Script:
    made = Script(session_id, prefix=prefix)
    made.user("Retry the upload")
    made.calls("Read", {"file_path": "/home/ana/code/shop/upload.py"})
    made.result("1\tdef upload():\n2\t    pass\n")
    made.says("Done.")
    return made


def files_of(index: Index, session_id: str, folder: Path | None = None) -> SessionFiles:
    archive = TranscriptArchive(index.data)
    return files_of_session(index.snapshot, archive, index.sessions.find(session_id).key, folder)


def content_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def update_all(data: Path, home: Path) -> None:
    with Indexer(data) as indexer:
        for _ in indexer.update([Location(None if name == "projects" else name, home / name) for name in AGENTS]):
            pass


@pytest.mark.spec("S6.3")
def test_every_session_of_every_agent_with_files_comes_back_byte_by_byte(tmp_path: Path) -> None:
    """It takes some seconds, as the samples of all agents are read three times."""
    home, data = tmp_path / "home", tmp_path / "data"
    for name, folder in AGENTS.items():
        shutil.copytree(folder, home / name)
    for path in home.rglob("*"):
        if path.is_file():
            age(path, 1)
    update_all(data, home)
    with keeper(data) as kept:
        kept.archive_settled()
    before, values, archive = content_of(home), index_values(data), TranscriptArchive(DataDir(data))
    for path in archive.files():
        path.unlink()
    update_all(data, home)
    index = Index.open(data)
    for (key,) in index.snapshot.rows("SELECT key FROM sessions WHERE parent IS NULL"):
        write_files([one for one in files_of_session(index.snapshot, archive, key).restorable if not one.exists])
    assert content_of(home) == before
    update_all(data, home)
    assert index_values(data) == values
    with_files = {path.relative_to(home).parts[0] for path in archive.files()}
    assert AGENTS.keys() - with_files == ROWS_ONLY


@pytest.mark.spec("S6.3")
def test_subagents_come_back_with_their_session(tmp_path: Path) -> None:
    main = script()
    main.calls("Task", {"description": "look", "prompt": "Look around", "subagent_type": "Explore"}, "t9")
    main.result("found", "t9", toolUseResult={"agentId": "a1b2c3d4"})
    path = main.write(tmp_path / "projects" / "shop")
    sub = script(SESSION, "s").write(path.with_suffix("") / "subagents", "agent-a1b2c3d4.jsonl")
    other = script(OTHER_SESSION, "o").write(tmp_path / "projects" / "shop")
    index = archived_index(tmp_path / "data", tmp_path / "projects")
    contents = [one.read_bytes() for one in (path, sub)]
    path.unlink()
    sub.unlink()
    found = files_of(index, SESSION)
    assert sorted(one.target for one in found.restorable) == sorted((path, sub))
    write_files(found.restorable)
    assert ([one.read_bytes() for one in (path, sub)], other.exists()) == (contents, True)
    elsewhere = files_of(index, SESSION, tmp_path / "elsewhere")
    write_files(elsewhere.restorable)
    assert content_of(tmp_path / "elsewhere") == {
        f"{SESSION}.jsonl": contents[0],
        f"{SESSION}/subagents/agent-a1b2c3d4.jsonl": contents[1],
    }


@pytest.mark.spec("S6.3")
def test_a_file_that_exists_is_not_replaced(tmp_path: Path) -> None:
    path = script().write(tmp_path / "projects")
    index = archived_index(tmp_path / "data", path)
    path.write_bytes(b"mine")
    found = files_of(index, SESSION)
    with pytest.raises(MemtuiError, match="exists, and is not replaced"):
        write_files(found.restorable)
    assert content_of(tmp_path / "projects") == {f"{SESSION}.jsonl": b"mine"}


def test_what_was_not_archived_any_more_is_counted(tmp_path: Path) -> None:
    made = script()
    path = made.write(tmp_path / "projects")
    archived_index(tmp_path / "data", path)
    made.user("One more")
    made.says("Done again.")
    made.write(tmp_path / "projects")
    update(tmp_path / "data", path)
    whole, index = path.stat().st_size, Index.open(tmp_path / "data")
    path.unlink()
    (one,) = files_of(index, SESSION).restorable
    assert (one.missing, one.file.size) == (whole - one.file.size, one.file.size)


@pytest.mark.parametrize(
    ("days", "keeps_time", "is_renewed"), [(3, False, False), (29.5, False, True), (90, False, True), (90, True, False)]
)
def test_a_file_gets_the_time_of_now_if_its_agent_would_delete_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: float, keeps_time: bool, is_renewed: bool
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    path = script().write(tmp_path / ".claude" / "projects" / "shop")
    index = archived_index(tmp_path / "data", path, days=days)
    before = path.stat().st_mtime_ns
    path.unlink()
    assert write_files(files_of(index, SESSION).restorable, keeps_time=keeps_time) == is_renewed
    after = path.stat().st_mtime_ns
    assert (after != before and abs(after / 1e9 - time.time()) < 60) if is_renewed else after == before


def test_a_restored_transcript_with_replaced_secrets_changes_nothing_in_the_index(tmp_path: Path) -> None:
    made = script()
    made.user("The token is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8, use it")
    made.says("I use ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8.")
    path = made.write(tmp_path / "projects")
    index = archived_index(tmp_path / "data", path)
    turns = index_values(tmp_path / "data")["turns"], index_values(tmp_path / "data")["blocks"]
    path.unlink()
    found = files_of(index, SESSION)
    assert [one.file.secrets for one in found.restorable] == [2]
    write_files(found.restorable)
    assert b"ghp_" not in path.read_bytes()
    update(tmp_path / "data", path)
    assert (index_values(tmp_path / "data")["turns"], index_values(tmp_path / "data")["blocks"]) == turns


def test_a_death_while_a_file_is_written_leaves_no_file(tmp_path: Path) -> None:
    path = script().write(tmp_path / "projects")
    index = archived_index(tmp_path / "data", path)
    path.unlink()
    found = files_of(index, SESSION)
    with index.data.archived_transcripts.open("r+b") as file:
        file.seek(-20, os.SEEK_END)
        file.write(b"????")
    with pytest.raises(MemtuiError, match="damaged"):
        write_files(found.restorable)
    assert content_of(tmp_path / "projects") == {}
