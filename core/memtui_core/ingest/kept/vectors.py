"""The vectors of sessions as bytes, so that sessions that are brought back need not be embedded again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final

import orjson

from memtui_core.store.archive.session_rows import WorkRows
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.tables import key_condition
from memtui_core.store.vectors.codes import CodedVectors
from memtui_core.store.vectors.files import StoredVectors, VectorFiles, stored_vectors
from memtui_core.system.startup.numeric import np

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

_END: Final = b"\n"
"""Between the chunks, as one line of JSON, and the numbers of the vectors."""
_CHUNKS: Final = """
    SELECT s.agent, s.session_id, s.parent_id, t.number, c.seq, c.hash, c.first, c.last
    FROM chunks c JOIN turns t ON t.id = c.turn JOIN sessions s ON s.key = t.session WHERE {} ORDER BY t.id, c.seq
"""


def vectors_to_bytes(work: WorkDatabase, entry: SnapshotVectors | None, sessions: Collection[int]) -> bytes:
    """The chunks of some sessions with their vectors; empty if there are none.

    Raises OSError and ValueError if the vectors cannot be read.
    """
    if entry is None or not work.may_have("chunks"):
        return b""
    chunks = WorkRows(work).rows(_CHUNKS.format(key_condition("t.session", sessions)))
    if not chunks:
        return b""
    hashes = np.array(sorted({row[5] for row in chunks if row[5] is not None}), np.int64)
    stored = stored_vectors(work.data, entry)
    rows = stored.rows_of(hashes)
    hashes, rows = hashes[rows >= 0], rows[rows >= 0]
    codes, factors = stored.coded(rows)
    head = {"model": entry.model, "dimension": entry.dimension, "vectors": len(hashes), "chunks": chunks}
    numbers = (hashes.astype("<i8"), factors.astype("<f4"), codes.astype(np.int8))
    return b"".join((orjson.dumps(head), _END, *(part.tobytes() for part in numbers)))


def insert_vectors(work: WorkDatabase, files_of: Callable[[str, int], VectorFiles | None], data: bytes) -> None:
    """Add chunks and vectors to sessions that were inserted, if the vectors of the index are of the same model.

    `files_of` returns the files for a model and a dimension.

    A turn that has chunks already, or of which a vector is missing, is left to be embedded. Raises ValueError if the
    bytes are no vectors.
    """
    line, _, numbers = data.partition(_END)
    head: dict[str, Any] = orjson.loads(line)
    count, dimension = int(head["vectors"]), int(head["dimension"])
    files = files_of(str(head["model"]), dimension)
    if files is None:
        return
    if len(numbers) != count * (12 + dimension):
        raise ValueError("the vectors of a session are not complete")
    hashes = np.frombuffer(numbers, "<i8", count).astype(np.int64)
    factors = np.frombuffer(numbers, "<f4", count, 8 * count).astype(np.float32)
    codes = np.frombuffer(numbers, np.int8, count * dimension, 12 * count).reshape(count, dimension)
    known = files.known(hashes.tolist())
    new = np.array([row for row, text in enumerate(hashes.tolist()) if text not in known], np.int64)
    files.append_from(StoredVectors(hashes, CodedVectors(codes, factors)), new)
    present = {*hashes.tolist(), *files.known([row[5] for row in head["chunks"] if row[5] is not None])}
    by_turn: dict[int, list[tuple[Any, ...]]] = {}
    turns = _turns(work)
    for agent, session, parent, number, seq, text, first, last in head["chunks"]:
        turn = turns.get((agent, session, parent, number))
        if turn is not None:
            by_turn.setdefault(turn, []).append((turn, seq, text, None, first, last))
    complete = [row for rows in by_turn.values() if all(row[2] in {None, *present} for row in rows) for row in rows]
    with work.transaction():
        work.put("chunks", complete)


def _turns(work: WorkDatabase) -> dict[tuple[Any, ...], int]:
    """The ids of the turns without chunks, by what tells them from all others."""
    rows = WorkRows(work).rows(
        "SELECT s.agent, s.session_id, s.parent_id, t.number, t.id FROM turns t JOIN sessions s ON s.key = t.session"
        " WHERE t.id NOT IN (SELECT turn FROM chunks)"
    )
    return {tuple(unique): turn for *unique, turn in rows}
