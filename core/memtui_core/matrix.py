"""All vectors of a snapshot in memory, for a process that searches much.

One product of the matrix with a query's vector is exact and five times as quick as the scan in the store. An HNSW index
is as quick only from some 150,000 vectors on, after minutes of building it (`python -m bench.vectors`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from arro3.core import Table, list_flatten

from memtui_core.store.reader import Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memtui_core.embed import Vector

    Hashes = NDArray[np.int64]

MOST = 300_000
"""Vectors that are held: half a gigabyte of those of the default model. Beyond, the store answers."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Immutable: a newer snapshot has another one."""

    model: str
    hashes: Hashes
    """One a row, ascending."""
    rows: NDArray[np.float32]

    def nearest(self, vector: Vector, count: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """Hash and cosine distance of the `count` nearest texts, `among` some when they are given."""
        hashes, rows = self.hashes, self.rows
        if among is not None:
            kept = np.flatnonzero(np.isin(hashes, np.array(among, np.int64)))
            hashes, rows = hashes[kept], rows[kept]
        closeness = rows @ vector
        if count < len(closeness):
            best = np.argpartition(-closeness, count)[:count]
            hashes, closeness = hashes[best], closeness[best]
        return list(zip(hashes.tolist(), (1.0 - closeness).tolist(), strict=True))


def matrix_of(snapshot: Snapshot, model: str, before: Matrix | None = None) -> Matrix | None:
    """The matrix of a snapshot; what `before` holds is not read again. None when there are more vectors than MOST."""
    hashes = _column(snapshot, "SELECT hash FROM vectors ORDER BY hash")
    if len(hashes) > MOST:
        return None
    if before is None or before.model != model or not np.isin(before.hashes, hashes).all():
        return Matrix(model, hashes, _rows(snapshot, ""))
    new = np.setdiff1d(hashes, before.hashes)
    if not len(new):
        return before
    added = _rows(snapshot, f"WHERE hash IN ({', '.join(map(str, new.tolist()))})")
    together = np.concatenate([before.hashes, new])
    order = np.argsort(together)
    return Matrix(model, together[order], np.concatenate([before.rows, added])[order])


def _column(snapshot: Snapshot, sql: str) -> Hashes:
    found: Hashes = np.asarray(snapshot.table(sql).column(0).combine_chunks())
    return found


def _rows(snapshot: Snapshot, where: str) -> NDArray[np.float32]:
    """Vectors in the order of their hashes."""
    table: Table = snapshot.table(f"SELECT embedding FROM vectors {where} ORDER BY hash")
    flat = np.asarray(list_flatten(table.column(0).combine_chunks()))
    rows: NDArray[np.float32] = flat.reshape(table.num_rows, -1)
    return rows
