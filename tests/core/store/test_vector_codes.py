"""Vectors of 8 bits a number: how near their products are, the greatest ones, and vectors of earlier versions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bench.vectors import invented
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.search.vectors.matrix import nearest_first
from memtui_core.search.vectors.nearest import nearest_turns
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition, key_ranges
from memtui_core.store.vectors import access, codes
from memtui_core.store.vectors.access import vectors_of
from memtui_core.store.vectors.codes import CodedVectors, FloatVectors, decode, encode
from support.publishing import Letters, bring_up_to_date, manifest_of
from support.stages import Stage
from support.transcripts import Script


def test_products_differ_by_less_than_the_steps_of_the_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    made = invented(500, 1)
    coded = CodedVectors(*encode(made))
    # Several blocks, the last one not full.
    monkeypatch.setattr(codes, "_BLOCK", 64)
    for vector in invented(20, 2):
        right = made @ vector
        assert np.abs(coded.products(vector) - right).max() < 0.003
        assert (coded.products(vector, 437) == coded.products(vector)[437:]).all()
        rows = np.array([499, 0, 63, 64])
        assert np.abs(coded.exact_products(vector, rows) - right[rows]).max() < 0.002
        assert np.allclose(FloatVectors(made).exact_products(vector, rows), right[rows])
    assert len(coded.products(made[0], 500)) == 0


def test_recall_of_the_codes_is_at_least_99_per_cent() -> None:
    made = invented(5_000, 1)
    coded, shares = CodedVectors(*encode(made)), []
    for vector in invented(100, 2):
        near = next(nearest_first(coded.products(vector), 80))
        best = near[np.argsort(-coded.exact_products(vector, near))[:10]]
        shares.append(len({*best.tolist()} & {*np.argsort(-(made @ vector))[:10].tolist()}) / 10)
    assert sum(shares) / len(shares) >= 0.99


@pytest.mark.parametrize(
    ("vector", "codes", "factor"),
    [
        ([0.5, -0.25, 0.0], [127, -64, 0], 0.00393),
        ([0.0, 0.0, 0.0], [0, 0, 0], 0.0),
        ([-8.0, 8.0, 4.0], [-127, 127, 64], 0.06294),
    ],
)
def test_the_codes_of_a_vector(vector: list[float], codes: list[int], factor: float) -> None:
    made, factors = encode(np.array([vector], np.float32))
    assert (made.dtype.name, made.tolist()) == ("int8", [codes])
    assert factors.tolist() == [pytest.approx(factor, abs=1e-5)]
    assert decode(made, factors)[0].tolist() == pytest.approx(vector, abs=0.04)


@given(st.lists(st.integers(-50, 50), max_size=400), st.integers(1, 60))
def test_the_greatest_values_come_first_and_then_all(values: list[int], count: int) -> None:
    closeness = np.array(values, np.float32)
    found = list(nearest_first(closeness, count))
    assert sorted(found[-1].tolist()) == list(range(len(values)))
    for step, nearest in enumerate(found[:-1]):
        assert len(nearest) == count * 4**step
        assert len({*nearest.tolist()}) == len(nearest)
        assert sorted(closeness[nearest].tolist()) == sorted(values)[-len(nearest) :]


@given(st.sets(st.integers(-5, 400), max_size=40))
def test_ranges_of_keys_are_the_same_as_their_list(keys: set[int]) -> None:
    ranges = list(key_ranges("k", keys, gap=10))
    found = [part.split(" AND k IN")[0] for part in ranges]
    edges = [tuple(map(int, part.replace("k BETWEEN ", "").replace("k = ", "").split(" AND "))) for part in found]
    assert [key for one in edges for key in sorted(keys) if one[0] <= key <= one[-1]] == sorted(keys)
    assert all(after[0] - before[-1] > 10 for before, after in pairwise(edges))


def test_a_range_names_only_its_keys() -> None:
    listed = f"k BETWEEN 1 AND 9 AND {key_condition('k', [1, 3, 9])}"
    assert list(key_ranges("k", [9, 1, 200, 3], gap=10)) == [listed, "k = 200"]


SUBJECTS = ("upload of pictures", "invoice", "rename the branch", "poem about the sea")


@dataclass(frozen=True)
class Wide:
    """An index as an earlier version left it."""

    stage: Stage
    rows: NDArray[np.float32]
    """Its vectors, which have 32 bits a number."""
    nearest: list[list[int]]
    """The turns that are found for each subject."""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Wide:
    folder = tmp_path_factory.mktemp("wide")

    def make(path: Path, source: Path) -> None:
        script, data = Script(), DataDir(path)
        for subject in SUBJECTS:
            script.user(subject)
            script.says("Done.")
        script.write(source)
        with Indexer(path) as indexer:
            bring_up_to_date(indexer, source, Letters())
        stored = vectors_of(Snapshot(data))
        assert stored is not None
        rows = stored.floats() + np.float32(0.0001)
        data.wide_vectors(1).write_bytes(rows.tobytes())
        data.wide_hashes(1).write_bytes(stored.hashes.tobytes())
        data.vectors(1).unlink()
        data.vector_keys(1).unlink()

    stage = Stage(folder, make)
    stage.begin(folder / "read")
    data = DataDir(folder / "read")
    rows = np.fromfile(data.wide_vectors(1), np.float32).reshape(len(SUBJECTS), -1)
    return Wide(stage, rows, nearest(data))


def nearest(data: DataDir) -> list[list[int]]:
    """The turns that are found for each subject."""
    model, snapshot = Letters(), Snapshot(data)
    stored = vectors_of(snapshot)
    assert stored is not None
    return [[hit.turn for hit in nearest_turns(snapshot, model.embed([text])[0], 2)] for text in SUBJECTS]


def names(data: DataDir) -> list[str]:
    return sorted(path.name for path in (data.path / "vectors").iterdir())


def test_vectors_of_an_earlier_version_are_read_and_converted_without_being_made_again(
    wide: Wide, tmp_path: Path
) -> None:
    data, rows, found = DataDir(tmp_path / "data"), wide.rows, wide.nearest
    folder = wide.stage.begin(data.path)
    reader = Index.open(data.path)
    before = vectors_of(reader.snapshot)
    assert before is not None
    assert before.floats().tolist() == rows.tolist()
    assert [len(turns) for turns in found] == [2, 2, 2, 2]
    with Indexer(data.path) as indexer:
        # Nobody has changed anything: the new files are named when the indexer is idle.
        assert manifest_of(data.path).vectors == SnapshotVectors(1, "letters", 26, 4)
        indexer.tidy()
        assert manifest_of(data.path).vectors == SnapshotVectors(2, "letters", 26, 4)
        bring_up_to_date(indexer, folder, Letters())
        assert indexer.counts.texts_embedded == 0
        assert names(data) == ["1.f32", "1.hashes", "1.sums", "2.i8", "2.keys", "2.sums"]
    stored = vectors_of(Snapshot(data))
    assert stored is not None
    assert stored.hashes.tolist() == before.hashes.tolist()
    assert stored.floats().tolist() == decode(*encode(rows)).tolist()
    assert nearest(data) == found
    # Who has read the old ones goes on with them, and they are removed with the snapshot after the next.
    assert before.floats().tolist() == rows.tolist()
    script = Script("22222222-2222-4222-8222-222222222222", prefix="f")
    script.user("something new")
    script.write(folder)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder, Letters())
        assert indexer.counts.texts_embedded == 1
    assert names(data) == ["2.i8", "2.keys", "2.sums"]


@pytest.mark.parametrize("name", ["1.f32", "1.hashes"])
@pytest.mark.parametrize("damage", ["short", "gone"])
def test_damaged_vectors_of_an_earlier_version_are_made_again(
    name: str, damage: str, wide: Wide, tmp_path: Path
) -> None:
    data = DataDir(tmp_path / "data")
    folder = wide.stage.begin(data.path)
    path = data.path / "vectors" / name
    if damage == "gone":
        path.unlink()
    else:
        os.truncate(path, path.stat().st_size - 1)
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, folder, Letters())
        assert indexer.counts.texts_embedded == 4
    assert nearest(data) == wide.nearest


def test_a_conversion_that_was_killed_begins_anew(wide: Wide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = DataDir(tmp_path / "data")
    wide.stage.begin(data.path)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(access, "write_generation", die)
    with pytest.raises(KeyboardInterrupt):
        Indexer(data.path)
    assert nearest(data) == wide.nearest
    monkeypatch.undo()
    with Indexer(data.path) as indexer:
        indexer.tidy()
    stored = vectors_of(Snapshot(data))
    assert stored is not None
    assert stored.floats().tolist() == decode(*encode(wide.rows)).tolist()
