"""All vectors of a snapshot in memory, for a process that searches much.

One product of the matrix with a query's vector is exact and five times as quick as the scan in the store. An HNSW index
is as quick only from some 150,000 vectors on, after minutes of building it (`python -m bench.vectors`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from arro3.core import Table, list_flatten

from memtui_core.store.reader import Snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memtui_core.embed import Vector

    Numbers = NDArray[np.int64]

MOST = 300_000
"""Vectors that are held: half a gigabyte of those of the default model. Beyond, the store answers."""
_CHUNKS_A_TURN = 8
"""Chunks looked at for each turn wanted: a turn has several."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Immutable: a newer snapshot has another one. Of the chunks, those that a person can find."""

    model: str
    hashes: Numbers
    """Of the texts, ascending."""
    rows: NDArray[np.float32]
    """The vector of each text."""
    texts: Numbers
    """Of each chunk, the place of its text in `rows`."""
    turns: Numbers
    places: Numbers
    """Of each chunk, its place in the turn."""
    ages: Numbers
    """Of each chunk, how long ago its turn began: more is older."""

    def nearest(
        self, vector: Vector, limit: int, decimals: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float, int]]:
        """Turn, cosine distance and chunk of the nearest turns, the nearest first, then the newer, then by id.

        `among` are the turns that count.
        """
        closeness = (self.rows @ vector)[self.texts]
        kept = np.arange(len(closeness)) if among is None else np.flatnonzero(np.isin(self.turns, np.array(among)))
        count = limit * _CHUNKS_A_TURN
        if count < len(kept):
            kept = kept[np.argpartition(-closeness[kept], count)[:count]]
        distances = np.round(1.0 - closeness[kept].astype(np.float64), decimals)
        turns, places = self.turns[kept], self.places[kept]
        order = np.lexsort((places, turns, self.ages[kept], distances))
        _, first = np.unique(turns[order], return_index=True)
        best = order[np.sort(first)[:limit]]
        return list(zip(turns[best].tolist(), distances[best].tolist(), places[best].tolist(), strict=True))


def matrix_of(snapshot: Snapshot, model: str, before: Matrix | None = None) -> Matrix | None:
    """The matrix of a snapshot; vectors that `before` holds are not read again. None when there are more than MOST."""
    hashes = _numbers(snapshot.table("SELECT hash FROM vectors ORDER BY hash"), 0)
    if len(hashes) > MOST:
        return None
    rows = _rows(snapshot, hashes, before if before is not None and before.model == model else None)
    chunks = snapshot.table(
        "SELECT c.hash, c.turn::BIGINT, c.seq::BIGINT, coalesce(-epoch_us(t.started_at), 0) FROM chunks c"
        " SEMI JOIN vectors v ON v.hash = c.hash JOIN turns t ON t.id = c.turn JOIN sessions s ON s.key = t.session"
        " WHERE NOT s.hidden"
    )
    texts = np.searchsorted(hashes, _numbers(chunks, 0))
    return Matrix(model, hashes, rows, texts, _numbers(chunks, 1), _numbers(chunks, 2), _numbers(chunks, 3))


def _rows(snapshot: Snapshot, hashes: Numbers, before: Matrix | None) -> NDArray[np.float32]:
    """The vectors in the order of their hashes."""
    if before is None or not np.isin(before.hashes, hashes).all():
        return _vectors(snapshot, "")
    new = np.setdiff1d(hashes, before.hashes)
    if not len(new):
        return before.rows
    added = _vectors(snapshot, f"WHERE hash IN ({', '.join(map(str, new.tolist()))})")
    order = np.argsort(np.concatenate([before.hashes, new]))
    together: NDArray[np.float32] = np.concatenate([before.rows, added])[order]
    return together


def _vectors(snapshot: Snapshot, where: str) -> NDArray[np.float32]:
    table = snapshot.table(f"SELECT embedding FROM vectors {where} ORDER BY hash")
    flat = np.asarray(list_flatten(table.column(0).combine_chunks()))
    rows: NDArray[np.float32] = flat.reshape(table.num_rows, -1)
    return rows


def _numbers(table: Table, column: int) -> Numbers:
    found: Numbers = np.asarray(table.column(column).combine_chunks())
    return found
