"""The vectors of an index: readers open those of a snapshot, the indexer adds vectors together with their chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arro3.core import list_flatten

from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.vectors.codes import FloatVectors
from memtui_core.store.vectors.files import (
    StoredVectors,
    VectorFiles,
    convert_wide,
    count_wide,
    stored_vectors,
    write_generation,
)
from memtui_core.system.fault_points import fault_point
from memtui_core.system.startup.numeric import np

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase
    from memtui_core.system.startup.numeric import Vector

ChunkRow = tuple[int, int, int | None, None, int, int]
"""Id of the turn, number in the turn, hash of the text, no text, start and end as characters of the conversation.

A turn without text has one row without a hash.
"""


def vectors_of(snapshot: Snapshot) -> StoredVectors | None:
    """The vectors of a snapshot; None if it has none or they cannot be read."""
    entry = snapshot.manifest.vectors
    try:
        if entry is not None:
            return stored_vectors(snapshot.data, entry)
        return _vectors_in_table(snapshot) if snapshot.version == 2 else None
    except (OSError, ValueError):
        return None


def open_vectors(work: WorkDatabase, published: SnapshotVectors | None) -> VectorFiles | None:
    """The vector files of an index; None if it has none, or if they are damaged: fewer vectors than were published.

    Those of an earlier version are converted.
    """
    model = work.model
    number = work.scalar("SELECT value FROM meta WHERE key = 'vectors'")
    dimension = work.scalar("SELECT value FROM meta WHERE key = 'dimension'")
    if model is None or number is None:
        return None
    entry = SnapshotVectors(int(number), model, int(dimension), 0)
    fewest = published.size if published is not None and published.file == entry.file else 0
    if work.data.vector_keys(entry.file).exists():
        files = VectorFiles(work.data, *entry[:3])
        return files if files.count >= fewest else None
    count = count_wide(work.data, entry.file, entry.dimension)
    if count is None or count < fewest:
        return None
    converted = convert_wide(work.data, entry._replace(size=count))
    with work.transaction():
        write_generation(work.connection, converted)
    return converted


def prepare_vectors(work: WorkDatabase, current: VectorFiles | None, model: str, dimension: int) -> VectorFiles:
    """The vector files for a model: the current ones, or new ones if they are missing or of another model."""
    if current is not None and (current.model, current.dimension) == (model, dimension):
        return current
    number = int(work.scalar("SELECT value FROM meta WHERE key = 'vectors'") or 0) + 1
    files = VectorFiles(work.data, number, model, dimension)
    files.clear()
    fault_point("vectors-cleared")
    with work.transaction():
        if work.scalar("SELECT count(*) FROM chunks"):
            work.clear("chunks")
        write_generation(work.connection, files)
    return files


def put_vectors(
    work: WorkDatabase, files: VectorFiles, chunks: Sequence[ChunkRow], vectors: Mapping[int, Vector]
) -> None:
    """Add vectors and then their chunks; all chunks of a turn must be in the same call."""
    files.append(vectors)
    if chunks:
        with work.transaction():
            work.put("chunks", chunks)


def _vectors_in_table(snapshot: Snapshot) -> StoredVectors | None:
    """The vectors of a snapshot of schema 2."""
    if snapshot.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'vectors'") == [(0,)]:
        return None
    table = snapshot.table("SELECT hash, embedding FROM vectors ORDER BY hash")
    hashes = np.asarray(table.column(0).combine_chunks())
    rows = np.asarray(list_flatten(table.column(1).combine_chunks()))
    return StoredVectors(hashes, FloatVectors(rows.reshape(table.num_rows, -1)))
