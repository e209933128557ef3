"""Chunks with the vectors of their texts: which turns are nearest to the vector of a query, exactly.

The products of all vectors are computed with 8 bits, which takes 20 ms for a million of them; those of the nearest
texts are computed again with all bits of the query.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
