"""Vectors in append-only files of their own: one vector for each distinct text, identified by the hash of the text.

A generation of these files belongs to one model. Readers map them into memory; the manifest of a snapshot contains the
number of vectors in it. The table of chunks says which turn contains which text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memtui_core.store.files import DataDir, sync
from memtui_core.store.manifest import SnapshotVectors

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

    from memtui_core.embed import Vector

    Numbers = NDArray[np.int64]
    Rows = NDArray[np.float32]

_FEWEST_UNUSED = 1_000
_UNUSED_SHARE = 0.25
"""Vectors of texts that no turn contains any more are removed if there are at least this many, and this share."""


class VectorFiles:
    """The vector files of the indexer, the only process that writes them."""

    def __init__(self, data: DataDir, number: int, model: str, dimension: int) -> None:
        self._data = data
        self.number, self.model, self.dimension = number, model, dimension
        self._known = np.sort(_hashes(data, number, dimension))
        self._added: set[int] = set()
        self.count = len(self._known)
        """The number of complete vectors on the disk."""

    @property
    def current(self) -> SnapshotVectors:
        """All vectors, as an entry of a manifest."""
        return SnapshotVectors(self.number, self.model, self.dimension, self.count)

    def known(self, hashes: Sequence[int]) -> set[int]:
        """Those hashes of texts for which there is a vector."""
        queried = np.unique(np.array(hashes, np.int64))
        positions = np.searchsorted(self._known, queried)
        present = queried[positions < len(self._known)]
        present = present[self._known[positions[: len(present)]] == present]
        return {*present.tolist(), *self._added.intersection(hashes)}

    def append(self, vectors: Mapping[int, Vector]) -> None:
        """Add vectors by the hash of their text, for texts without a vector, and sync the files."""
        if not vectors:
            return
        hashes = np.array(list(vectors), np.int64)
        rows = np.stack(list(vectors.values())).astype(np.float32, copy=False)
        self._data.vectors(self.number).parent.mkdir(parents=True, exist_ok=True)
        _write_after(self._data.vectors(self.number), self.count * self.dimension * 4, rows.tobytes())
        _write_after(self._data.vector_hashes(self.number), self.count * 8, hashes.tobytes())
        self.count += len(hashes)
        self._added.update(vectors)

    def without_unused(self, used: Iterable[int], *, at_least: int | None = None) -> VectorFiles | None:
        """The next generation, without the vectors of unused texts; None if fewer than `at_least` are unused.

        The default is a number that makes writing a new generation worth it.
        """
        kept = np.isin(_hashes(self._data, self.number, self.dimension), np.array(list(used), np.int64))
        unused = self.count - int(kept.sum())
        if unused < (max(_FEWEST_UNUSED, _UNUSED_SHARE * self.count) if at_least is None else at_least):
            return None
        stored = stored_vectors(self._data, self.current)
        generation = VectorFiles(self._data, self.number + 1, self.model, self.dimension)
        generation.clear()
        if kept.any():
            generation.append(dict(zip(stored.hashes[kept].tolist(), stored.rows[kept], strict=True)))
        return generation

    def clear(self) -> None:
        """Delete the files."""
        for path in (self._data.vectors(self.number), self._data.vector_hashes(self.number)):
            path.unlink(missing_ok=True)
        self.count, self._known, self._added = 0, self._known[:0], set()


class StoredVectors:
    """The vectors of a snapshot, mapped from their file, so that only the parts in use are read."""

    def __init__(self, hashes: Numbers, rows: Rows) -> None:
        self.hashes = hashes
        """The hashes of the texts, in the order of the vectors."""
        self.rows = rows
        """The vectors, one a row."""
        self._order = np.argsort(hashes, kind="stable")

    def rows_of(self, hashes: Numbers) -> Numbers:
        """The row of the vector of each text, -1 for a text that has none."""
        if not len(self.hashes):
            return np.full(len(hashes), -1, np.int64)
        places = np.searchsorted(self.hashes, hashes, sorter=self._order)
        rows = self._order[np.minimum(places, len(self.hashes) - 1)]
        return np.where(self.hashes[rows] == hashes, rows, -1)


def stored_vectors(data: DataDir, entry: SnapshotVectors) -> StoredVectors:
    """Map the vectors of a snapshot. Raises OSError or ValueError if the files are missing or too short."""
    if not entry.size:
        return StoredVectors(np.empty(0, np.int64), np.empty((0, entry.dimension), np.float32))
    hashes = np.fromfile(data.vector_hashes(entry.file), np.int64, entry.size)
    rows = np.memmap(data.vectors(entry.file), np.float32, "r", shape=(entry.size, entry.dimension))
    if len(hashes) < entry.size:
        raise ValueError(f"{len(hashes)} of {entry.size} vectors are there")
    return StoredVectors(hashes, rows)


def write_generation(connection: duckdb.DuckDBPyConnection, files: VectorFiles) -> None:
    """Store in the work database which files contain its vectors."""
    for key, text in (("model", files.model), ("vectors", files.number), ("dimension", files.dimension)):
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, str(text)])


def move_table_to_files(connection: duckdb.DuckDBPyConnection, data: DataDir) -> None:
    """Move the vectors of an index of schema 2, in which they are in a table, to files; called before the migration."""
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
        write_generation(connection, files)


def _hashes(data: DataDir, number: int, dimension: int) -> Numbers:
    """The hashes of all complete vectors on the disk."""
    try:
        complete = data.vectors(number).stat().st_size // (4 * dimension)
        return np.fromfile(data.vector_hashes(number), np.int64)[:complete]
    except OSError:
        return np.empty(0, np.int64)


def _write_after(path: Path, size: int, data: bytes) -> None:
    """Write after the first `size` bytes of a file; bytes after them, left by a process that died, are overwritten."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.seek(size)
        file.truncate()
        file.write(data)
        sync(file)
