"""Vectors as a snapshot names them, without transcripts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memtui_core.search.vector_chunks import CachedVectors
from memtui_core.search.vector_matrix import VectorMatrix
from memtui_core.store.files import DataDir
from memtui_core.store.manifest import Manifest, SnapshotVectors, write_manifest
from memtui_core.store.stored_vectors import StoredVectors, stored_vectors
from memtui_core.store.vector_files import VectorFiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


def publish_vectors(folder: Path, vectors: Floats, first: int = 0, file: int = 1) -> DataDir:
    """Add vectors to a file, with their places from `first` on as hashes, and a manifest that names them."""
    data = DataDir(folder)
    files = VectorFiles(data, file, "invented", vectors.shape[1])
    files.append(dict(enumerate(vectors, first)))
    data.snapshots.mkdir(parents=True, exist_ok=True)
    write_manifest(data, Manifest(1, 1, vectors=files.current))
    return data


def cached(data: DataDir, entry: SnapshotVectors) -> CachedVectors:
    """Every vector as the only chunk of a turn, whose id is the hash."""
    stored = stored_vectors(data, entry)
    return CachedVectors(entry.model, stored, one_chunk_a_turn(stored), (entry, "chunks"))


def one_chunk_a_turn(stored: StoredVectors) -> VectorMatrix:
    """The matrix of turns with one chunk each, whose ids are the hashes."""
    rows = np.arange(len(stored.hashes))
    return VectorMatrix.of(stored.vectors, rows, stored.hashes, np.zeros_like(rows), stored.hashes)
