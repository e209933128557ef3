"""The model and the vectors of a process, with which its searches use meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from memtui_core.errors import ModelUnavailable
from memtui_core.search.vectors.nearest import model_name
from memtui_core.search.vectors.report import VectorReport, lack_of_vectors, report_vectors

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.search.embed import QueryEmbedder
    from memtui_core.search.vectors.hnsw import IndexLoader
    from memtui_core.search.vectors.matrix import CachedVectors
    from memtui_core.search.vectors.nearest import NearestTurns
    from memtui_core.store.snapshot.reader import Snapshot
    from memtui_core.system.startup.numeric import Vector

__all__ = ["FILES", "WORDS_AND_PATHS", "VectorGap", "VectorReport", "Vectors", "uses_vectors"]

WORDS_AND_PATHS = "words and paths"
"""What a search uses without vectors."""
FILES = "files"
"""What recall uses without vectors."""
_CACHED_QUERIES = 64
"""Queries whose vectors are cached: a query runs again with each new snapshot, and for more hits."""


@dataclass(frozen=True, slots=True)
class VectorGap:
    """The turns that semantic search does not cover."""

    reason: str = ""
    """Why it covers none; empty if it covers some."""
    missing: int = 0
    turns: int = 0

    def message(self, used_instead: str) -> str:
        """One sentence; `used_instead` names what finds these turns instead."""
        if self.reason:
            return f"Found by {used_instead} only: {self.reason}"
        return f"Found by {used_instead} only in {self.missing:,} of {self.turns:,} turns: they have no vectors yet"


class Vectors:
    """The model of the snapshot's vectors, and these vectors, while they are loaded."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._embedder: QueryEmbedder | None = None
        self._unavailable = ""
        """Why the model could not be loaded."""
        self._cached: CachedVectors | None = None
        self._loader: IndexLoader | None = None
        self._vector: Callable[[str], Vector] | None = None
        """Returns the vector of a query, while the model is loaded."""

    @property
    def has_model(self) -> bool:
        """Whether searches use vectors: the model of the snapshot's vectors is loaded."""
        embedder = self._embedder
        return embedder is not None and embedder.name == self._model_name()

    @property
    def needs_model(self) -> bool:
        """Whether there are vectors, but `load_model` was not called, or failed."""
        return self._model_name() is not None and not self.has_model

    def load_model(self, threads: int = 1, *, briefly: bool = False) -> bool:
        """Load the model of the snapshot's vectors for semantic search, which takes up to seconds.

        `briefly`: for a process that ends after a few searches; the default model then takes a fraction of the time to
        load, and more to answer. False if there are no vectors. Raises ModelUnavailable.
        """
        name = self._model_name()
        if name is not None and (self._embedder is None or self._embedder.name != name):
            from memtui_core.search.embed import open_brief_model, open_model

            try:
                embedder = (open_brief_model if briefly else open_model)(name, threads)
            except ModelUnavailable as error:
                self._unavailable = str(error)
                raise
            self._unavailable = ""
            self._vector = lru_cache(_CACHED_QUERIES)(lambda text: embedder.embed([text])[0])
            self._embedder = embedder
        return name is not None

    def drop_model(self) -> None:
        """Free the memory of the model and of the vectors, until `load_model`; a search that runs keeps them."""
        from memtui_core.search.embed import open_model
        from memtui_core.system.machine import release_memory

        self._embedder = self._vector = self._cached = self._loader = None
        open_model.cache_clear()
        release_memory()

    def cache(self, answer: str = "auto") -> None:
        """Read which texts the turns of the current snapshot have, which makes each search by meaning faster.

        Call it again after `Index.refresh`: it reads only what changed. `answer` is the setting `vectors`: with "auto"
        the vector index answers unfiltered queries from 2,000 vectors on, with "hnsw" however few there are, with
        "exact" never. It is loaded in a thread; until then the answers are exact.
        """
        from memtui_core.search.vectors.hnsw import IndexLoader
        from memtui_core.search.vectors.matrix import cache_vectors

        name = self._model_name()
        if name is not None:
            self._cached = cache_vectors(self._index.snapshot, name, self._cached)
            self._loader = self._loader or IndexLoader(self._index.data, answer)
            self.matrix(self._index.snapshot)

    def wait_for_index(self) -> None:
        """Wait until the vector index is loaded, if one is being loaded."""
        if (loader := self._loader) is not None:
            loader.wait()

    def report(self, answer: str = "auto", *, tried: bool = False) -> VectorReport:
        """What answers searches by meaning in an app or a server that uses this index, and why. Loads nothing.

        `tried`: after the index was loaded, which takes up to seconds, because it may turn out to be damaged.
        """
        problem = self._loader.problem if self._loader is not None else ""
        if tried:
            from memtui_core.search.vectors.hnsw import loading_problem

            problem = loading_problem(self._index.data)
        return report_vectors(self._index.snapshot, answer, problem)

    def gap(self, text: str | None = None) -> VectorGap | None:
        """The turns that semantic search does not cover; None if it covers all, or does not apply to a query `text`.

        A model that was never loaded is no gap, but one that could not be loaded is.
        """
        if text is not None and not uses_vectors(text):
            return None
        if self._unavailable and not self.has_model:
            return VectorGap(self._unavailable.rstrip("."))
        return _missing_vectors(self._index.snapshot)

    @property
    def embed(self) -> Callable[[str], Vector] | None:
        """Returns the vector of a query; None while the model of the snapshot's vectors is not loaded."""
        return self._vector if self.has_model else None

    def matrix(self, snapshot: Snapshot) -> NearestTurns | None:
        """The vectors in memory, if they are of the model of a snapshot; what they answer holds in that."""
        cached, loader = self._cached, self._loader
        if cached is None or cached.model != model_name(snapshot) or loader is None:
            return None
        from memtui_core.search.vectors.matrix import UnchangedTurns, chunks_state

        matrix = loader.matrix(cached)
        return matrix if cached.state == chunks_state(snapshot) else UnchangedTurns(snapshot, cached, matrix)

    def close(self) -> None:
        """Close the vector index."""
        if self._loader is not None:
            self._loader.close()

    def _model_name(self) -> str | None:
        """The model of the current snapshot's vectors; None if it has none."""
        return model_name(self._index.snapshot)


def _missing_vectors(snapshot: Snapshot) -> VectorGap | None:
    """The turns of a snapshot that have no vectors; None if all have them."""
    from memtui_core.queries.sources import count_turns

    counts = count_turns(snapshot)
    missing = counts.turns - counts.embedded
    if missing <= 0:
        return None
    if not counts.embedded:
        return VectorGap(lack_of_vectors(snapshot.data))
    return VectorGap(missing=missing, turns=counts.turns)


def uses_vectors(text: str) -> bool:
    """Whether semantic search applies to a query, as `Engines.uses_vectors` decides for one with a model."""
    from memtui_core.search.filters.filter import FilterContext
    from memtui_core.search.fusion import is_semantic
    from memtui_core.search.query_parser import parse, resolve_scope

    query = parse(text)
    return is_semantic(query) and resolve_scope(query, FilterContext(datetime.now().astimezone())).fields is None
