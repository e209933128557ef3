"""Chunks with the vectors of their texts: which turns are nearest to the vector of a query, exactly.

The products of all vectors are computed with 8 bits, which takes 20 ms for a million of them; those of the nearest
texts are computed again with all bits of the query. A process that searches often has all chunks of a snapshot in
memory, any other reads those that a search needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from arro3.core import Table

from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.store.vectors.access import vectors_of
from memtui_core.store.vectors.files import StoredVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memtui_core.search.vectors.nearest import NearestTurns
    from memtui_core.store.vectors.codes import CodedVectors, FloatVectors
    from memtui_core.system.startup.numeric import Vector

    Floats = NDArray[np.float32]
    IntArray = NDArray[np.int64]
    ShortInts = NDArray[np.int32]

CHUNKS_PER_TURN: Final = 8
"""Chunks that are ranked first for each requested turn: a turn has several, and several turns may share a text."""
_GROWTH: Final = 4
"""If these belong to too few turns, so many times as many chunks are ranked next."""
_SAMPLED: Final = 16
"""To find the greatest values, one in so many is looked at first, for a bound."""
_FEW: Final = 8
"""If fewer than one in so many texts may answer, products are computed for these only, otherwise for all."""
TurnHits = list[tuple[int, float, int]]
"""Turn, cosine distance and chunk."""


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """Chunks in the order of their texts. Immutable: a newer snapshot has another one."""

    vectors: CodedVectors | FloatVectors
    """The vector of each text."""
    texts: ShortInts
    """The row of each chunk's text in `vectors`, ascending."""
    turns: IntArray
    """The id of each chunk's turn; that of an observation has 64 bits."""
    chunks: ShortInts
    """The index of each chunk in its turn."""
    ages: IntArray
    """The age of each chunk's turn: a greater number is older."""

    @classmethod
    def of(
        cls, vectors: CodedVectors | FloatVectors, texts: IntArray, turns: IntArray, chunks: IntArray, ages: IntArray
    ) -> VectorMatrix:
        """Sort chunks by their texts; a chunk whose text has the row -1 has no vector and is left out."""
        order = np.argsort(texts, kind="stable")[np.count_nonzero(texts < 0) :]
        small = [column[order].astype(np.int32) for column in (texts, chunks)]
        return cls(vectors, small[0], turns[order], small[1], ages[order])

    def nearest(self, vector: Vector, limit: int, decimals: int, turns: IntArray | None = None) -> TurnHits:
        """Turn, cosine distance and chunk of the nearest turns, the nearest first, then newer first, then by id.

        `turns` are the ids of the turns that count, None for all.
        """
        kept = np.arange(len(self.texts)) if turns is None else np.flatnonzero(np.isin(self.turns, turns))
        texts, own = np.unique(self.texts[kept], return_inverse=True)
        if len(texts) * _FEW < len(self.vectors):
            closeness = self.vectors.exact_products(vector, texts)
        elif len(texts) == len(self.vectors):
            closeness = self.vectors.products(vector)
        else:
            closeness = self.vectors.products(vector)[texts]
        for nearest in nearest_first(closeness, limit * CHUNKS_PER_TURN):
            if len(nearest) < len(texts):
                chosen = np.zeros(len(texts), np.bool_)
                chosen[nearest] = True
                near = kept[chosen[own]]
            else:
                near = kept
            if len(nearest) == len(texts) or self.turn_count(near) >= limit:
                break
        return self.rank(vector, limit, decimals, near)

    def nearest_of_all(self, vector: Vector, limit: int, decimals: int) -> TurnHits:
        """As `nearest` without `turns`, for a table with the chunks of nearly all texts: what is far is not touched."""
        near = np.empty(0, np.int64)
        closeness = self.vectors.products(vector)
        for nearest in nearest_first(closeness, limit * CHUNKS_PER_TURN):
            near = self.chunks_of(nearest)
            if self.turn_count(near) >= limit:
                break
        return self.rank(vector, limit, decimals, near)

    def chunks_of(self, texts: IntArray) -> IntArray:
        """The places of the chunks with these texts, each text once."""
        ordered = np.sort(texts).astype(self.texts.dtype)
        first, last = np.searchsorted(self.texts, ordered), np.searchsorted(self.texts, ordered, "right")
        counts = last - first
        skipped = np.repeat(first - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) if len(ordered) else first
        places: IntArray = skipped + np.arange(len(skipped))
        return places

    def turn_count(self, places: IntArray) -> int:
        """The number of different turns among some chunks."""
        return len(np.unique(self.turns[places]))

    def rank(self, vector: Vector, limit: int, decimals: int, places: IntArray | None = None) -> TurnHits:
        """The nearest turns among those of some chunks, or of all; see `nearest`."""
        kept = np.arange(len(self.texts)) if places is None else places
        texts, own = np.unique(self.texts[kept], return_inverse=True)
        closeness = self.vectors.exact_products(vector, texts)[own]
        distances = np.round(1.0 - closeness.astype(np.float64), decimals)
        kept_turns, chunks = self.turns[kept], self.chunks[kept]
        order = np.lexsort((chunks, kept_turns, self.ages[kept], distances))
        _, first = np.unique(kept_turns[order], return_index=True)
        best = order[np.sort(first)[:limit]]
        return list(zip(kept_turns[best].tolist(), distances[best].tolist(), chunks[best].tolist(), strict=True))


