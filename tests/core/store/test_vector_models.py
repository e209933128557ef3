"""Vectors belong to a model by its name: those of two models of one dimension are never mixed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.machines.declared import declare
from memtui_core.ingest.machines.vectors import OtherVectors
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.vectors.access import vectors_of
from memtui_core.store.vectors.index_entry import IndexEntry
from memtui_core.store.vectors.index_rules import is_due, misfit
from memtui_core.system.startup.numeric import Vector, np
from support.indexes import embed, update
from support.publishing import Letters, bring_up_to_date
from support.transcripts import Script


class Reversed(Letters):
    """Another model with as many numbers, in which the letters are in the reverse order."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [np.ascontiguousarray(vector[::-1]) for vector in super().embed(texts)]


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    script = Script()
    script.user("apples")
    script.says("pears")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return DataDir(tmp_path / "data")


def stored(data: DataDir) -> tuple[SnapshotVectors | None, list[list[float]]]:
    """What the newest snapshot says of its vectors, and these."""
    snapshot = Snapshot(data)
    vectors = vectors_of(snapshot)
    assert vectors is not None
    return snapshot.manifest.vectors, vectors.floats().tolist()


def test_the_indexer_makes_all_vectors_again_for_another_model(data: DataDir, tmp_path: Path) -> None:
    """And again for the first one, as nothing of it is left."""
    models = (Letters("letters"), Reversed("reversed"), Letters("letters"))
    made = []
    for number, model in enumerate(models, 1):
        with Indexer(data.path) as indexer:
            assert indexer.unembedded(model)
            bring_up_to_date(indexer, tmp_path / "src", model)
            assert (indexer.counts.texts_embedded, indexer.unembedded(model)) == (1, False)
        entry, vectors = stored(data)
        assert entry == SnapshotVectors(number, model.name, 26, 1)
        made.append(vectors)
    assert made[0] == made[2] != made[1]
    assert made[1] == [list(reversed(made[0][0]))]


def test_a_search_does_not_compare_a_query_with_vectors_of_another_model(data: DataDir, tmp_path: Path) -> None:
    embed(data.path)
    index = Index.open(data.path)
    index.vectors.load_model()
    index.vectors.cache()
    assert (index.vectors.has_model, index.vectors.matrix(index.snapshot) is None) == (True, False)
    manifest = index.snapshot.manifest
    assert manifest.vectors is not None
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, tmp_path / "src", Letters("letters", manifest.vectors.dimension))
    assert index.refresh()
    assert (index.vectors.has_model, index.vectors.embed, index.vectors.matrix(index.snapshot)) == (False, None, None)
    assert index.vectors.needs_model


def test_vectors_of_another_machine_count_for_their_model_alone(data: DataDir, tmp_path: Path) -> None:
    with Indexer(data.path) as indexer:
        bring_up_to_date(indexer, tmp_path / "src", Letters("letters"))
    other = DataDir(tmp_path / "other")
    other.path.mkdir()
    declare(other, "laptop", str(tmp_path / "away"))
    copy = other.mirror("laptop").parent
    for folder in ("snapshots", "vectors"):
        shutil.copytree(data.path / folder, copy / folder)
    snapshot = Snapshot(data)
    [(text_hash,)] = snapshot.rows("SELECT hash FROM chunks")
    found = {}
    for name in ("letters", "reversed"):
        vectors = OtherVectors(other, name, 26)
        vectors.refresh()
        found[name] = vectors.find(text_hash) is not None
    assert found == {"letters": True, "reversed": False}


def test_a_vector_index_answers_for_its_model_alone() -> None:
    entry = IndexEntry(
        number=1, bytes=1, checksum=1, engine="v1", file=1, model="letters", dimension=26, size=5_000, last_hash=7,
        built_at=0.0,
    )  # fmt: skip
    same, other = (SnapshotVectors(1, name, 26, 5_000) for name in ("letters", "reversed"))
    assert (misfit(entry, same, "v1"), misfit(entry, other, "v1")) == ("", "the index is of another model")
    assert (is_due(entry, same, "auto", "v1"), is_due(entry, other, "auto", "v1")) == (False, True)
