"""Semantic search: turns by the distance between the vector of a query and those of their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtui_core.store.reader import Snapshot

if TYPE_CHECKING:
    from memtui_core.embed import Vector
    from memtui_core.search.vector_matrix import VectorMatrix

_DECIMALS = 4
"""Decimals of a distance; further ones depend on the order of addition."""


@dataclass(frozen=True, slots=True)
class SemanticHit:
    """A turn with its nearest chunk."""

    turn: int
    distance: float
    """Cosine distance of that chunk, 0 for the same direction."""
    chunk: int
    """Index of that chunk in the turn."""


def model_name(snapshot: Snapshot) -> str | None:
    """The name of the model whose vectors a snapshot contains; None if it has no vectors."""
    if snapshot.manifest.vectors is not None:
        return snapshot.manifest.vectors.model
    if snapshot.version != 2:
        return None
    rows = snapshot.rows("SELECT value FROM meta WHERE key = 'model'")
    return str(rows[0][0]) if rows else None


def nearest_turns(
    snapshot: Snapshot,
    vector: Vector,
    limit: int,
    where: str = "",
    parameters: Sequence[Any] = (),
    matrix: VectorMatrix | None = None,
) -> list[SemanticHit]:
    """The `limit` nearest turns, the nearest first, then newer first; the search is exact.

    `where` is a condition over turns `t` and sessions `s` that applies before the limit. A `matrix` has the chunks in
    memory; otherwise they are read from the snapshot.
    """
    if matrix is not None:
        turns = _select_turns(snapshot, where, parameters) if where else None
        return [SemanticHit(*hit) for hit in matrix.nearest(vector, limit, _DECIMALS, turns)]
    from memtui_core.search.vector_matrix import read_matrix, read_nearest
    from memtui_core.store.vectors import vectors_of

    stored = snapshot.cached("vectors", lambda: vectors_of(snapshot))
    if stored is None or not len(stored.hashes):
        return []
    if where:
        matrix = read_matrix(snapshot, stored, where, parameters)
    else:
        matrix = read_nearest(snapshot, stored, vector, limit)
    return [SemanticHit(*hit) for hit in matrix.nearest(vector, limit, _DECIMALS)]


def _select_turns(snapshot: Snapshot, where: str, parameters: Sequence[Any]) -> list[int]:
    rows = snapshot.rows(f"SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE {where}", parameters)
    return [turn for (turn,) in rows]
