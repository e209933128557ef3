"""Vectors in append-only files of their own: one vector for each distinct text, identified by the hash of the text.

A generation of these files belongs to one model. Readers map them into memory; the manifest of a snapshot contains the
number of vectors in it. The table of chunks says which turn contains which text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.vectors import checksums
from memtui_core.store.vectors.codes import CodedVectors, FloatVectors, decode, encode
from memtui_core.system.atomic_files import sync
from memtui_core.system.fault_points import fault_point
from memtui_core.system.startup.numeric import np

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

    from memtui_core.system.startup.numeric import Vector

    Codes = NDArray[np.int8]
    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

KEY: Final = [("hash", "<i8"), ("factor", "<f4")]
"""What the files keep beside the codes of a vector; without gaps, so that it has 12 bytes."""


class StoredVectors:
    """Vectors by the hash of their text."""

    def __init__(self, hashes: Numbers, vectors: CodedVectors | FloatVectors) -> None:
        self.hashes = hashes
        """The hashes of the texts, in the order of the vectors."""
        self.vectors = vectors
        """The vectors, one a row."""
        self._order: Numbers | None = None
        """The rows in the order of their hashes, once all of them were asked for."""

    def rows_of(self, hashes: Numbers, among: Numbers | None = None) -> Numbers:
        """The row of the vector of each text, -1 for a text that has none.

        With `among`, some rows, only these are found, and the others are not sorted.
        """
        if among is not None:
            return _found(self.hashes[among], np.argsort(self.hashes[among]), among, hashes)
        if self._order is None:
            self._order = np.argsort(self.hashes)
        return _found(self.hashes, self._order, None, hashes)

    def floats(self, rows: Numbers | slice = slice(None)) -> Floats:
        """Some vectors, or all, with 32 bits a number."""
        if isinstance(self.vectors, CodedVectors):
            return decode(self.vectors.codes[rows], self.vectors.factors[rows])
        return self.vectors.rows[rows]

    def coded(self, rows: Numbers) -> tuple[Codes, Floats]:
        """The codes and factors of some rows."""
        if isinstance(self.vectors, CodedVectors):
            return self.vectors.codes[rows], self.vectors.factors[rows]
        return encode(self.vectors.rows[rows])


def stored_vectors(data: DataDir, entry: SnapshotVectors) -> StoredVectors:
    """Map the vectors of a snapshot. Raises OSError or ValueError if the files are missing or too short."""
    if not entry.size:
        empty = CodedVectors(np.empty((0, entry.dimension), np.int8), np.empty(0, np.float32))
        return StoredVectors(np.empty(0, np.int64), empty)
    shape = (entry.size, entry.dimension)
    path = data.vectors(entry.file)
    if not path.exists() and data.wide_vectors(entry.file).exists():
        hashes = np.fromfile(data.wide_hashes(entry.file), np.int64, entry.size)
        rows = np.memmap(data.wide_vectors(entry.file), np.float32, "r", shape=shape)
        return StoredVectors(_complete(hashes, entry), FloatVectors(rows))
    keys = _complete(np.fromfile(data.vector_keys(entry.file), KEY, entry.size), entry)
    codes = np.asarray(np.memmap(path, np.int8, "r", shape=shape))
    return StoredVectors(keys["hash"].astype(np.int64), CodedVectors(codes, keys["factor"].astype(np.float32)))


def _found(known: Numbers, order: Numbers, rows: Numbers | None, hashes: Numbers) -> Numbers:
    """The rows of hashes, -1 for those that are not known; `order` sorts the known ones."""
    if not len(known):
        return np.full(len(hashes), -1, np.int64)
    places = order[np.minimum(np.searchsorted(known, hashes, sorter=order), len(order) - 1)]
    return np.where(known[places] == hashes, places if rows is None else rows[places], -1)


def _complete(keys: NDArray[Any], entry: SnapshotVectors) -> NDArray[Any]:
    if len(keys) < entry.size:
        raise ValueError(f"{len(keys)} of {entry.size} vectors are there")
    return keys


_FEWEST_UNUSED = 1_000
_UNUSED_SHARE = 0.25
"""Vectors of texts that no turn contains any more are removed if there are at least this many, and this share."""
_PIECE: Final = 16_384
"""Vectors that are copied at once, and hashes that are added to the sorted ones at once."""


class VectorFiles:
    """The vector files of the indexer, the only process that writes them."""

    def __init__(self, data: DataDir, number: int, model: str, dimension: int) -> None:
        self._data = data
        self.number, self.model, self.dimension = number, model, dimension
        self._known = np.sort(_hashes(data, number, dimension))
        self._added: set[int] = set()
        """Hashes that are not in `_known` yet."""
        self.count = len(self._known)
        """The number of complete vectors on the disk."""
        self._sums: checksums.Sums | None = None
        """The checksums of the files; None until vectors are added."""

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
        if vectors:
            codes, factors = encode(np.stack(list(vectors.values())).astype(np.float32, copy=False))
            self._append(np.array(list(vectors), np.int64), codes, factors)

    def without_unused(self, used: Numbers, *, at_least: int | None = None) -> VectorFiles | None:
        """The next generation, without the vectors of unused texts; None if fewer than `at_least` are unused.

        `used` are the hashes of all other texts. The default is a number that makes writing a new generation worth it.
        """
        kept = np.flatnonzero(np.isin(_hashes(self._data, self.number, self.dimension), used))
        unused = self.count - len(kept)
        if unused < (max(_FEWEST_UNUSED, _UNUSED_SHARE * self.count) if at_least is None else at_least):
            return None
        generation = VectorFiles(self._data, self.number + 1, self.model, self.dimension)
        generation.clear()
        generation.append_from(stored_vectors(self._data, self.current), kept)
        return generation

    def append_from(self, stored: StoredVectors, rows: Numbers) -> None:
        """Add some rows of other files, in pieces; what is coded already is copied."""
        for first in range(0, len(rows), _PIECE):
            piece = rows[first : first + _PIECE]
            self._append(stored.hashes[piece], *stored.coded(piece))

    def clear(self) -> None:
        """Delete the files."""
        for path in self._data.vector_files(self.number):
            path.unlink(missing_ok=True)
        self.count, self._known, self._added, self._sums = 0, self._known[:0], set(), None

    def _append(self, hashes: Numbers, codes: NDArray[np.int8], factors: NDArray[np.float32]) -> None:
        keys: NDArray[Any] = np.empty(len(hashes), KEY)
        keys["hash"], keys["factor"] = hashes, factors
        self._data.vectors(self.number).parent.mkdir(parents=True, exist_ok=True)
        _write_after(self._data.vectors(self.number), self.count * self.dimension, codes.tobytes())
        fault_point("codes-written")
        _write_after(self._data.vector_keys(self.number), self.count * keys.itemsize, keys.tobytes())
        fault_point("vectors-written")
        self.count += len(hashes)
        self._sums = self._sums or checksums.read(self._data, self.number)
        self._sums = checksums.extended(self._data, self.number, self.dimension, self._sums, self.count)
        checksums.write(self._data, self.number, self._sums)
        self._added.update(hashes.tolist())
        if len(self._added) >= _PIECE:
            self._known = np.union1d(self._known, np.fromiter(self._added, np.int64, len(self._added)))
            self._added = set()


def write_generation(connection: duckdb.DuckDBPyConnection, files: VectorFiles) -> None:
    """Store in the work database which files contain its vectors."""
    for key, text in (("model", files.model), ("vectors", files.number), ("dimension", files.dimension)):
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, str(text)])


def convert_wide(data: DataDir, entry: SnapshotVectors) -> VectorFiles:
    """The next generation with the vectors of an earlier version, which have 32 bits a number.

    Raises OSError or ValueError if their files are missing or too short.
    """
    stored = stored_vectors(data, entry)
    files = VectorFiles(data, entry.file + 1, entry.model, entry.dimension)
    files.clear()
    files.append_from(stored, np.arange(len(stored.hashes)))
    return files


def count_wide(data: DataDir, number: int, dimension: int) -> int | None:
    """The number of complete vectors in the files of an earlier version; None if there are no such files."""
    try:
        sizes = (data.wide_vectors(number).stat().st_size // (4 * dimension), data.wide_hashes(number).stat().st_size)
    except OSError:
        return None
    return min(sizes[0], sizes[1] // 8)


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
        complete = data.vectors(number).stat().st_size // dimension
        hashes: Numbers = np.fromfile(data.vector_keys(number), KEY)["hash"][:complete].astype(np.int64)
        return hashes
    except OSError:
        return np.empty(0, np.int64)


def _write_after(path: Path, size: int, data: bytes) -> None:
    """Write after the first `size` bytes of a file; bytes after them, left by a process that died, are overwritten."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.seek(size)
        file.truncate()
        file.write(data)
        sync(file)
