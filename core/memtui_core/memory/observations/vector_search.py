"""Semantic search over observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from memtui_core.memory.observations.observation import Observation
from memtui_core.memory.observations.vectors import ObservationVectors, TextHash, text_hash
from memtui_core.search.embed import Embedder
from memtui_core.search.vectors.matrix import VectorMatrix
from memtui_core.search.vectors.nearest import SemanticHit
from memtui_core.store.vectors.codes import FloatVectors
from memtui_core.system.startup.numeric import Vector

_DECIMALS = 4
"""Decimals of a distance, as in the search over turns."""
_CACHED_QUERIES = 64


class ObservationVectorSearch:
    """Nearest-neighbour search with one model; the exact product with all vectors takes milliseconds."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._vectors = ObservationVectors(folder, embedder)
        self._hashes: dict[str, tuple[int, TextHash]] = {}
        self._cached_matrix: tuple[Mapping[int, Observation], int, VectorMatrix] | None = None
        self._query_vector = lru_cache(_CACHED_QUERIES)(lambda text: _embed(embedder, text))

    def embed(self, observations: Sequence[Observation], limit: int) -> int:
        """Embed up to `limit` texts, newest first, and return how many observations still have no vectors.

        Raises OSError if the vectors cannot be written.
        """
        self._vectors.refresh()
        newest_first = sorted(observations, key=lambda item: item.edited_at or item.created_at, reverse=True)
        missing = list(
            dict.fromkeys(embedded_text(item) for item in newest_first if not self._vectors.has(self._hash(item)))
        )
        if missing:
            self._vectors.embed(missing[:limit])
        return self.count_missing(observations)

    def count_missing(self, observations: Sequence[Observation]) -> int:
        """How many of the observations have no vectors."""
        return sum(not self._vectors.has(self._hash(item)) for item in observations)

    def search(
        self, text: str, limit: int, live: Mapping[int, Observation], among: Sequence[int] | None
    ) -> list[SemanticHit]:
        """The nearest of the observations `live`, by their numbers; `among` restricts them, None is all."""
        matrix = self._matrix(live)
        if not len(matrix.turns):
            return []
        turns = None if among is None else np.array(among, np.int64)
        return [SemanticHit(*hit) for hit in matrix.nearest(self._query_vector(text), limit, _DECIMALS, turns)]

    def _matrix(self, live: Mapping[int, Observation]) -> VectorMatrix:
        if self._cached_matrix:
            cached_for, row_count, matrix = self._cached_matrix
            if cached_for is live and row_count == len(self._vectors.rows):
                return matrix
        chunks = [
            (row, number, chunk, -int(item.created_at.timestamp() * 1_000_000))
            for number, item in live.items()
            for chunk, row in sorted(self._vectors.chunk_rows.get(self._hash(item), {}).items())
        ]
        rows, numbers, chunk_numbers, ages = np.array(chunks, np.int64).reshape(-1, 4).T
        matrix = VectorMatrix.of(FloatVectors(self._vectors.rows), rows, numbers, chunk_numbers, ages)
        self._cached_matrix = live, len(self._vectors.rows), matrix
        return matrix

    def _hash(self, observation: Observation) -> TextHash:
        """The hash of an observation's text, computed once for each revision."""
        revision, hashed = self._hashes.get(observation.id, (0, b""))
        if revision != observation.revision:
            hashed = text_hash(embedded_text(observation))
            self._hashes[observation.id] = observation.revision, hashed
        return hashed


def embedded_text(observation: Observation) -> str:
    """The text of an observation that gets vectors: everything but its files, which are found by path."""
    content = observation.content
    parts = (content.title, content.subtitle, content.narrative, "\n".join(content.facts), ", ".join(content.concepts))
    return "\n".join(filter(None, parts))


def _embed(embedder: Embedder, text: str) -> Vector:
    return embedder.embed([text])[0]
