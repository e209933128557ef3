"""Vectors in memory give the hits that the store gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core import matrix
from memtui_core.embed import open_model
from memtui_core.index import Index
from memtui_core.matrix import matrix_of
from memtui_core.meaning import nearest
from support.indexes import embed, update
from support.transcripts import Script

MODEL = "all-MiniLM-L6-v2-int8"


@pytest.mark.parametrize(
    ("where", "parameters"), [("", []), ("s.project = ?", ["infra"]), ("t.errors > 0", []), ("FALSE", [])]
)
def test_memory_and_store_agree(sample_index: Path, where: str, parameters: list[str]) -> None:
    snapshot = Index.open(sample_index)._snapshot
    held = matrix_of(snapshot, MODEL)
    assert held is not None
    for question in ("retry the upload", "why did the build take so long", "日本語"):
        vector = open_model().embed([question])[0]
        for limit in (3, 1000):
            stored = nearest(snapshot, vector, limit, where, parameters)
            assert nearest(snapshot, vector, limit, where, parameters, held) == stored
            assert bool(stored) == (where != "FALSE")


@pytest.mark.parametrize(
    "query", ["why did we retry", "why did we retry project:infra", "put_part", '"retry"', "has:error"]
)
def test_a_search_is_the_same_with_the_vectors_in_memory(sample_index: Path, query: str) -> None:
    index = Index.open(sample_index)
    assert index.load_model()
    before = index.search(query).hits
    index.hold_vectors()
    assert index.search(query).hits == before


def test_a_newer_snapshot_brings_only_its_new_vectors(tmp_path: Path) -> None:
    script = Script()
    script.user("the first text")
    script.says("answered")
    path = script.write(tmp_path / "src")
    data = tmp_path / "data"
    update(data, path)
    embed(data)
    index = Index.open(data)
    first = matrix_of(index._snapshot, MODEL)
    assert first is not None
    again = matrix_of(index._snapshot, MODEL, first)
    assert again is not None
    assert again.rows is first.rows
    script.user("another text")
    script.write(tmp_path / "src")
    update(data, path)
    embed(data)
    assert index.refresh()
    whole = matrix_of(index._snapshot, MODEL)
    grown = matrix_of(index._snapshot, MODEL, first)
    assert whole is not None
    assert grown is not None
    assert grown.hashes.tolist() == whole.hashes.tolist() == sorted(whole.hashes.tolist())
    assert (grown.rows == whole.rows).all()
    assert len(grown.hashes) > len(first.hashes)


def test_more_vectors_than_fit_are_left_to_the_store(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "MOST", 10)
    index = Index.open(sample_index)
    assert index.load_model()
    index.hold_vectors()
    assert index.search("why did we retry").hits
    assert matrix_of(index._snapshot, MODEL) is None
