"""Vectors as a snapshot names them, without transcripts; and what processes of their own do with them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _duckdb
import numpy as np

from bench.vectors import invented
from memtui_core.search.vectors.matrix import CachedVectors, VectorMatrix
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import Manifest, SnapshotVectors, write_manifest
from memtui_core.store.vectors import hnsw_building, vss
from memtui_core.store.vectors.files import StoredVectors, VectorFiles, stored_vectors
from memtui_core.store.vectors.hnsw import VectorIndex
from memtui_core.store.vectors.index_entry import read_entry

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


def ask_from_eight_threads(data: DataDir) -> None:
    """Ask two readers of an index 40 questions a thread; all answers are those of a single thread."""
    entry = read_entry(data)
    assert entry is not None
    indexes = [VectorIndex(data, entry) for _ in range(2)]
    vectors = invented(40, 3)
    alone = [indexes[0].nearest(vector, 300).tolist() for vector in vectors]

    def ask(thread: int) -> list[list[int]]:
        return [indexes[thread % 2].nearest(vector, 300).tolist() for vector in vectors]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(8))) == [alone] * 8


def build_and_die(place: str, data: DataDir) -> None:
    """Build an index, and be killed at a share of it in per cent, or at a step."""
    when, _, step = place.partition(" ")
    connect = _duckdb.connect
    # To check the signature of the extension takes longer than what is built.
    vss.CONFIG["allow_unsigned_extensions"] = True

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def dying(function: Callable[..., object]) -> Callable[..., None]:
        def run(*args: Any, **kwargs: Any) -> None:
            if when == "before":
                die()
            function(*args, **kwargs)
            die()

        return run

    class Connection:
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.real = connect(*args, **kwargs)
            if when == "progress":
                # Otherwise DuckDB keeps an account of it in interactive sessions only.
                self.real.execute("SET enable_progress_bar = true")

        def __enter__(self) -> Connection:
            return self

        def __exit__(self, *error: object) -> None:
            self.real.close()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.real, name)

        def execute(self, sql: str, *parameters: Any) -> object:
            if sql == step == "CHECKPOINT":
                dying(self.real.execute)(sql)
            if sql.startswith("CREATE INDEX") and when == "progress":
                threading.Thread(target=self.watch, daemon=True).start()
            done = self.real.execute(sql, *parameters)
            if sql.startswith("INSERT INTO vectors") and when == "inserted":
                die()
            if sql.startswith("CREATE INDEX") and when == "progress":
                # A busy machine may have given no time to whoever watches.
                die()
            return done

        def watch(self) -> None:
            while self.real.query_progress() < float(step):
                pass
            die()

    if step in {"sync", "replace_file", "write_entry"}:
        setattr(hnsw_building, step, dying(getattr(hnsw_building, step)))
    else:
        _duckdb.connect = Connection  # type: ignore[assignment]
    hnsw_building.build_index(data)
