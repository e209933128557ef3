"""The vectors of an index: found by who reads it, and added to by the indexer beside the chunks that they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from arro3.core import list_flatten

from memtui_core.store.manifest import VectorsAt
from memtui_core.store.reader import Snapshot
from memtui_core.store.vector_files import StoredVectors, VectorFiles, note_generation, stored_vectors
from memtui_core.store.work import Work

if TYPE_CHECKING:
    from memtui_core.embed import Vector

ChunkRow = tuple[int, int, int | None, None, int, int]
"""Turn, place in the turn, hash of the text, no text, first character and the one behind the last in the conversation.

A turn without text has one row without a hash.
"""


def vectors_of(snapshot: Snapshot) -> StoredVectors | None:
    """The vectors of a snapshot; None when it has none that can be read."""
    at = snapshot.manifest.vectors
    try:
        if at is not None:
            return stored_vectors(snapshot.data, at)
        return _in_table(snapshot) if snapshot.version == 2 else None
    except (OSError, ValueError):
        return None


def open_vectors(work: Work, published: VectorsAt | None) -> VectorFiles | None:
    """The vectors that an index has; None when it has none, or fewer than were published: the files are damaged."""
    model = work.scalar("SELECT value FROM meta WHERE key = 'model'")
    number = work.scalar("SELECT value FROM meta WHERE key = 'vectors'")
    dimension = work.scalar("SELECT value FROM meta WHERE key = 'dimension'")
    if model is None or number is None or not work.data.vector_hashes(int(number)).exists():
        return None
    files = VectorFiles(work.data, int(number), model, int(dimension))
    damaged = published is not None and published.file == files.number and files.count < published.size
    return None if damaged else files


def prepare(work: Work, held: VectorFiles | None, model: str, dimension: int) -> VectorFiles:
    """Room for the vectors of a model: those held, or new files where they are another model's or are gone."""
    if held is not None and (held.model, held.dimension) == (model, dimension):
        return held
    number = int(work.scalar("SELECT value FROM meta WHERE key = 'vectors'") or 0) + 1
    made = VectorFiles(work.data, number, model, dimension)
    made.clear()
    with work.transaction():
        if work.scalar("SELECT count(*) FROM chunks"):
            work.connection.execute("DELETE FROM chunks")
            work.changes.lose()
        note_generation(work.connection, made)
    return made


def put(work: Work, files: VectorFiles, chunks: Sequence[ChunkRow], vectors: Mapping[int, Vector]) -> None:
    """Add vectors, and then the chunks that they stand for; chunks of one turn come together."""
    files.append(vectors)
    if chunks:
        with work.transaction():
            work.put("chunks", chunks)


def _in_table(snapshot: Snapshot) -> StoredVectors | None:
    """The vectors of a snapshot of version 2."""
    if snapshot.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'vectors'") == [(0,)]:
        return None
    found = snapshot.table("SELECT hash, embedding FROM vectors ORDER BY hash")
    hashes = np.asarray(found.column(0).combine_chunks())
    rows = np.asarray(list_flatten(found.column(1).combine_chunks()))
    return StoredVectors(hashes, rows.reshape(found.num_rows, -1))
