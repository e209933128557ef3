"""Turns by what they mean: the distance between a query's vector and those of the turns' chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtui_core.embed import Vector
from memtui_core.store.reader import Snapshot

if TYPE_CHECKING:
    from memtui_core.search.vector_matrix import Matrix

_PLACES = 4
"""Decimals of a distance: what lies behind them depends on the order of addition."""


@dataclass(frozen=True, slots=True)
class MeaningHit:
    """A turn by its nearest chunk."""

    turn: int
    distance: float
    """Cosine distance, 0 for the same direction."""
    chunk: int
    """Place of that chunk in the turn."""


def model_of(snapshot: Snapshot) -> str | None:
    """The model whose vectors a snapshot has; None when it has none."""
    if snapshot.manifest.vectors is not None:
        return snapshot.manifest.vectors.model
    if snapshot.version != 2:
        return None
    rows = snapshot.rows("SELECT value FROM meta WHERE key = 'model'")
    return str(rows[0][0]) if rows else None


def nearest(
    snapshot: Snapshot,
    vector: Vector,
    limit: int,
    where: str = "",
    parameters: Sequence[Any] = (),
    matrix: Matrix | None = None,
) -> list[MeaningHit]:
    """The `limit` nearest turns, the nearest first, then the newer; every vector is looked at.

    `where` is a condition over turns `t` and sessions `s` that holds before the limit. With a `matrix` the
    chunks are in memory, else those that may count are read from the store.
    """
    if matrix is not None:
        among = _turns(snapshot, where, parameters) if where else None
        return [MeaningHit(*hit) for hit in matrix.nearest(vector, limit, _PLACES, among)]
    from memtui_core.search.vector_matrix import matrix_near, matrix_of
    from memtui_core.store.vectors import vectors_of

    stored = snapshot.cached("vectors", lambda: vectors_of(snapshot))
    if stored is None or not len(stored.hashes):
        return []
    near = matrix_of(snapshot, stored, where, parameters) if where else matrix_near(snapshot, stored, vector, limit)
    return [MeaningHit(*hit) for hit in near.nearest(vector, limit, _PLACES)]


def _turns(snapshot: Snapshot, where: str, parameters: Sequence[Any]) -> list[int]:
    rows = snapshot.rows(f"SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE {where}", parameters)
    return [turn for (turn,) in rows]
