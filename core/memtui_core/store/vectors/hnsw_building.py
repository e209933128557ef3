"""Build a vector index from the vectors of a snapshot.

The database is written aside, checkpointed, closed, synced and renamed before anything names it, so that a process
killed at any moment leaves the index that was there.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import _duckdb
from arro3.core import Array, Table, fixed_size_list_array

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import SnapshotVectors, read_manifest
from memtui_core.store.vectors.files import StoredVectors, stored_vectors
from memtui_core.store.vectors.index_entry import (
    IndexEntry,
    building_path,
    checksum,
    current_path,
    index_path,
    read_entry,
    remove_indexes,
    write_entry,
)
from memtui_core.store.vectors.vss import CONFIG, engine_version, load_vss
from memtui_core.system.atomic_files import replace_file, sync
from memtui_core.system.fault_points import fault_point
from memtui_core.system.startup.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_DIMENSIONS: Final = 128
"""Dimensions that are kept: 85 % of the variance of real vectors, and the same ten nearest after ranking again."""
_DIMENSIONS_OF_FEW: Final = 256
"""The same for fewer vectors than `_FEW`: with 128, recall@10 of 5,000 invented ones is .97 instead of .99, and of few
vectors the other dimensions cost little."""
_FEW: Final = 10_000
_EF_CONSTRUCTION: Final = 64
_STEPS: Final = 254
"""Steps from 0 to 1 in which the numbers of a vector are stored; few numbers exceed a half."""
_SAMPLE: Final = 20_000
"""Vectors by which the dimensions are chosen."""
_PIECE: Final = 16_384
"""Vectors that are in memory at once before DuckDB has them."""


def build_index(data: DataDir, *, threads: int = 1) -> IndexEntry | None:
    """Build an index of the newest snapshot's vectors and make it the newest.

    None if there are no vectors, or if they were replaced meanwhile: what was removed must not stay in an index. Raises
    VssUnavailable, _duckdb.Error, OSError or ValueError.
    """
    manifest, before = read_manifest(data), read_entry(data)
    if manifest is None or manifest.vectors is None or not manifest.vectors.size:
        return None
    vectors = manifest.vectors
    data.vector_index.mkdir(exist_ok=True)
    remove_indexes(data, _named(data, before))
    stored, number = stored_vectors(data, vectors), (before.number if before else 0) + 1
    path = index_path(data, number)
    part = path.with_name(f"{path.name}.part")
    _write(str(part), stored, vectors, threads)
    if part.with_name(f"{part.name}.wal").exists():
        raise ValueError(f"{part.name} was not written completely")
    with part.open("rb+") as file:
        sync(file)
    size, sum_of_bytes = part.stat().st_size, checksum(part)
    fault_point("vector-index-written")
    replace_file(part, path)
    fault_point("vector-index-in-place")
    last_hash = int(stored.hashes[-1])
    entry = IndexEntry(number, size, sum_of_bytes, engine_version(), *vectors, last_hash, time.time())
    write_entry(data, entry)
    fault_point("vector-index-named")
    newest = read_manifest(data)
    if newest is None or newest.vectors is None or newest.vectors.file != vectors.file:
        remove_indexes(data)
        return None
    remove_indexes(data, _named(data, before, entry))
    return entry


def _named(data: DataDir, *entries: IndexEntry | None) -> tuple[Path, ...]:
    return (current_path(data), building_path(data), *(entry.path(data) for entry in entries if entry is not None))


def _write(path: str, stored: StoredVectors, vectors: SnapshotVectors, threads: int) -> None:
    axes = _axes(stored)
    kept = len(axes)
    with _duckdb.connect(path, config={**CONFIG, "threads": threads}) as connection:
        load_vss(connection)
        connection.execute("SET hnsw_enable_experimental_persistence = true")
        connection.execute("SET enable_progress_bar_print = false")
        connection.execute("CREATE TABLE about (model VARCHAR, kept INTEGER, axes BLOB)")
        connection.execute("INSERT INTO about VALUES (?, ?, ?)", [vectors.model, kept, axes.tobytes()])
        connection.execute(f"CREATE TABLE vectors (hash BIGINT, embedding FLOAT[{kept}])")
        for first in range(0, vectors.size, _PIECE):
            rows = np.arange(first, min(first + _PIECE, vectors.size))
            values = Array.from_numpy(_reduced(stored.floats(rows), axes).reshape(-1))
            columns = [Array.from_numpy(stored.hashes[rows]), fixed_size_list_array(values, kept)]
            connection.register("piece", Table.from_arrays(columns, names=["hash", "embedding"]))
            connection.execute("INSERT INTO vectors SELECT * FROM piece")
            connection.unregister("piece")
        connection.execute(
            "CREATE INDEX nearest ON vectors USING HNSW (embedding)"
            f" WITH (metric = 'ip', ef_construction = {_EF_CONSTRUCTION})"
        )
        connection.execute("CHECKPOINT")


def _axes(stored: StoredVectors) -> Floats:
    """The directions in which the vectors differ most, one a row: the first right singular vectors of a sample."""
    step = max(1, len(stored.hashes) // _SAMPLE)
    sample = stored.floats(np.arange(0, len(stored.hashes), step))
    kept = _DIMENSIONS if len(stored.hashes) >= _FEW else _DIMENSIONS_OF_FEW
    _, directions = np.linalg.eigh(sample.T @ sample)
    axes: Floats = np.ascontiguousarray(directions[:, ::-1][:, :kept].T, np.float32)
    return axes


def _reduced(vectors: Floats, axes: Floats) -> Floats:
    """The vectors in the kept dimensions, as integers, which DuckDB stores in about a byte each."""
    reduced = vectors @ axes.T
    lengths = np.linalg.norm(reduced, axis=1, keepdims=True)
    unit = reduced / np.where(lengths > 0, lengths, 1.0)
    whole: Floats = np.rint(unit * _STEPS).astype(np.float32)
    return whole
