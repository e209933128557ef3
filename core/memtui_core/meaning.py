"""Turns by what they mean: the distance between a query's vector and those of the turns' chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtui_core.embed import Vector
from memtui_core.store.reader import Snapshot

if TYPE_CHECKING:
    from memtui_core.matrix import Matrix

_PLACES = 4
"""Decimals of a distance: what lies behind them depends on the order of addition."""
_SHOWN = "JOIN turns t ON t.id = c.turn JOIN sessions s ON s.key = t.session WHERE NOT s.hidden"
_CHUNKS_A_TURN = 8
"""Chunks fetched for each turn wanted: a turn has several, and a text may stand in several turns."""


@dataclass(frozen=True, slots=True)
class MeaningHit:
    """A turn by its nearest chunk."""

    turn: int
    distance: float
    """Cosine distance, 0 for the same direction."""
    chunk: int
    """Place of that chunk in the turn."""


def model_of(snapshot: Snapshot) -> str | None:
    """The model whose vectors a snapshot holds; None when it holds none."""
    if snapshot.version < 2:
        return None
    rows = snapshot.rows("SELECT value FROM meta WHERE key = 'model'")
    return str(rows[0][0]) if rows else None


def nearest(
    snapshot: Snapshot,
    vector: Vector,
    limit: int,
    where: str = "",
    parameters: Sequence[Any] = (),
    matrix: Matrix | None = None,
) -> list[MeaningHit]:
    """The `limit` nearest turns, the nearest first, then the newer; every vector is looked at.

    `where` is a condition over turns `t` and sessions `s` that holds before the limit (SPEC S4.20). With a `matrix` the
    vectors are looked at in memory, else in the store.
    """
    condition = f" AND {where}" if where else ""
    if matrix is not None:
        found = matrix.nearest(vector, limit, _PLACES, _turns(snapshot, where, parameters) if where else None)
        return [MeaningHit(*hit) for hit in found]
    # The nearest vectors first and their turns afterwards, where no condition forbids it: fewer rows to join.
    few = f" ORDER BY d LIMIT {limit * _CHUNKS_A_TURN}" if not where else ""
    rows = snapshot.rows(
        "SELECT c.turn, min(v.d) AS best, arg_min(c.seq, v.d), max(t.started_at) AS newest"
        f" FROM (SELECT hash, {_distance(vector)} AS d FROM vectors{few}) v JOIN chunks c USING (hash)"
        f" {_SHOWN}{condition} GROUP BY c.turn ORDER BY best, newest DESC NULLS LAST, c.turn LIMIT {limit}",
        parameters,
    )
    return [MeaningHit(turn, distance, chunk) for turn, distance, chunk, _ in rows]


def _turns(snapshot: Snapshot, where: str, parameters: Sequence[Any]) -> list[int]:
    rows = snapshot.rows(f"SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE {where}", parameters)
    return [turn for (turn,) in rows]


def _distance(vector: Vector) -> str:
    """The vector stands in the text: as a parameter it is ten times slower, and turns an index off."""
    listed = ",".join(map(repr, vector.tolist()))
    return f"round(array_cosine_distance(embedding, [{listed}]::FLOAT[{len(vector)}])::DOUBLE, {_PLACES})"
