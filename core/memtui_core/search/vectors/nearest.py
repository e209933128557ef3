"""Semantic search: turns by the distance between the vector of a query and those of their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from memtui_core.store.snapshot.reader import Snapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memtui_core.search.vectors.matrix import TurnHits
    from memtui_core.system.startup.numeric import Vector

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


class NearestTurns(Protocol):
    """All chunks of a snapshot with their vectors in memory, and perhaps an index of these."""

    def nearest(self, vector: Vector, limit: int, decimals: int, turns: NDArray[np.int64] | None = None) -> TurnHits:
        """The nearest turns among some turns; see `VectorMatrix.nearest`."""

    def nearest_of_all(self, vector: Vector, limit: int, decimals: int) -> TurnHits:
        """The nearest turns of all."""


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
    matrix: NearestTurns | None = None,
) -> list[SemanticHit]:
    """The `limit` nearest turns, the nearest first, then newer first.

    `where` is a condition over turns `t` and sessions `s` that applies before the limit. A `matrix` has the chunks in
    memory; otherwise they are read from the snapshot. The search is exact, except that of a `matrix` with an HNSW index
    without a condition.
    """
    if matrix is not None:
        if where:
            hits = matrix.nearest(vector, limit, _DECIMALS, _select_turns(snapshot, where, parameters))
        else:
            hits = matrix.nearest_of_all(vector, limit, _DECIMALS)
        return [SemanticHit(*hit) for hit in hits]
    from memtui_core.search.vectors.matrix import read_matrix, read_nearest
    from memtui_core.store.vectors.access import vectors_of

    stored = snapshot.cached("vectors", lambda: vectors_of(snapshot))
    if stored is None or not len(stored.hashes):
        return []
    if where:
        hits = read_matrix(snapshot, stored, where, parameters).nearest(vector, limit, _DECIMALS)
    else:
        hits = read_nearest(snapshot, stored, vector, limit).rank(vector, limit, _DECIMALS)
    return [SemanticHit(*hit) for hit in hits]


def _select_turns(snapshot: Snapshot, where: str, parameters: Sequence[Any]) -> NDArray[np.int64]:
    from memtui_core.search.vectors.matrix import int_array

    chosen = "SELECT t.id::BIGINT FROM turns t JOIN sessions s ON s.key = t.session"
    return int_array(snapshot.table(f"{chosen} WHERE {where}", parameters), 0)
