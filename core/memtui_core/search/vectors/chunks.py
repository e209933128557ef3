"""The chunks of a snapshot as a matrix: all of them for a process that searches often, or those that a search needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from arro3.core import Table

from memtui_core.search.vectors.matrix import CHUNKS_PER_TURN, VectorMatrix, nearest_first
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.vectors.access import vectors_of
from memtui_core.store.vectors.files import StoredVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memtui_core.system.startup.numeric import Vector

    IntArray = NDArray[np.int64]

_CHUNKS = (
    "SELECT c.hash, c.turn::BIGINT, c.seq::BIGINT, coalesce(-epoch_us(t.started_at), 0) FROM chunks c"
    " JOIN turns t ON t.id = c.turn JOIN sessions s ON s.key = t.session WHERE NOT s.hidden AND c.hash IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class CachedVectors:
    """All chunks of a snapshot."""

    model: str
    stored: StoredVectors
    matrix: VectorMatrix
    state: tuple[SnapshotVectors | None, object]
    """Identifies the vectors and chunks; these may have changed if it is another one."""


def cache_vectors(snapshot: Snapshot, model: str, cached: CachedVectors | None = None) -> CachedVectors | None:
    """Read all chunks of a snapshot into memory, except what is the same in `cached`. None if there are no vectors."""
    state = (snapshot.manifest.vectors, snapshot.state_of("chunks"))
    if cached is not None and (cached.model, cached.state) == (model, state):
        return cached
    same_vectors = cached is not None and cached.state[0] == state[0] is not None
    stored = cached.stored if cached is not None and same_vectors else vectors_of(snapshot)
    return None if stored is None else CachedVectors(model, stored, read_matrix(snapshot, stored), state)


def read_matrix(
    snapshot: Snapshot, stored: StoredVectors, where: str = "", parameters: Sequence[Any] = ()
) -> VectorMatrix:
    """The chunks that meet a condition over chunks `c`, turns `t` and sessions `s`."""
    return _matrix(snapshot.table(f"{_CHUNKS} AND {where}" if where else _CHUNKS, parameters), stored)


def read_nearest(snapshot: Snapshot, stored: StoredVectors, vector: Vector, limit: int) -> VectorMatrix:
    """The chunks of the nearest texts, enough for `limit` turns, so that a single search need not read all chunks."""
    for nearest in nearest_first(stored.vectors.products(vector), limit * CHUNKS_PER_TURN):
        if len(nearest) == len(stored.hashes):
            break
        hashes = ", ".join(map(str, stored.hashes[nearest].tolist()))
        matrix = _matrix(snapshot.table(f"{_CHUNKS} AND c.hash IN ({hashes})"), stored, nearest)
        if len(np.unique(matrix.turns)) >= limit:
            return matrix
    return read_matrix(snapshot, stored)


def int_array(table: Table, column: int) -> IntArray:
    """A column of integers."""
    if not table.num_rows:
        return np.empty(0, np.int64)
    values: IntArray = np.asarray(table.column(column).combine_chunks())
    return values


def _matrix(chunks: Table, stored: StoredVectors, among: IntArray | None = None) -> VectorMatrix:
    texts = stored.rows_of(int_array(chunks, 0), among)
    return VectorMatrix.of(stored.vectors, texts, *(int_array(chunks, column) for column in (1, 2, 3)))
