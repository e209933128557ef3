"""Semantic search with the vector index: newer, dead and filtered vectors, and when the index is not used."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.vectors import invented as invent
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.search.embed import open_model
from memtui_core.search.vectors import hnsw
from memtui_core.search.vectors.hnsw import IndexLoader, NearMatrix
from memtui_core.search.vectors.matrix import VectorMatrix
from memtui_core.search.vectors.nearest import NearestTurns, nearest_turns
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import SnapshotVectors, read_manifest
from memtui_core.store.vectors.files import VectorFiles
from memtui_core.store.vectors.hnsw import VectorIndex
from memtui_core.store.vectors.hnsw_building import build_index
from memtui_core.store.vectors.index_entry import IndexEntry, read_entry, write_entry
from support.indexes import update
from support.publishing import bring_up_to_date
from support.transcripts import Script
from support.vector_indexes import cached, one_chunk_a_turn, publish_vectors

COUNT = 4_000
invented = lru_cache(invent)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> DataDir:
    """An index of 4,000 vectors, which no test changes."""
    data = publish_vectors(tmp_path_factory.mktemp("built"), invented(COUNT, 1))
    assert build_index(data) is not None
    return data


@pytest.fixture(scope="module")
def near(built: DataDir) -> NearMatrix:
    """The index as it answers for all vectors."""
    return loaded(built)[1]


def at(data: DataDir) -> SnapshotVectors:
    manifest = read_manifest(data)
    assert manifest is not None
    assert manifest.vectors is not None
    return manifest.vectors


def loaded(data: DataDir, entry: SnapshotVectors | None = None) -> tuple[IndexLoader, NearMatrix]:
    """The index as it answers for all vectors, or for some."""
    loader, held = IndexLoader(data, "hnsw"), cached(data, entry or at(data))
    assert isinstance(loader.matrix(held), VectorMatrix | NearMatrix)
    loader.wait()
    near = loader.matrix(held)
    assert isinstance(near, NearMatrix), loader.problem
    return loader, near


def turns_of(matrix: NearestTurns, vector: Sequence[float], limit: int = 10) -> list[int]:
    return [turn for turn, *_ in matrix.nearest_of_all(np.asarray(vector, np.float32), limit, 4)]


def cluster_of(matrix: NearestTurns, vector: Sequence[float]) -> list[int]:
    """The turns in the same cluster; all others are equally far."""
    found = matrix.nearest_of_all(np.asarray(vector, np.float32), 10, 4)
    return [turn for turn, distance, _ in found if distance < 0.5]


@pytest.mark.spec("S5.9")
def test_the_ten_nearest_turns_are_those_of_the_exact_search(near: NearMatrix) -> None:
    asked, shares = near.index.asked, []
    for vector in invented(60, 2):
        right = near.matrix.nearest_of_all(vector, 10, 4)
        found = near.nearest_of_all(vector, 10, 4)
        shares.append(len({*found} & {*right}) / 10)
    assert sum(shares) / len(shares) >= 0.99
    assert near.index.asked == asked + 60


@pytest.mark.spec("S5.9")
def test_filtered_searches_are_exact_and_do_not_ask_the_index(near: NearMatrix) -> None:
    asked = near.index.asked
    vectors = near.stored.floats()
    for vector in invented(20, 2):
        # Of these, HNSW would find hardly any among the nearest of all.
        turns = np.argsort(vectors @ vector)[:300]
        right = turns[np.argsort(-(vectors[turns] @ vector), kind="stable")]
        found = near.nearest(vector, 10, 9, turns)
        assert [turn for turn, *_ in found] == right[:10].tolist()
        assert near.nearest(vector, 10, 9, turns[:0]) == []
    assert near.index.asked == asked


def test_newer_vectors_are_found_among_the_others(built: DataDir, tmp_path: Path) -> None:
    data = copied(built, tmp_path)
    publish_vectors(tmp_path, invented(300, 5), COUNT)
    _, near = loaded(data)
    assert near.first_new == COUNT
    old, new = invented(COUNT, 1), invented(300, 5)
    for place in (0, 17, 299):
        assert turns_of(near, new[place])[0] == COUNT + place
        assert turns_of(near, old[place])[0] == place
        assert cluster_of(near, new[place]) == cluster_of(near.matrix, new[place])


def test_vectors_that_are_added_while_the_index_is_loaded_are_found_at_once(built: DataDir, tmp_path: Path) -> None:
    data = copied(built, tmp_path)
    loader, _ = loaded(data)
    publish_vectors(tmp_path, invented(300, 5), COUNT)
    near = loader.matrix(cached(data, at(data)))
    # Nothing was waited for.
    assert isinstance(near, NearMatrix)
    assert near.first_new == COUNT
    assert turns_of(near, invented(300, 5)[17])[0] == COUNT + 17
    publish_vectors(tmp_path, invented(COUNT, 6), COUNT + 300)
    held = cached(data, at(data))
    assert loader.matrix(held) is held.matrix
    loader.close()


@pytest.mark.spec("S5.9")
def test_the_first_question_is_answered_exactly_while_the_index_is_loaded(
    built: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading, answered = threading.Event(), threading.Event()

    class Held(VectorIndex):
        """Is not loaded before the first question was answered."""

        def __init__(self, data: DataDir, entry: IndexEntry) -> None:
            loading.set()
            answered.wait()
            super().__init__(data, entry)

    monkeypatch.setattr(hnsw, "VectorIndex", Held)
    loader, held, vector = IndexLoader(built), cached(built, at(built)), invented(1, 2)[0]
    first = loader.matrix(held)
    found = turns_of(first, vector)
    # The thread has begun, and cannot have ended.
    loading.wait()
    assert loader.matrix(held) is first is held.matrix
    assert not answered.is_set()
    answered.set()
    loader.wait()
    near = loader.matrix(held)
    assert isinstance(near, NearMatrix)
    assert turns_of(near, vector) == found
    assert near.index.asked == 2, "one of them with the first page of the index"
    loader.close()


def test_an_index_that_fails_with_a_question_leaves_the_exact_answer(
    built: DataDir, caplog: pytest.LogCaptureFixture
) -> None:
    _, near = loaded(built)
    near.index.close()
    vector = invented(1, 2)[0]
    assert near.nearest_of_all(vector, 10, 4) == near.matrix.nearest_of_all(vector, 10, 4)
    assert caplog.messages == ["The vector index has failed: Connection Error: Connection already closed!"]


def test_what_the_snapshot_does_not_have_is_not_found(built: DataDir, tmp_path: Path) -> None:
    """In files without every third vector, and in a snapshot of some turns only."""
    data = copied(built, tmp_path)
    old = invented(COUNT, 1)
    kept = np.flatnonzero(np.arange(COUNT) % 3)
    files = vector_files(data).without_unused(kept, at_least=1)
    assert files is not None
    _, near = loaded(data, files.current)
    # Of the vectors from the first on that is not in the index, none is left out.
    assert near.first_new == len(kept)
    clusters = [cluster_of(near, old[place]) for place in (0, 3, 30)]
    assert clusters == [cluster_of(near.matrix, old[place]) for place in (0, 3, 30)]
    assert any(clusters)
    for place in (0, 3, 30):
        assert place not in turns_of(near, old[place], 300)
    # A text that no turn has any more stays in the files until they are written anew.
    held = cached(data, files.current)
    some = one_chunk_a_turn(held.stored)
    some = part(some, np.arange(2000))
    few_turns = NearMatrix(some, held.stored, near.index, near.first_new)
    assert cluster_of(few_turns, old[kept[10]]) == cluster_of(some, old[kept[10]])
    assert kept[2001] not in turns_of(few_turns, old[kept[2001]], 300)


def test_more_turns_than_the_index_gives_are_exact(near: NearMatrix) -> None:
    asked, vector = near.index.asked, invented(1, 2)[0]
    assert len(near.nearest_of_all(vector, 513, 4)) == 513
    assert near.index.asked == asked
    assert near.nearest_of_all(vector, 513, 4) == near.matrix.nearest_of_all(vector, 513, 4)
    assert len(near.nearest_of_all(vector, 512, 4)) == 512
    assert near.index.asked == asked + 1


def test_an_index_of_which_most_turns_are_gone_is_replaced_by_the_exact_answer(near: NearMatrix) -> None:
    matrix = near.matrix
    vector = near.stored.floats(np.array([0]))[0]
    far = np.sort(np.argsort(near.stored.floats() @ vector)[:100])
    left = part(matrix, far)
    found = NearMatrix(left, near.stored, near.index, near.first_new).nearest_of_all(vector, 50, 4)
    assert found == left.nearest_of_all(vector, 50, 4)
    assert len(found) == 50


def test_a_newer_index_is_loaded_and_a_query_under_way_keeps_the_old_one(tmp_path: Path) -> None:
    old, new = invented(COUNT, 1)[:500], invented(300, 5)
    data = publish_vectors(tmp_path, old)
    assert build_index(data) is not None
    loader, near = loaded(data)
    publish_vectors(tmp_path, new, len(old))
    assert build_index(data) is not None
    held = cached(data, at(data))
    loader.matrix(held)
    loader.wait()
    newer = loader.matrix(held)
    assert isinstance(newer, NearMatrix)
    assert (near.first_new, newer.first_new) == (500, 800)
    assert turns_of(newer, new[7])[0] == 507
    assert turns_of(near, old[7])[0] == 7


@pytest.mark.spec("S5.9")
@pytest.mark.parametrize(
    ("mode", "vectors", "answers"),
    [("auto", 2_000, True), ("auto", 1_999, False), ("hnsw", 1_999, True), ("exact", COUNT, False)],
)
def test_the_setting_says_from_how_many_vectors_on_the_index_answers(
    mode: str, vectors: int, answers: bool, built: DataDir
) -> None:
    loader, held = IndexLoader(built, mode), cached(built, at(built)._replace(size=vectors))
    loader.matrix(held)
    loader.wait()
    assert isinstance(loader.matrix(held), NearMatrix) == answers
    assert loader.problem == ""


@pytest.mark.parametrize(
    "fault",
    ["no extension", "short", "other bytes", "most is newer", "another model", "another version", "same number"],
)
def test_an_index_that_cannot_be_used_is_not_and_the_answer_is_exact(
    fault: str, built: DataDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = copied(built, tmp_path)
    entry = read_entry(data)
    assert entry is not None
    if fault == "no extension":
        monkeypatch.setitem(sys.modules, "duckdb_extension_vss", None)
    elif fault == "short":
        os.truncate(entry.path(data), entry.bytes // 2)
    elif fault == "other bytes":
        entry.path(data).write_bytes(b"x" * entry.bytes)
    elif fault == "most is newer":
        publish_vectors(tmp_path, invented(COUNT + 1, 5), COUNT)
    elif fault == "another version":
        write_entry(data, entry._replace(engine="1.4.0"))
    elif fault == "same number":
        # An index that was restored gives a number to other files than before.
        for path in data.vector_files(1):
            path.unlink(missing_ok=True)
        publish_vectors(tmp_path, invented(COUNT, 5), COUNT)
    held = cached(data, at(data) if fault != "another model" else at(data)._replace(model="other"))
    loader = IndexLoader(data, "hnsw")
    loader.matrix(held)
    loader.wait()
    assert loader.matrix(held) is held.matrix
    known = {
        "no extension": "the package duckdb-extension-vss is not installed",
        "short": "",
        "most is newer": "most vectors are newer than the index",
        "another model": "the index is of another model",
        "another version": f"the index is of DuckDB 1.4.0, and this is {entry.engine}",
        "same number": "most vectors are newer than the index",
    }
    assert loader.problem == known[fault] if fault in known else "not a valid DuckDB" in loader.problem


@pytest.mark.spec("S5.9")
def test_an_open_index_finds_by_hnsw_what_it_found_without_and_what_comes_later(tmp_path: Path) -> None:
    """With real transcripts and the real model: an index that is older than the snapshot, and a text that is gone."""
    script, data, source = Script(), DataDir(tmp_path / "data"), tmp_path / "src"
    subjects = ["the upload of pictures fails", "write an invoice", "rename the branch", "a poem about the sea"]
    for subject in [*subjects, *(f"what is {number} times {number + 3}" for number in range(20))]:
        script.user(f"Please help: {subject}")
        script.says("Done.")
    script.write(source)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, source, open_model())
    index = Index.open(data.path)
    assert index.vectors.load_model()
    before = index.search("verses on the ocean").hits
    assert before[0].turn == 4
    assert build_index(data) is not None
    index.vectors.cache("hnsw")
    index.vectors.wait_for_index()
    near = index.vectors.matrix(index.snapshot)
    assert isinstance(near, NearMatrix)
    asked = near.index.asked
    assert index.search("verses on the ocean").hits == before
    assert near.index.asked == asked + 1
    script.user("Please help: the kitchen recipe for noodles")
    script.says("Done.")
    script.lines[:2] = []
    script.write(source)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, source, open_model())
    assert index.refresh()
    index.vectors.cache("hnsw")
    index.vectors.wait_for_index()
    near = index.vectors.matrix(index.snapshot)
    assert isinstance(near, NearMatrix)
    assert near.first_new == 24
    model = open_model()
    for question in ("cooking pasta", "why does sending photos break"):
        vector = model.embed([question])[0]
        exact = nearest_turns(index.snapshot, vector, 10)
        assert nearest_turns(index.snapshot, vector, 10, matrix=near) == exact
        assert len(exact) == 10
    index.close()


def test_forgetting_removes_the_index(tmp_path: Path) -> None:
    script, data, source = Script(), DataDir(tmp_path / "data"), tmp_path / "src"
    script.user("Please help")
    script.write(source)
    update(data.path, source)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, source, open_model())
        assert build_index(data) is not None
        indexer.stored.remove(indexer.stored.excluded().keys)
    assert read_entry(data) is None
    assert list(data.vector_index.iterdir()) == []


def part(matrix: VectorMatrix, places: NDArray[np.int64]) -> VectorMatrix:
    """Some chunks."""
    columns = matrix.texts[places], matrix.turns[places], matrix.chunks[places], matrix.ages[places]
    return VectorMatrix(matrix.vectors, *columns)


def vector_files(data: DataDir) -> VectorFiles:
    """The files of the newest snapshot."""
    entry = at(data)
    return VectorFiles(data, entry.file, entry.model, entry.dimension)


def copied(data: DataDir, folder: Path) -> DataDir:
    """A copy of a data folder."""
    shutil.copytree(data.path, folder, dirs_exist_ok=True)
    return DataDir(folder)
