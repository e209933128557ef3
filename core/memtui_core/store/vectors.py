"""Where vectors are kept: a chunk row for each piece of a turn, a vector for each different text.

The columns of a table of vectors have the size of one model's vectors, so another model means another table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arro3.core import Array, DataType, Table, fixed_size_list_array

from memtui_core.store.rows import arrow_table, insert_into
from memtui_core.store.work import Work

if TYPE_CHECKING:
    from memtui_core.embed import Vector

ChunkRow = tuple[int, int, int | None, str]
"""Turn, place in the turn, hash of the text, text; a turn without text has one row without a hash."""


def prepare(work: Work, model: str, dimension: int) -> bool:
    """Make room for the vectors of a model; True when those of another one had to go."""
    before = work.scalar("SELECT value FROM meta WHERE key = 'model'")
    if before == model:
        return False
    with work.transaction():
        work.connection.execute("DELETE FROM chunks")
        work.connection.execute(
            f"CREATE OR REPLACE TABLE vectors (hash BIGINT NOT NULL, embedding FLOAT[{int(dimension)}] NOT NULL)"
        )
        work.connection.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", [model])
    return before is not None


def known(work: Work, hashes: Sequence[int]) -> set[int]:
    """Which of the texts have a vector."""
    if not hashes:
        return set()
    work.connection.register("wanted", arrow_table({"hash": "big"}, [(one,) for one in hashes]))
    try:
        rows = work.connection.execute("SELECT v.hash FROM vectors v SEMI JOIN wanted w ON v.hash = w.hash").fetchall()
    finally:
        work.connection.unregister("wanted")
    return {one for (one,) in rows}


def put(work: Work, chunks: Sequence[ChunkRow], vectors: dict[int, Vector]) -> None:
    """Add chunks with the vectors that are new; all or nothing."""
    import numpy as np

    columns = {"turn": "int", "seq": "int", "hash": "big", "text": "text"}
    with work.transaction():
        if chunks:
            insert_into(work.connection, "chunks", arrow_table(columns, chunks))
        if vectors:
            values = np.stack(list(vectors.values()))
            lists = fixed_size_list_array(Array.from_numpy(values.reshape(-1)), values.shape[1])
            hashes = Array(list(vectors), DataType.int64())
            insert_into(work.connection, "vectors", Table.from_pydict({"hash": hashes, "embedding": lists}))


def drop_unused(work: Work) -> int:
    """Take out the vectors of texts that no turn holds any more; how many those were."""
    unused = "hash NOT IN (SELECT hash FROM chunks WHERE hash IS NOT NULL)"
    count = int(work.scalar(f"SELECT count(*) FROM vectors WHERE {unused}"))
    if count:
        work.connection.execute(f"DELETE FROM vectors WHERE {unused}")
    return count
