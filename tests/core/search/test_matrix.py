"""Vectors in memory give the hits that the store gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.search.embed import open_model
from memtui_core.search.vectors.matrix import cache_vectors
from memtui_core.search.vectors.nearest import nearest_turns
from support.indexes import embed, update
from support.transcripts import Script

MODEL = "all-MiniLM-L6-v2-int8"


@pytest.mark.parametrize(
    ("where", "parameters"), [("", []), ("s.project = ?", ["infra"]), ("t.errors > 0", []), ("FALSE", [])]
)
def test_memory_and_store_agree(sample_index: Path, where: str, parameters: list[str]) -> None:
    snapshot = Index.open(sample_index).snapshot
    held = cache_vectors(snapshot, MODEL)
    assert held is not None
    for question in ("retry the upload", "why did the build take so long", "日本語"):
        vector = open_model().embed([question])[0]
        for limit in (3, 1000):
            stored = nearest_turns(snapshot, vector, limit, where, parameters)
            assert nearest_turns(snapshot, vector, limit, where, parameters, held.matrix) == stored
            assert bool(stored) == (where != "FALSE")


@pytest.mark.parametrize(
    "query", ["why did we retry", "why did we retry project:infra", "put_part", '"retry"', "has:error"]
)
def test_a_search_is_the_same_with_the_vectors_in_memory(sample_index: Path, query: str) -> None:
    index = Index.open(sample_index)
    assert index.vectors.load_model()
    before = index.search(query).hits
    index.vectors.cache()
    assert index.search(query).hits == before


def test_a_turn_of_many_chunks_leaves_room_for_others(tmp_path: Path) -> None:
    """More chunks than are looked at first for two turns, each with another text."""
    script, data = Script(), tmp_path / "data"
    script.user(" ".join(f"The upload of picture {number} fails." for number in range(600)))
    script.user("Write an invoice")
    update(data, script.write(tmp_path / "src"))
    embed(data)
    snapshot = Index.open(data).snapshot
    held = cache_vectors(snapshot, MODEL)
    assert held is not None
    assert len(held.stored.hashes) > 2 * 8 + 1
    vector = open_model().embed(["the upload of picture 7 fails"])[0]
    ways: tuple[dict[str, Any], ...] = ({}, {"where": "TRUE"}, {"matrix": held.matrix})
    found = [nearest_turns(snapshot, vector, 2, **way) for way in ways]
    assert [[hit.turn for hit in hits] for hits in found] == [[1, 2]] * 3
    assert found[1:] == found[:1] * 2
    distances = 1 - held.stored.vectors.products(vector)
    assert found[0][0].distance == pytest.approx(distances.min(), abs=1e-3)


def test_a_newer_snapshot_brings_only_its_new_vectors(tmp_path: Path) -> None:
    script = Script()
    script.user("the first text")
    script.says("answered")
    path = script.write(tmp_path / "src")
    data = tmp_path / "data"
    update(data, path)
    embed(data)
    index = Index.open(data)
    first = cache_vectors(index.snapshot, MODEL)
    assert first is not None
    assert cache_vectors(index.snapshot, MODEL, first) is first
    script.user("another text")
    script.write(tmp_path / "src")
    update(data, path)
    assert index.refresh()
    # The first turn is complete now, so its text waits for its vector.
    between = cache_vectors(index.snapshot, MODEL, first)
    assert between is not None
    assert (between.stored is first.stored, between.matrix.turns.tolist()) == (True, [])
    embed(data)
    assert index.refresh()
    grown = cache_vectors(index.snapshot, MODEL, between)
    whole = cache_vectors(index.snapshot, MODEL)
    assert grown is not None
    assert whole is not None
    assert grown.stored.hashes.tolist() == whole.stored.hashes.tolist()
    assert grown.stored.hashes.tolist()[:1] == first.stored.hashes.tolist()
    assert (grown.stored.floats() == whole.stored.floats()).all()
    assert (grown.stored.floats()[:1] == first.stored.floats()).all()
    assert len(grown.stored.hashes) == 3
