"""What the user has added on another machine comes with its transcripts, in both directions, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.machines.declared import Machine, mirrors_of
from memtui_core.ingest.machines.pull import pull
from memtui_core.readers.locations import chosen_locations
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.annotation_log import merge_log
from support.indexes import update
from support.transcripts import SESSION, Script


@pytest.fixture
def there(tmp_path: Path) -> DataDir:
    """The default data folder of the other machine."""
    return DataDir(tmp_path / "laptop-home" / ".local" / "share" / "memtui")


def index_here(data: DataDir) -> Index:
    from memtui_core.ingest.indexer import Indexer

    with Indexer(data.path, processes=0) as indexer:
        for _ in indexer.update(chosen_locations([], mirrors=mirrors_of(data))):
            pass
    return Index.open(data.path)


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
