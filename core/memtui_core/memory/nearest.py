"""Observations by what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from memtui_core.embed import Embedder, Vector
from memtui_core.memory.values import Observation
from memtui_core.memory.vectors import Key, Vectors, key_of
from memtui_core.search.vector_matrix import VectorMatrix
from memtui_core.search.vector_search import SemanticHit

_PLACES = 4
"""Decimals of a distance, as in the search over turns."""
_QUERIES = 64


class Nearest:
    """The vectors of one model; a product of them all with that of a query is exact and takes milliseconds."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._vectors = Vectors(folder, embedder)
        self._model = embedder.name
        self._keys: dict[str, tuple[int, Key]] = {}
        self._made: tuple[Mapping[int, Observation], int, VectorMatrix] | None = None
        self._query = lru_cache(_QUERIES)(lambda text: _vector(embedder, text))

    def embed(self, observations: Sequence[Observation], most: int) -> int:
        """Embed up to `most` texts, the newest first; how many observations still have no vectors.

        Raises OSError where vectors cannot be kept.
        """
        self._vectors.refresh()
        newest = sorted(observations, key=lambda one: one.edited_at or one.created_at, reverse=True)
        missing = list(dict.fromkeys(text_of(one) for one in newest if not self._vectors.has(self._key(one))))
        if missing:
            self._vectors.embed(missing[:most])
        return self.waiting(observations)

    def waiting(self, observations: Sequence[Observation]) -> int:
        """How many observations have no vectors."""
        return sum(not self._vectors.has(self._key(one)) for one in observations)

    def search(
        self, text: str, limit: int, live: Mapping[int, Observation], among: Sequence[int] | None
    ) -> list[SemanticHit]:
        """The nearest of `live`, by their number; `among` are those that count."""
        matrix = self._matrix(live)
        if not len(matrix.turns):
            return []
        return [SemanticHit(*hit) for hit in matrix.nearest(self._query(text), limit, _PLACES, among)]

    def _matrix(self, live: Mapping[int, Observation]) -> VectorMatrix:
        if self._made and self._made[0] is live and self._made[1] == len(self._vectors.rows):
            return self._made[2]
        chunks = [
            (row, number, place, -int(one.created_at.timestamp() * 1_000_000))
            for number, one in live.items()
            for place, row in sorted(self._vectors.places.get(self._key(one), {}).items())
        ]
        rows, numbers, places, ages = np.array(chunks, np.int64).reshape(-1, 4).T
        made = VectorMatrix(self._vectors.rows, rows, numbers, places, ages)
        self._made = live, len(self._vectors.rows), made
        return made

    def _key(self, observation: Observation) -> Key:
        """The hash of the text, made once for each revision."""
        revision, key = self._keys.get(observation.id, (0, b""))
        if revision != observation.revision:
            key = key_of(text_of(observation))
            self._keys[observation.id] = observation.revision, key
        return key


def text_of(observation: Observation) -> str:
    """What is embedded of an observation: all that says what it is about; files are found by their paths."""
    content = observation.content
    parts = (content.title, content.subtitle, content.narrative, "\n".join(content.facts), ", ".join(content.concepts))
    return "\n".join(filter(None, parts))


def _vector(embedder: Embedder, text: str) -> Vector:
    return embedder.embed([text])[0]
