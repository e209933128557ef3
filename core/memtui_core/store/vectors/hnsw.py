"""The vector index: an HNSW index by DuckDB's vss, in an immutable database of its own.

The index holds the hash of each text and its vector in fewer dimensions, as small integers: a third of the size and of
the work of building it, and what it finds is ranked again with the whole vectors. It may be older than the vectors of a
snapshot, and contain some that it lacks.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import _duckdb

from memtui_core.store.data_folder import DataDir
from memtui_core.store.vectors.index_entry import IndexEntry
from memtui_core.store.vectors.vss import CONFIG, load_vss
from memtui_core.system.startup.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memtui_core.system.startup.numeric import Vector

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

MOST_FOUND: Final = 512
"""The most vectors that a query may ask for: more take longer than the exact products."""
CANDIDATE_SHARE: Final = 1000
"""A search keeps one vector in so many as candidates: of a million, recall@10 is .96, and .91 with half of them."""
_QUERIES = threading.Lock()
"""Held during each query of an index: threads on cursors of one database crash vss."""


def candidates(size: int) -> int:
    """How many candidates a search of an index with `size` vectors keeps (`hnsw_ef_search`)."""
    return max(MOST_FOUND, size // CANDIDATE_SHARE)


class VectorIndex:
    """An index, opened read-only. Any thread may ask; one query runs at a time in a process.

    Raises VssUnavailable, _duckdb.Error, or ValueError for a database that contains something else.
    """

    def __init__(self, data: DataDir, entry: IndexEntry) -> None:
        path = entry.path(data)
        self.entry = entry
        self.asked = 0
        """The number of queries that were answered."""
        self._connection = _duckdb.connect(":memory:", config={**CONFIG, "threads": 1})
        try:
            load_vss(self._connection)
            quoted = str(path).replace("'", "''")
            self._connection.execute(f"ATTACH '{quoted}' AS vector_index (READ_ONLY)")
            self._connection.execute(f"SET hnsw_ef_search = {candidates(entry.size)}")
            # Of few rows, DuckDB would read the hashes by a scan of the table.
            self._connection.execute("SET disabled_optimizers = 'late_materialization'")
            [(axes, kept)] = self._connection.execute("SELECT axes, kept FROM vector_index.about").fetchall()
            self._axes: Floats = np.frombuffer(axes, np.float32).reshape(kept, entry.dimension)
            # The first query reads the index into memory, which takes up to seconds.
            self.nearest(self._axes[0], 1)
        except BaseException:
            self._connection.close()
            raise

    def nearest(self, vector: Vector, count: int) -> Numbers:
        """The hashes of about the nearest texts, at most MOST_FOUND, the nearest first."""
        with _QUERIES:
            found = self._connection.execute(self.statement(vector, count)).fetchnumpy()
            self.asked += 1
        hashes: Numbers = np.asarray(found["hash"], np.int64)
        return hashes

    def statement(self, vector: Vector, count: int) -> str:
        """The query: only in this form it is answered from the index, without a condition and from one table."""
        values = ",".join(f"{value:.5g}" for value in (self._axes @ vector).tolist())
        distance = f"array_negative_inner_product(embedding, '[{values}]'::FLOAT[{len(self._axes)}])"
        return f"SELECT hash FROM vector_index.vectors ORDER BY {distance} LIMIT {min(count, MOST_FOUND)}"

    def hashes(self) -> Numbers:
        """The hashes of all its texts."""
        with _QUERIES:
            found = self._connection.execute("SELECT hash FROM vector_index.vectors").fetchnumpy()
        hashes: Numbers = np.asarray(found["hash"], np.int64)
        return hashes

    def close(self) -> None:
        """Close the database, after the query that is running."""
        with _QUERIES:
            self._connection.close()
