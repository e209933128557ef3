"""Vectors that were made on another machine are not made again."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.machines.declared import Machine, mirrors_of
from memtui_core.ingest.machines.pull import pull
from memtui_core.readers.locations import chosen_locations
from memtui_core.search.embed import open_model
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.vectors.files import stored_vectors
from support.indexes import embed, update
from support.other_homes import contents_of
from support.transcripts import Script


def write_session(home: Path, turns: int) -> Path:
    script = Script()
    for number in range(turns):
        script.user(f"Why does the upload fail for file {number}?")
        script.says(f"The server refuses more than {number} megabytes.")
    return script.write(home / ".claude" / "projects" / "-home-ana-code-shop")


def index_here(data: DataDir) -> int:
    """Index as `memtui index` does; how many texts the model has embedded."""
    with Indexer(data.path, processes=0) as indexer:
        for _ in indexer.update(chosen_locations([], mirrors=mirrors_of(data))):
            pass
        for _ in indexer.embed(open_model()):
            pass
        return indexer.counts.texts_embedded


def vectors_in(data: DataDir) -> dict[int, list[int]]:
    """The codes of the vectors by the hash of their text."""
    manifest = read_manifest(data)
    assert manifest is not None
    assert manifest.vectors is not None
    stored = stored_vectors(data, manifest.vectors)
    codes, _ = stored.coded(np.arange(len(stored.hashes)))
    return dict(zip(stored.hashes.tolist(), codes.tolist(), strict=True))


@pytest.fixture
def there(tmp_path: Path) -> DataDir:
    """The default data folder of the other machine."""
    return DataDir(tmp_path / "laptop-home" / ".local" / "share" / "memtui")


def test_vectors_come_with_the_transcripts(machine: Machine, there: DataDir, tmp_path: Path) -> None:
    data, home = DataDir(tmp_path / "data"), tmp_path / "laptop-home"
    session = write_session(home, 3)
    update(there.path, session)
    made = embed(there.path).texts_embedded
    assert made > 0
    assert pull(data, machine).vectors == 3
    assert pull(data, machine).vectors == 0
    copied = contents_of(data.machines / "laptop")
    assert {name for name in copied if not name.startswith("home/")} == {
        "pull.lock",
        "state.json",
        "snapshots/CURRENT",
        "vectors/1.i8",
        "vectors/1.keys",
    }
    assert index_here(data) == 0
    assert vectors_in(data) == vectors_in(there)
    assert [hit.turn for hit in Index.open(data.path).search("refuses megabytes").hits][:1] != []
    # Only what the other machine has no vector for is made here.
    write_session(home, 5)
    pull(data, machine)
    assert 0 < index_here(data) < made + 3
    update(there.path, session)
    embed(there.path)
    write_session(home, 6)
    update(there.path, session)
    embed(there.path)
    assert pull(data, machine).vectors == 3
    assert index_here(data) == 0


@pytest.mark.parametrize(
    ("found", "changed"),
    [
        ('"model":"', '"model":"another-'),
        ('"file":', '"file":"../../x","old":'),
        ('"dimension":', '"dimension":-1,"old":'),
        ("{", "["),
    ],
)
@pytest.mark.parametrize("way", ["folder"])
def test_vectors_that_cannot_be_right_are_made_again(
    found: str, changed: str, machine: Machine, there: DataDir, tmp_path: Path
) -> None:
    data, home = DataDir(tmp_path / "data"), tmp_path / "laptop-home"
    update(there.path, write_session(home, 2))
    made = embed(there.path).texts_embedded
    text = there.current.read_text().replace(" ", "")
    assert found in text
    there.current.write_text(text.replace(found, changed, 1))
    pull(data, machine)
    assert index_here(data) == made
    assert sorted(vectors_in(data)) == sorted(vectors_in_files(there))
    shutil.rmtree(there.path)
    pull(data, machine)


def vectors_in_files(data: DataDir) -> list[int]:
    return [int(one) for one in np.fromfile(data.vector_keys(1), [("hash", "<i8"), ("factor", "<f4")])["hash"]]
