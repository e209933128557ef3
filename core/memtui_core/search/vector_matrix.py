"""The chunks of a snapshot with their vectors in memory, for a process that searches often.

The product of all vectors with that of a query is exact and fast: 24 ms for 300,000 vectors of the default model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from arro3.core import Table

from memtui_core.store.manifest import SnapshotVectors
from memtui_core.store.reader import Snapshot
from memtui_core.store.vector_files import StoredVectors
from memtui_core.store.vectors import vectors_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memtui_core.embed import Vector

    IntArray = NDArray[np.int64]

_CHUNKS_PER_TURN = 8
"""Chunks that are ranked first for each requested turn: a turn has several, and several turns may share a text."""
_GROWTH = 4
"""How many times as many are ranked next if those belong to too few turns."""
_CHUNKS = (
    "SELECT c.hash, c.turn::BIGINT, c.seq::BIGINT, coalesce(-epoch_us(t.started_at), 0) FROM chunks c"
    " JOIN turns t ON t.id = c.turn JOIN sessions s ON s.key = t.session WHERE NOT s.hidden AND c.hash IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """Chunks of visible sessions with the vectors of their texts. Immutable: a newer snapshot has another one."""

    rows: NDArray[np.float32]
    """The vector of each text."""
    texts: IntArray
    """The row of each chunk's text in `rows`."""
    turns: IntArray
    """The id of each chunk's turn."""
    chunks: IntArray
    """The index of each chunk in its turn."""
    ages: IntArray
    """The age of each chunk's turn: a greater number is older."""

    def nearest(
        self, vector: Vector, limit: int, decimals: int, turns: Sequence[int] | None = None
    ) -> list[tuple[int, float, int]]:
        """Turn, cosine distance and chunk of the nearest turns, the nearest first, then newer first, then by id.

        `turns` are the ids of the turns that count, None for all.
        """
        closeness = (self.rows @ vector)[self.texts]
        kept = np.arange(len(closeness)) if turns is None else np.flatnonzero(np.isin(self.turns, np.array(turns)))
        for nearest in _nearest_first(closeness[kept], limit * _CHUNKS_PER_TURN):
            if len(nearest) == len(kept) or len(np.unique(self.turns[kept[nearest]])) >= limit:
                kept = kept[nearest]
                break
        distances = np.round(1.0 - closeness[kept].astype(np.float64), decimals)
        kept_turns, chunks = self.turns[kept], self.chunks[kept]
        order = np.lexsort((chunks, kept_turns, self.ages[kept], distances))
        _, first = np.unique(kept_turns[order], return_index=True)
        best = order[np.sort(first)[:limit]]
        return list(zip(kept_turns[best].tolist(), distances[best].tolist(), chunks[best].tolist(), strict=True))


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
    chunks = snapshot.table(f"{_CHUNKS} AND {where}" if where else _CHUNKS, parameters)
    texts = stored.rows_of(_int_array(chunks, 0))
    kept = texts >= 0
    return VectorMatrix(stored.rows, texts[kept], *(_int_array(chunks, column)[kept] for column in (1, 2, 3)))


def read_nearest(snapshot: Snapshot, stored: StoredVectors, vector: Vector, limit: int) -> VectorMatrix:
    """The chunks of the nearest texts, enough for `limit` turns, so that a single search need not read all chunks."""
    for nearest in _nearest_first(stored.rows @ vector, limit * _CHUNKS_PER_TURN):
        if len(nearest) == len(stored.hashes):
            break
        hashes = stored.hashes[nearest].tolist()
        matrix = read_matrix(snapshot, stored, f"c.hash IN ({', '.join(map(str, hashes))})")
        if len(np.unique(matrix.turns)) >= limit:
            return matrix
    return read_matrix(snapshot, stored)


def _nearest_first(closeness: NDArray[np.float32], count: int) -> Iterator[IntArray]:
    """The indexes of the `count` greatest values, unordered, then those of ever more values, and finally of all."""
    while count < len(closeness):
        yield np.argpartition(-closeness, count)[:count]
        count *= _GROWTH
    yield np.arange(len(closeness))


def _int_array(table: Table, column: int) -> IntArray:
    if not table.num_rows:
        return np.empty(0, np.int64)
    values: IntArray = np.asarray(table.column(column).combine_chunks())
    return values