def nearest_first(closeness: Floats, count: int) -> Iterator[IntArray]:
    """The indexes of the `count` greatest values, unordered, then those of ever more values, and finally of all."""
    while count < len(closeness):
        yield _greatest(closeness, count)
        count *= _GROWTH
    yield np.arange(len(closeness))


def _greatest(closeness: Floats, count: int) -> IntArray:
    """The indexes of the `count` greatest values; most values are only compared with a bound from a sample."""
    sample = closeness[::_SAMPLED]
    place = len(sample) - 2 * count // _SAMPLED - 1
    places: IntArray
    if place > 0:
        places = np.flatnonzero(closeness >= np.partition(sample, place)[place])
        if len(places) >= count:
            found: IntArray = places[np.argpartition(-closeness[places], count - 1)[:count]]
            return found
    places = np.argpartition(-closeness, count)[:count]
    return places


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


@dataclass(frozen=True, slots=True)
class UnchangedTurns:
    """The nearest turns by the chunks of an older snapshot: those whose nearest chunk is the same in `snapshot`.

    The id of a turn that was written again, or was removed, may be that of another one by now.
    """

    snapshot: Snapshot
    older: CachedVectors
    turns: NearestTurns
    """All chunks of the older snapshot."""

    def nearest(self, vector: Vector, limit: int, decimals: int, turns: IntArray | None = None) -> TurnHits:
        """The nearest turns among some turns; see `VectorMatrix.nearest`."""
        return self._unchanged(self.turns.nearest(vector, limit, decimals, turns))

    def nearest_of_all(self, vector: Vector, limit: int, decimals: int) -> TurnHits:
        """The nearest turns of all."""
        return self._unchanged(self.turns.nearest_of_all(vector, limit, decimals))

    def _unchanged(self, hits: TurnHits) -> TurnHits:
        turns, matrix = [turn for turn, _, _ in hits], self.older.matrix
        places = np.flatnonzero(np.isin(matrix.turns, turns))
        columns = (matrix.turns[places], matrix.chunks[places], self.older.stored.hashes[matrix.texts[places]])
        before = set(zip(*(column.tolist() for column in columns), strict=True))
        chosen = f"SELECT turn, seq, hash FROM chunks WHERE {key_condition('turn', turns)}"
        same = {(turn, chunk) for turn, chunk, text in self.snapshot.rows(chosen) if (turn, chunk, text) in before}
        return [hit for hit in hits if (hit[0], hit[2]) in same]


def chunks_state(snapshot: Snapshot) -> tuple[SnapshotVectors | None, object]:
    """A value that is equal for two snapshots only if they have the same vectors and chunks."""
    return snapshot.manifest.vectors, snapshot.state_of("chunks")


def cache_vectors(snapshot: Snapshot, model: str, cached: CachedVectors | None = None) -> CachedVectors | None:
    """Read all chunks of a snapshot into memory, except what is the same in `cached`. None if there are no vectors."""
    state = chunks_state(snapshot)
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
