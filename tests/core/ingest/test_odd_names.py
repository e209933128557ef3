"""Names of files and folders that are no valid UTF-8, too long, or in several lines; and what is no file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memtui_core.errors import MemtuiError
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location, default_locations
from memtui_core.system.projects import locate_project
from memtui_core.text.characters import on_disk
from memtui_core.text.controls import stored
from support.indexes import build, update, whole_turns
from support.transcripts import SESSION, Script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
NAME = os.fsdecode(b"caf\xe9")


def said(index: Index) -> list[str]:
    return [text for _, blocks in whole_turns(index, SESSION) for _, text in blocks]


@pytest.mark.spec("S6.16")
def test_a_transcript_whose_name_is_not_utf_8_is_read_continued_and_found_gone(tmp_path: Path) -> None:
    path = tmp_path / "projects" / f"-home-{NAME}" / f"{NAME}.jsonl"
    script = Script()
    script.user("First")
    script.says("One")
    script.write(path.parent, path.name)
    data = tmp_path / "data"
    index = build(data, tmp_path / "projects")
    assert said(index) == ["First", "One"]
    [source] = index.statistics.sources()
    assert (source.path, on_disk(stored(source.path))) == (str(path).replace("\udce9", "\ufffd"), str(path))
    # In a process of its own, and nothing is read twice.
    assert update(data, tmp_path / "projects").files_read == 0
    script.user("Second")
    script.says("Two")
    script.write(path.parent, path.name)
    assert update(data, tmp_path / "projects").turns_written == 2
    assert said(Index.open(data)) == ["First", "One", "Second", "Two"]
    path.unlink()
    update(data, tmp_path / "projects")
    [gone] = Index.open(data).statistics.sources()
    assert (gone.state, said(Index.open(data))) == ("gone", ["First", "One", "Second", "Two"])


def test_workers_read_such_transcripts_too(tmp_path: Path) -> None:
    projects = tmp_path / "projects" / NAME
    for number in range(12):
        script = Script(f"{number:08}-1111-4111-8111-111111111111", prefix=f"{number}e")
        script.user("A long prompt")
        script.says("word " * 150_000)
        script.write(projects, f"{NAME}{number}.jsonl")
    with Indexer(tmp_path / "data", processes=2) as indexer:
        for _ in indexer.update([Location("claude-code", tmp_path / "projects")]):
            pass
        assert (indexer.counts.files_read, indexer.counts.files_prepared) == (12, 12)
    assert len(Index.open(tmp_path / "data").sessions.all()) == 12


def test_a_project_whose_folder_is_not_utf_8_is_found_on_the_disk(tmp_path: Path) -> None:
    project = tmp_path / NAME / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    root = str(project).replace("\udce9", "\uf7e9")
    assert locate_project(str(project / "src")) == ("shop", root, None)
    assert locate_project(f"{root}/src") == ("shop", root, None)


def test_a_session_whose_project_is_not_utf_8_is_of_the_current_folder(tmp_path: Path) -> None:
    project = tmp_path / NAME
    (project / ".git").mkdir(parents=True)
    history = "# aider chat started at 2026-11-05 09:12:40\n\n#### Hello\n\nYes\n"
    (project / ".aider.chat.history.md").write_text(history)
    index = build(tmp_path / "data", tmp_path, agent="aider")
    current = index.sessions.project_at(str(project))
    assert current is not None
    assert {on_disk(stored(session.root)) for session in index.sessions.all()} == {str(project)}
    assert on_disk(current.root) == str(project)


def test_a_data_folder_whose_name_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MemtuiError) as refused:
        Indexer(tmp_path / NAME)
    assert str(refused.value) == (
        f"The name of the folder {tmp_path}/caf\ufffd is not valid UTF-8, which the index needs. Rename it, or choose"
        " another data folder with --data-dir or MEMTUI_DATA_DIR."
    )


@pytest.mark.spec("S6.16")
def test_what_is_no_file_is_listed_and_never_opened(tmp_path: Path) -> None:
    """A FIFO without a writer would block for ever, also one where a repository has its configuration."""
    projects = tmp_path / "projects"
    names = ["new\nline", "x" * 249, "\x1b[31mred"]
    for number, name in enumerate(names):
        script = Script(f"{number:08}-1111-4111-8111-111111111111", str(tmp_path / "repository"), f"{number}e")
        script.user("Hello")
        script.write(projects / name, f"{name}.jsonl")
    os.mkfifo(projects / "fifo.jsonl")
    os.mkfifo(projects / f"{NAME}.jsonl")
    (projects / "loop.jsonl").symlink_to("loop.jsonl")
    (projects / "up").symlink_to("..")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    os.mkfifo(tmp_path / "repository" / ".git" / "config")
    index = build(tmp_path / "data", projects)
    assert len(index.sessions.all()) == len(names)
    assert {
        Path(on_disk(stored(source.path))).name: source.error for source in index.statistics.sources() if source.error
    } == {
        "fifo.jsonl": "a FIFO, not a file",
        f"{NAME}.jsonl": "a FIFO, not a file",
        "loop.jsonl": "Too many levels of symbolic links",
        "up": "a link to a folder that holds it, not followed",
    }


def test_the_agents_of_a_home_folder_that_is_not_utf_8_are_found(tmp_path: Path) -> None:
    home = tmp_path / NAME
    script = Script()
    script.user("First")
    script.says("One")
    script.write(home / ".claude" / "projects" / "x")
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update(default_locations({"HOME": str(home)})):
            pass
    assert said(Index.open(tmp_path / "data")) == ["First", "One"]
