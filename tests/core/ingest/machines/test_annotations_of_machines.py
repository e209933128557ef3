"""What the user has added on another machine comes with its transcripts, in both directions, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.machines.declared import Machine, mirrors_of
from memtui_core.ingest.machines.pull import pull
from memtui_core.readers.locations import chosen_locations
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.annotation_log import merge_log
from memtui_core.store.marks.tombstones import SessionIdentity
from support.contents import files_containing
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION, Script


@pytest.fixture
def there(tmp_path: Path) -> DataDir:
    """The default data folder of the other machine."""
    return DataDir(tmp_path / "laptop-home" / ".local" / "share" / "memtui")


def index_here(data: DataDir) -> Index:
    with Indexer(data.path, processes=0) as indexer:
        for _ in indexer.update(chosen_locations([], mirrors=mirrors_of(data))):
            pass
    return Index.open(data.path)


def test_those_of_a_session_that_was_forgotten_here_stay_away(machine: Machine, there: DataDir, tmp_path: Path) -> None:
    """Also their bytes, in the copy of the other log; it is fetched once more, not each time."""
    data, home = DataDir(tmp_path / "data"), tmp_path / "laptop-home"
    folder = home / ".claude" / "projects" / "-home-ana-code-shop"
    for session, prefix in ((SESSION, "e"), (OTHER_SESSION, "f")):
        script = Script(session, prefix=prefix)
        script.user("Why does the upload fail?")
        script.says("It is too large.")
        update(there.path, script.write(folder))
    other = Index.open(there.path)
    other.annotations.add_note(other.sessions.find(SESSION).key, "About the qzxvnote")
    other.annotations.add_note(other.sessions.find(OTHER_SESSION).key, "About the kwjynote")
    assert pull(data, machine).annotations == 2
    index_here(data).close()
    with Indexer(data.path) as indexer:
        forgotten = indexer.forgetting.forget([SessionIdentity("claude-code", SESSION)])
        assert forgotten is not None
        indexer.forgetting.purge(forgotten.id)
    assert files_containing(data.path, "qzxvnote", "kwjynote") == {
        "qzxvnote": [],
        "kwjynote": ["annotations.jsonl", "machines/laptop/annotations.jsonl"],
    }
    other.annotations.add_note(other.sessions.find(SESSION).key, "Again the qzxvnote")
    other.annotations.tag(other.sessions.find(OTHER_SESSION).key, ["new"])
    assert (pull(data, machine).annotations, pull(data, machine).annotations) == (1, 0)
    assert files_containing(data.path, "qzxvnote") == {"qzxvnote": []}
    status, theirs = (data.machines / "laptop" / "annotations.jsonl").stat(), there.annotations.stat()
    assert (status.st_size, status.st_mtime_ns) == (theirs.st_size, theirs.st_mtime_ns)


@pytest.mark.spec("S6.11")
def test_annotations_come_with_the_transcripts(machine: Machine, there: DataDir, tmp_path: Path) -> None:
    """From a folder, and over ssh in both ways, which start a server."""
    data, home = DataDir(tmp_path / "data"), tmp_path / "laptop-home"
    script = Script()
    for number in range(3):
        script.user(f"Why does the upload fail for file {number}?")
        script.says("It is too large.")
    session = script.write(home / ".claude" / "projects" / "-home-ana-code-shop")
    update(there.path, session)
    other = Index.open(there.path)
    there_key = other.sessions.find(SESSION).key
    other.annotations.rename(there_key, "From the laptop")
    other.annotations.add_note(there_key, "Ask Bob", 2)
    other.annotations.tag(there_key, ["later"])
    assert (pull(data, machine).annotations, pull(data, machine).annotations) == (3, 0)
    here = index_here(data)
    found = here.sessions.find(SESSION)
    assert (found.machine, found.title, found.agent_title, found.tags) == (
        "laptop", "From the laptop", "Why does the upload fail for file 0?", ("later",),
    )  # fmt: skip
    assert [turn.notes for turn in here.sessions.turns(found.key)] == [(), ("Ask Bob",), ()]
    # Both go on: what each has added is on both after they have met.
    here.annotations.tag(found.key, ["here"])
    here.annotations.untag(found.key, ["later"])
    other.annotations.tag(there_key, ["there"])
    other.annotations.rename(there_key, "The newer title")
    assert pull(data, machine).annotations == 2
    assert merge_log(there.path, data.annotations) == 2
    for index, key in ((here, found.key), (other, there_key)):
        own = index.annotations.of(key)
        assert (own.title, own.tags) == ("The newer title", ("here", "there"))
