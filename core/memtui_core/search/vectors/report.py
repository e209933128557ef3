"""What answers searches by meaning, and why, for `memtui doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from memtui_core.search.vectors.hnsw import may_answer
from memtui_core.store.snapshot.manifest import SnapshotVectors
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.vectors.hnsw import IndexEntry, read_entry
from memtui_core.store.vectors.hnsw_building import FEWEST, FEWEST_ASKED_FOR
from memtui_core.store.vectors.vss import vss_problem


@dataclass(frozen=True, slots=True)
class VectorReport:
    """What answers unfiltered searches by meaning in an app or a server; all others are exact."""

    answer: str
    """`hnsw`, `exact`, or `none` if there are no vectors."""
    reason: str
    """Why it is not the index, a clause; empty if it is."""
    vectors: int
    indexed: int = 0
    """The number of vectors from which the index was built; 0 if there is no index."""
    built_at: datetime | None = None
    bytes: int = 0
    """The size of the index."""


def report_vectors(snapshot: Snapshot, mode: str) -> VectorReport:
    """The report on a snapshot; `mode` is the setting `vectors`."""
    vectors, entry = snapshot.manifest.vectors, read_entry(snapshot.data)
    if vectors is None:
        return VectorReport("none", "there are no vectors", 0)
    reason = _reason(snapshot, mode, vectors, entry)
    answer = "exact" if reason else "hnsw"
    if entry is None:
        return VectorReport(answer, reason, vectors.size)
    built_at = datetime.fromtimestamp(entry.built_at, UTC)
    return VectorReport(answer, reason, vectors.size, entry.size, built_at, entry.bytes)


def _reason(snapshot: Snapshot, mode: str, vectors: SnapshotVectors, entry: IndexEntry | None) -> str:
    if mode == "exact":
        return "the settings say so"
    if not may_answer(mode, vectors.size):
        return f"the index is made from {FEWEST_ASKED_FOR if mode == 'hnsw' else FEWEST:,} vectors on"
    if problem := vss_problem():
        return problem
    if entry is None:
        return "the index is not made yet; an indexer with nothing else to do makes it"
    if (entry.model, entry.dimension) != (vectors.model, vectors.dimension):
        return "the index is of another model"
    return ""
