"""The number of turns, and how many of them have vectors."""

from __future__ import annotations

from typing import NamedTuple

from memtui_core.store.snapshot.reader import Snapshot

SHOWN_TURNS = "FROM turns t JOIN sessions s ON s.key = t.session WHERE NOT s.hidden"
"""The turns that are counted."""


class TurnCounts(NamedTuple):
    """Counts of turns."""

    turns: int
    embedded: int


def count_turns(snapshot: Snapshot) -> TurnCounts:
    """The counts of a snapshot."""
    return snapshot.cached("turn counts", lambda: _read(snapshot))


def _read(snapshot: Snapshot) -> TurnCounts:
    # The first schema has no vectors.
    embedded = "0" if snapshot.version == 1 else "(SELECT count(DISTINCT turn) FROM chunks)"
    [row] = snapshot.rows(f"SELECT (SELECT count(*) {SHOWN_TURNS}), {embedded}")
    return TurnCounts(*row)
