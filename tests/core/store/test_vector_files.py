"""Vectors in files of their own: added behind those that are there, and found by the hash of their text."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from memtui_core.ingest.indexer import Indexer
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.vectors import files as vector_files
from memtui_core.store.vectors.access import vectors_of
from memtui_core.store.vectors.codes import FloatVectors, decode, encode
from memtui_core.store.vectors.files import StoredVectors, VectorFiles, stored_vectors
from memtui_core.system.startup.numeric import Vector
from support.publishing import Letters, bring_up_to_date, manifest_of
from support.stages import Stage
from support.transcripts import Script

EDGES = [-(2**63), -1, 0, 2**63 - 1]


def vector(number: int) -> Vector:
    made: Vector = np.array([number, number + 0.5, -number], np.float32)
    return made


def files(folder: Path, *hashes: int) -> VectorFiles:
    made = VectorFiles(DataDir(folder), 1, "model", 3)
    made.append({one: vector(place) for place, one in enumerate(hashes)})
    return made


def found(data: DataDir, at: SnapshotVectors) -> tuple[list[int], list[list[float]]]:
    stored = stored_vectors(data, at)
    return stored.hashes.tolist(), stored.floats().tolist()


def rows(*numbers: int) -> list[list[float]]:
    """What is stored of some vectors."""
    return decode(*encode(np.stack([vector(number) for number in numbers]))).tolist() if numbers else []


def missing(data: DataDir) -> int | None:
    """Chunks of the newest snapshot without a vector; None when there are no vectors at all."""
    snapshot = Snapshot(data)
    hashes = [one for (one,) in snapshot.rows("SELECT hash FROM chunks WHERE hash IS NOT NULL")]
    stored = vectors_of(snapshot)
    assert hashes
    return None if stored is None else int((stored.rows_of(np.array(hashes, np.int64)) < 0).sum())


def test_vectors_are_added_behind_those_that_are_there(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    made = files(tmp_path, *EDGES)
    before = made.current
    assert before == SnapshotVectors(1, "model", 3, 4)
    made.append({7: vector(7)})
    made.append({})
    again = VectorFiles(data, 1, "model", 3)
    again.append({5: vector(5)})
    assert again.current == SnapshotVectors(1, "model", 3, 6)
    assert found(data, again.current) == ([*EDGES, 7, 5], rows(0, 1, 2, 3, 7, 5))
    assert found(data, before) == (EDGES, rows(0, 1, 2, 3))


def test_known_are_those_on_disk_and_those_added_since(tmp_path: Path) -> None:
    files(tmp_path, 30, -10, 20)
    made = VectorFiles(DataDir(tmp_path), 1, "model", 3)
    made.append({40: vector(4)})
    assert made.known([20, 20, 40, 41, -11, -10, 2**63 - 1]) == {20, 40, -10}
    assert made.known([]) == set()
    made.clear()
    assert (made.known([20, 40]), made.current.size, found(DataDir(tmp_path), made.current)) == (set(), 0, ([], []))
    made.append({20: vector(2)})
    assert found(DataDir(tmp_path), made.current) == ([20], rows(2))


@pytest.mark.parametrize(
    ("vectors_size", "hashes_size", "whole"),
    [(9, 36, 3), (11, 36, 3), (15, 36, 3), (9, 25, 2), (9, 0, 0), (8, 36, 2), (3, 36, 1), (0, 36, 0), (9, 43, 3)],
)
def test_what_is_not_on_disk_whole_does_not_count_and_is_written_over(
    vectors_size: int, hashes_size: int, whole: int, tmp_path: Path
) -> None:
    data = DataDir(tmp_path)
    files(tmp_path, 1, 2, 3)
    os.truncate(data.vectors(1), vectors_size)
    os.truncate(data.vector_keys(1), hashes_size)
    made = VectorFiles(data, 1, "model", 3)
    assert (made.count, made.known([1, 2, 3])) == (whole, set(range(1, whole + 1)))
    made.append({9: vector(9)})
    assert found(data, made.current) == ([*range(1, whole + 1), 9], [*rows(*range(whole)), *rows(9)])
    assert (data.vectors(1).stat().st_size, data.vector_keys(1).stat().st_size) == (made.count * 3, made.count * 12)
    assert VectorFiles(data, 1, "model", 3).current == made.current


@pytest.mark.parametrize("name", ["1.i8", "1.keys"])
@pytest.mark.parametrize("damage", ["short", "gone"])
def test_vectors_that_a_snapshot_names_and_are_not_there_are_an_error(name: str, damage: str, tmp_path: Path) -> None:
    made, path = files(tmp_path, 1, 2, 3), tmp_path / "vectors" / name
    if damage == "gone":
        path.unlink()
    else:
        os.truncate(path, path.stat().st_size - 1)
    with pytest.raises((OSError, ValueError)):
        stored_vectors(DataDir(tmp_path), made.current)


def test_a_text_without_a_vector_has_no_row() -> None:
    stored = StoredVectors(np.array([5, -3, 9], np.int64), FloatVectors(np.zeros((3, 2), np.float32)))
    asked = np.array([9, 4, -3, 2**63 - 1, -(2**63), 5], np.int64)
    assert stored.rows_of(asked).tolist() == [2, -1, 1, -1, -1, 0]
    assert stored.rows_of(asked[:0]).tolist() == []
    none = StoredVectors(np.empty(0, np.int64), FloatVectors(np.empty((0, 2), np.float32)))
    assert none.rows_of(asked).tolist() == [-1] * 6


def test_unused_vectors_are_taken_out_when_they_are_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, made = DataDir(tmp_path), files(tmp_path, 1, 2, 3, 4)
    assert made.without_unused(np.array([1])) is None
    monkeypatch.setattr(vector_files, "_FEWEST_UNUSED", 2)
    assert made.without_unused(np.array([1, 2, 4, 8])) is None
    smaller = made.without_unused(np.array([4, 1, 8]))
    assert smaller is not None
    assert found(data, smaller.current) == ([1, 4], rows(0, 3))
    assert smaller.current == SnapshotVectors(2, "model", 3, 2)
    assert found(data, made.current) == ([1, 2, 3, 4], rows(0, 1, 2, 3))
    empty = smaller.without_unused(np.empty(0, np.int64))
    assert empty is not None
    assert (empty.current, found(data, empty.current)) == (SnapshotVectors(3, "model", 3, 0), ([], []))


def two_texts() -> Script:
    made = Script()
    for text in ("one", "two"):
        made.user(text)
        made.says(f"answer to {text}")
    return made


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """An index with two texts and their vectors."""

    def make(data: Path, folder: Path) -> None:
        two_texts().write(folder)
        with Indexer(data) as indexer:
            bring_up_to_date(indexer, folder, Letters())

    return Stage(tmp_path_factory.mktemp("two"), make)


def test_another_model_makes_new_files_while_a_reader_of_the_old_goes_on(indexed: Stage, tmp_path: Path) -> None:
    data, made = DataDir(tmp_path / "data"), two_texts()
    folder = indexed.begin(data.path)
    old = Snapshot(data)
    before = vectors_of(old)
    assert before is not None
    held = before.floats().tolist()
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder, Letters("numbers", 10))
        assert indexer.counts.texts_embedded == 2
    assert manifest_of(data.path).vectors == SnapshotVectors(2, "numbers", 10, 2)
    assert (missing(data), before.floats().tolist()) == (0, held)
    again = vectors_of(old)
    assert again is not None
    assert again.floats().tolist() == held
    made.user("three")
    made.write(folder)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder, Letters("numbers", 10))
        made.user("four")
        made.write(folder)
        bring_up_to_date(indexer, folder, Letters("numbers", 10))
    assert sorted(path.name for path in (data.path / "vectors").iterdir()) == ["2.i8", "2.keys", "2.sums"]
    assert (missing(data), before.floats().tolist()) == (0, held)


def test_tidying_takes_out_the_vectors_of_texts_that_are_gone(
    indexed: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_files, "_FEWEST_UNUSED", 1)
    data, made = DataDir(tmp_path / "data"), two_texts()
    folder = indexed.begin(data.path)
    made.lines[:2] = []
    made.write(folder)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder, Letters())
        assert manifest_of(data.path).vectors == SnapshotVectors(1, "letters", 26, 2)
        indexer.tidy()
        assert manifest_of(data.path).vectors == SnapshotVectors(2, "letters", 26, 1)
        assert missing(data) == 0
        bring_up_to_date(indexer, folder, Letters())
        assert indexer.counts.texts_embedded == 0
        # What was taken out is made again when it comes back.
        two_texts().write(folder)
        bring_up_to_date(indexer, folder, Letters())
    assert missing(data) == 0


@pytest.mark.parametrize("name", ["1.i8", "1.keys", "both"])
@pytest.mark.parametrize("damage", ["short", "gone"])
def test_vectors_that_are_gone_are_made_again(name: str, damage: str, indexed: Stage, tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    folder = indexed.begin(data.path)
    for path in [path for path in (data.path / "vectors").iterdir() if name in (path.name, "both")]:
        if damage == "gone":
            path.unlink()
        else:
            os.truncate(path, path.stat().st_size // 2 - 1)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder, Letters())
        assert indexer.counts.texts_embedded > 0
    assert missing(data) == 0
