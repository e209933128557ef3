"""Vectors in files of their own: a vector for each different text, known by the text's hash, only ever added to.

A generation of these files belongs to one model. Readers map them into memory; a snapshot says how many vectors count.
Which turn holds which text says the table of chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import numpy as np

from memtui_core.store.files import DataDir, sync
from memtui_core.store.manifest import VectorsAt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memtui_core.embed import Vector

    Numbers = NDArray[np.int64]
    Rows = NDArray[np.float32]

_FEWEST_UNUSED = 1_000
_UNUSED_SHARE = 0.25
"""Vectors of texts that no turn holds any more are taken out when they are so many, and such a share of all."""


class VectorFiles:
    """The vectors of the indexer: those on disk, and room for more. One process writes them."""

    def __init__(self, data: DataDir, number: int, model: str, dimension: int) -> None:
        self._data = data
        self.number, self.model, self.dimension = number, model, dimension
        self._known = np.sort(_hashes(data, number, dimension))
        self._added: set[int] = set()
        self.count = len(self._known)
        """Vectors that are on disk whole."""

    @property
    def at(self) -> VectorsAt:
        """What a snapshot says of them."""
        return VectorsAt(self.number, self.model, self.dimension, self.count)

    def known(self, hashes: Sequence[int]) -> set[int]:
        """Which of the texts have a vector."""
        wanted = np.unique(np.array(hashes, np.int64))
        places = np.searchsorted(self._known, wanted)
        there = wanted[places < len(self._known)]
        there = there[self._known[places[: len(there)]] == there]
        return {*there.tolist(), *self._added.intersection(hashes)}

    def append(self, vectors: Mapping[int, Vector]) -> None:
        """Add the vectors of texts that have none, by the hash of the text; they are on the disk afterwards."""
        if not vectors:
            return
        hashes = np.array(list(vectors), np.int64)
        rows = np.stack(list(vectors.values())).astype(np.float32, copy=False)
        self._data.vectors(self.number).parent.mkdir(parents=True, exist_ok=True)
        _write_behind(self._data.vectors(self.number), self.count * self.dimension * 4, rows.tobytes())
        _write_behind(self._data.vector_hashes(self.number), self.count * 8, hashes.tobytes())
        self.count += len(hashes)
        self._added.update(vectors)

    def without_unused(self, used: Iterable[int]) -> VectorFiles | None:
        """A next generation without the vectors of texts that are not used; None while these are too few."""
        kept = np.isin(_hashes(self._data, self.number, self.dimension), np.array(list(used), np.int64))
        unused = self.count - int(kept.sum())
        if unused < max(_FEWEST_UNUSED, _UNUSED_SHARE * self.count):
            return None
        stored = stored_vectors(self._data, self.at)
        next_one = VectorFiles(self._data, self.number + 1, self.model, self.dimension)
        next_one.clear()
        if kept.any():
            next_one.append(dict(zip(stored.hashes[kept].tolist(), stored.rows[kept], strict=True)))
        return next_one

    def clear(self) -> None:
        """Begin anew, whatever stands in the files."""
        for path in (self._data.vectors(self.number), self._data.vector_hashes(self.number)):
            path.unlink(missing_ok=True)
        self.count, self._known, self._added = 0, self._known[:0], set()


class StoredVectors:
    """The vectors of a snapshot, mapped from their file; the system reads what is used."""

    def __init__(self, hashes: Numbers, rows: Rows) -> None:
        self.hashes = hashes
        """Of the texts, in the order of the vectors."""
        self.rows = rows
        """The vector of each text."""
        self._order = np.argsort(hashes, kind="stable")

    def rows_of(self, hashes: Numbers) -> Numbers:
        """The row of the vector of each text, -1 for a text that has none."""
        if not len(self.hashes):
            return np.full(len(hashes), -1, np.int64)
        places = np.searchsorted(self.hashes, hashes, sorter=self._order)
        rows = self._order[np.minimum(places, len(self.hashes) - 1)]
        return np.where(self.hashes[rows] == hashes, rows, -1)


def stored_vectors(data: DataDir, at: VectorsAt) -> StoredVectors:
    """Map the vectors that a snapshot names. Raises OSError or ValueError when the files are not as it says."""
    if not at.size:
        return StoredVectors(np.empty(0, np.int64), np.empty((0, at.dimension), np.float32))
    hashes = np.fromfile(data.vector_hashes(at.file), np.int64, at.size)
    rows = np.memmap(data.vectors(at.file), np.float32, "r", shape=(at.size, at.dimension))
    if len(hashes) < at.size:
        raise ValueError(f"{len(hashes)} of {at.size} vectors are there")
    return StoredVectors(hashes, rows)


def note_generation(connection: duckdb.DuckDBPyConnection, files: VectorFiles) -> None:
    """Say in the store which files hold its vectors."""
    for key, text in (("model", files.model), ("vectors", files.number), ("dimension", files.dimension)):
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, str(text)])


def adopt_table(connection: duckdb.DuckDBPyConnection, data: DataDir) -> None:
    """Move the vectors of an index of version 2, which kept them in a table, to files; before it is migrated."""
    if connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'vectors'").fetchall() == [(0,)]:
        return
    [(model,)] = connection.execute("SELECT any_value(value) FROM meta WHERE key = 'model'").fetchall()
    rows = connection.execute("SELECT hash, embedding FROM vectors ORDER BY hash")
    files: VectorFiles | None = None
    while batch := rows.fetchmany(10_000):
        vectors = {key: np.array(values, np.float32) for key, values in batch}
        if files is None:
            files = VectorFiles(data, 1, model, len(batch[0][1]))
            files.clear()
        files.append(vectors)
    if files is not None:
        note_generation(connection, files)


def _hashes(data: DataDir, number: int, dimension: int) -> Numbers:
    """The hashes of all vectors that are on disk whole."""
    try:
        whole = data.vectors(number).stat().st_size // (4 * dimension)
        return np.fromfile(data.vector_hashes(number), np.int64)[:whole]
    except OSError:
        return np.empty(0, np.int64)


def _write_behind(path: Path, size: int, data: bytes) -> None:
    """Write behind the first bytes of a file; what a process that died left behind them is overwritten."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.seek(size)
        file.truncate()
        file.write(data)
        sync(file)
