"""Semantic search over observations, with their vectors in one file for each model: every text is embedded only once.

The file is a sequence of records of one size, appended under a lock. A text is identified by its hash, so nothing has
to be deleted when an observation is edited; the whole file can be deleted at any time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from filelock import FileLock

from memtui_core.search.embed import Embedder, split
from memtui_core.search.vectors.matrix import VectorMatrix
from memtui_core.search.vectors.nearest import SemanticHit
from memtui_core.store.observation import Observation
from memtui_core.store.vectors.codes import FloatVectors
from memtui_core.system.startup.numeric import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LOCK_TIMEOUT = 10.0
_UNIT_TOLERANCE = 0.01
"""How far the length of a vector may be from 1; others are the remains of a crash."""
TextHash = bytes


def text_hash(text: str) -> TextHash:
    """The hash that identifies a text."""
    return blake2b(text.encode(), digest_size=16).digest()


class ObservationVectors:
    """The vectors of one model as of the last `refresh`. Not thread-safe."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        name = f"{re.sub(r'[^A-Za-z0-9.-]+', '_', embedder.name)}-{embedder.dimension}"
        self._path = folder / f"{name}.vectors"
        self._record = np.dtype(
            [("text", "V16"), ("chunk", "<u2"), ("chunks", "<u2"), ("vector", "<f4", (embedder.dimension,))]
        )
        self._bytes_read = 0
        self.rows: NDArray[np.float32] = np.empty((0, embedder.dimension), np.float32)
        self.chunk_rows: dict[TextHash, dict[int, int]] = {}
        """For each text, the row of each of its chunks by the number of the chunk."""
        self._chunk_counts: dict[TextHash, int] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read the records that were added; an unreadable file adds none."""
        try:
            size = self._path.stat().st_size // self._record.itemsize * self._record.itemsize
            if size < self._bytes_read:
                self._bytes_read, self.rows, self.chunk_rows, self._chunk_counts = 0, self.rows[:0], {}, {}
            if size == self._bytes_read:
                return
            with self._path.open("rb") as file:
                file.seek(self._bytes_read)
                records = np.frombuffer(file.read(size - self._bytes_read), self._record)
        except OSError:
            return
        self._bytes_read = size
        self._add(records[np.abs(np.linalg.norm(records["vector"], axis=1) - 1.0) < _UNIT_TOLERANCE])

    def has(self, text: TextHash) -> bool:
        """Whether every chunk of a text has a vector."""
        return len(self.chunk_rows.get(text, ())) == self._chunk_counts.get(text, -1)

    def embed(self, texts: Sequence[str]) -> None:
        """Add the vectors of texts that have none. Raises OSError if the file cannot be written."""
        records: list[tuple[Any, ...]] = []
        for text in texts:
            chunks = split(text, self._embedder.tokens(text)) or [text]
            vectors: list[Vector] = self._embedder.embed(chunks)
            records += [(text_hash(text), number, len(vectors), vector) for number, vector in enumerate(vectors)]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self._path.with_suffix(".lock"), timeout=_LOCK_TIMEOUT), self._path.open("ab") as file:
            # An incomplete record of a writer that died must not shift those after it.
            file.truncate(file.tell() // self._record.itemsize * self._record.itemsize)
            file.write(np.array(records, self._record).tobytes())
        self.refresh()

    def _add(self, records: NDArray[Any]) -> None:
        start = len(self.rows)
        self.rows = np.concatenate([self.rows, records["vector"]])
        columns = zip(records["text"], records["chunk"], records["chunks"], strict=True)
        for row, (hashed, number, count) in enumerate(columns, start):
            text = hashed.tobytes()
            self.chunk_rows.setdefault(text, {})[int(number)] = row
            self._chunk_counts[text] = int(count)


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
