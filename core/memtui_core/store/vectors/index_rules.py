"""From how many vectors on there is a vector index, and when a new one is due."""

from __future__ import annotations

from typing import Final

from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.vectors.index_entry import IndexEntry

FEWEST: Final = 2_000
"""Vectors from which on the index answers: it takes 4 ms of the processor there, comparing all of them 8, and less than
a second to be built (`python -m bench.vectors`, docs/performance.md)."""
_NEW_SHARE: Final = 10
"""A new index is due when one in so many vectors is not in it,"""
_FEWEST_NEW: Final = 1_000
"""but not for fewer than these, which are compared in less than a millisecond."""

_LACKING_SHARE: Final = 2
"""An index that lacks more than one in so many vectors does not answer; a new one is due much sooner."""
MOSTLY_NEWER: Final = "most vectors are newer than the index"
"""Why such an index does not answer, a clause for the user."""


def may_answer(mode: str, vectors: int) -> bool:
    """Whether an index may answer, by the setting `vectors` and the number of vectors: "hnsw" asks for it always."""
    return mode != "exact" and vectors >= (1 if mode == "hnsw" else FEWEST)


def misfit(entry: IndexEntry, vectors: SnapshotVectors, engine: str) -> str:
    """Why an index does not fit some vectors and a version of DuckDB, a clause for the user; empty if it fits."""
    if (entry.model, entry.dimension) != (vectors.model, vectors.dimension):
        return "the index is of another model"
    return "" if entry.engine == engine else f"the index is of DuckDB {entry.engine}, and this is {engine}"


def lacks_most(indexed: int, vectors: int) -> bool:
    """Whether an index that has `indexed` of some vectors lacks too many of them."""
    return (vectors - indexed) * _LACKING_SHARE > vectors


def is_due(entry: IndexEntry | None, vectors: SnapshotVectors | None, mode: str, engine: str) -> bool:
    """Whether a new index is to be built of some vectors, by the version of DuckDB that is there."""
    if vectors is None or not may_answer(mode, vectors.size):
        return False
    if entry is None or misfit(entry, vectors, engine):
        return True
    return abs(vectors.size - entry.size) >= max(_FEWEST_NEW, entry.size // _NEW_SHARE)
