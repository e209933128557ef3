"""Semantic search with the vector index: its answer, merged with the exact products of vectors newer than the index."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import _duckdb
import numpy as np

from memtui_core.search.vectors.matrix import CachedVectors, TurnHits, VectorMatrix, nearest_first
from memtui_core.store.data_folder import DataDir
from memtui_core.store.vectors.files import StoredVectors
from memtui_core.store.vectors.hnsw import MOST_FOUND, VectorIndex
from memtui_core.store.vectors.index_entry import IndexEntry, read_entry
from memtui_core.store.vectors.index_rules import MOSTLY_NEWER, lacks_most, may_answer, misfit
from memtui_core.store.vectors.vss import VssUnavailable, engine_version

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memtui_core.system.startup.numeric import Vector

    IntArray = NDArray[np.int64]

_log = logging.getLogger(__name__)
_ENOUGH: Final = 4
"""If the index finds fewer turns than one in so many of those requested, all vectors are compared instead."""

_FAILURES: Final = (VssUnavailable, _duckdb.Error, OSError, ValueError, MemoryError)
"""What loading an index may raise."""


@dataclass(frozen=True, slots=True)
class NearMatrix:
    """The chunks of a snapshot with an index: unfiltered queries are answered by the index, others exactly."""

    matrix: VectorMatrix
    stored: StoredVectors
    index: VectorIndex
    first_new: int
    """The first vector that may not be in the index; those from there on are compared exactly."""

    def nearest(self, vector: Vector, limit: int, decimals: int, turns: IntArray | None = None) -> TurnHits:
        """The nearest turns among some turns, exactly."""
        return self.matrix.nearest(vector, limit, decimals, turns)

    def nearest_of_all(self, vector: Vector, limit: int, decimals: int) -> TurnHits:
        """About the nearest turns of all; exactly these if the index finds too few or fails, or more are asked for."""
        if limit <= MOST_FOUND:
            try:
                # Not fewer for few turns: the index ranks by fewer dimensions, so its first are not always the nearest.
                places = self.matrix.chunks_of(self._texts(vector, MOST_FOUND))
            except _duckdb.Error as error:
                _log.warning("The vector index has failed: %s", str(error).split("\n", 1)[0])
                return self.matrix.nearest_of_all(vector, limit, decimals)
            if self.matrix.turn_count(places) * _ENOUGH >= min(limit, len(self.matrix.texts)):
                return self.matrix.rank(vector, limit, decimals, places)
        return self.matrix.nearest_of_all(vector, limit, decimals)

    def _texts(self, vector: Vector, count: int) -> IntArray:
        """The rows of the nearest texts: of those in the index, and of the newer ones."""
        rows = self.stored.rows_of(self.index.nearest(vector, count))
        newer = next(nearest_first(self.stored.vectors.products(vector, self.first_new), count)) + self.first_new
        found = np.unique(np.concatenate([rows[rows >= 0], newer]))
        if len(found) <= count:
            return found
        closeness = self.stored.vectors.exact_products(vector, found)
        best: IntArray = found[np.argpartition(-closeness, count - 1)[:count]]
        return best


class IndexLoader:
    """Loads the newest index in a thread of its own, so that no query waits for it."""

    def __init__(self, data: DataDir, mode: str = "auto") -> None:
        self._data = data
        self._mode = mode
        self._lock = threading.Lock()
        self._tried: tuple[IndexEntry, object] | None = None
        """The index, and the vectors for which it was tried to load it."""
        self._thread: threading.Thread | None = None
        self._loaded: NearMatrix | None = None
        self.problem = ""
        """Why the newest index could not be loaded."""

    def matrix(self, cached: CachedVectors) -> VectorMatrix | NearMatrix:
        """What answers now: the index, if it is loaded and these vectors only add to its own, or else all products."""
        self._load_newest(cached)
        near = self._loaded
        if near is None:
            return cached.matrix
        if near.matrix is cached.matrix:
            return near
        first_new = near.first_new if near.stored is cached.stored else _first_added(near.index.entry, cached)
        if first_new is None or lacks_most(first_new, len(cached.stored.hashes)):
            return cached.matrix
        return NearMatrix(cached.matrix, cached.stored, near.index, first_new)

    def wait(self) -> None:
        """Wait until the index is loaded that is being loaded."""
        if (thread := self._thread) is not None:
            thread.join()

    def close(self) -> None:
        """Close the index."""
        self.wait()
        near, self._loaded = self._loaded, None
        if near is not None:
            near.index.close()

    def _load_newest(self, cached: CachedVectors) -> None:
        if not may_answer(self._mode, len(cached.stored.hashes)):
            return
        entry = read_entry(self._data)
        with self._lock:
            is_busy = self._thread is not None and self._thread.is_alive()
            if entry is None or is_busy or (self._tried is not None and self._tried == (entry, cached.state[0])):
                return
            self._tried = entry, cached.state[0]
            self._thread = threading.Thread(
                target=self._load, args=(entry, cached), name="memtui-vector-index", daemon=True
            )
            self._thread.start()

    def _load(self, entry: IndexEntry, cached: CachedVectors) -> None:
        before = self._loaded
        try:
            vectors = cached.state[0]
            self.problem = misfit(entry, vectors, engine_version()) if vectors is not None else ""
            if vectors is None or self.problem:
                return
            is_same = before is not None and before.index.entry == entry
            index = before.index if before is not None and is_same else VectorIndex(self._data, entry)
            first_new = _first_new(index, cached)
            if lacks_most(first_new, len(cached.stored.hashes)):
                self.problem = MOSTLY_NEWER
                self._loaded = None
                return
            self._loaded = NearMatrix(cached.matrix, cached.stored, index, first_new)
        except _FAILURES as error:
            self.problem = _clause(error)
            _log.info("the vector index is not used: %s", self.problem)


def loading_problem(data: DataDir) -> str:
    """Why the newest index cannot be loaded, a clause for the user; empty if it can, or if there is none."""
    entry = read_entry(data)
    try:
        # The format of another version may crash the process.
        if entry is not None and entry.engine == engine_version():
            VectorIndex(data, entry).close()
    except _FAILURES as error:
        return _clause(error)
    return ""


def _clause(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else "too little memory"


def _first_added(entry: IndexEntry, cached: CachedVectors) -> int | None:
    """The first vector that was added to those of an index; None if the files are not the ones that it was built from.

    Files are only added to, in the order in which the vectors were made.
    """
    vectors, hashes = cached.state[0], cached.stored.hashes
    is_same_file = vectors is not None and vectors.file == entry.file and len(hashes) >= entry.size
    return entry.size if is_same_file and hashes[entry.size - 1] == entry.last_hash else None


def _first_new(index: VectorIndex, cached: CachedVectors) -> int:
    """The first vector that is not in an index, whatever files it was built from."""
    added = _first_added(index.entry, cached)
    if added is not None:
        return added
    known = np.isin(cached.stored.hashes, index.hashes())
    return len(known) if known.all() else int(np.argmin(known))
