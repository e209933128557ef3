"""The vectors of a snapshot, mapped from their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.vectors.codes import CodedVectors, FloatVectors, decode, encode
from memtui_core.system.startup.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
